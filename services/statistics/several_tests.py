"""Several hypotheses at several looks: Holm's method with the levels that spending leaves at each look.

p-values of several tests at once, adjusted so that one false alarm among all stays rare.

Looking before the end: how alpha is spent over the looks, and what a p-value must be at each.

looks((.25, .5, 1), alpha=.05, spending="obrien-fleming")

What a judge's known errors make of the difference that he finds, question by question.

judge = JudgeError(sensitivity=.9, right=40, specificity=.8, wrong=40)
truth = implied_truth(verdicts, silent, judge)                           # shape (n,), of each system
corrected_difference(Found(.1, standard_error=.03), judge)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import e, inf, log, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from services.statistics.intervals import LEVEL, Floats, Interval


@dataclass(frozen=True, slots=True)
class JudgeError:
    """How often a judge is right on answers of known quality, as shares in [0, 1].

    `sensitivity` is that of `right` right answers, `specificity` that of `wrong` wrong ones;
    of answers in clusters, as many as they are worth.
    """

    sensitivity: float
    right: float
    specificity: float
    wrong: float

    @property
    def discernment(self) -> float:
        """Youden's J, sensitivity + specificity - 1: 1 never errs, 0 throws a coin."""
        return self.sensitivity + self.specificity - 1

    @property
    def variances(self) -> tuple[float, float]:
        """Those of sensitivity and specificity: s (1 - s) / n with a right and a wrong verdict more.

        So a judge who never erred on few answers is not taken to be certain (Lang and Reiczigel 2014).
        """
        return _variance(self.sensitivity, self.right), _variance(self.specificity, self.wrong)


@dataclass(frozen=True, slots=True)
class MeanDifference:
    """A mean difference of `implied_truth` of two systems, by a judge whose errors were taken for known.

    `freedom` is that of `standard_error`. `answered` is the difference of the shares of questions that the
    systems answered, and `unweighed` the part of `difference` that comes from the others.
    """

    difference: float
    standard_error: float
    freedom: float = inf
    answered: float = 0.0
    unweighed: float = 0.0


@dataclass(frozen=True, slots=True)
class CorrectedDifference:
    """A corrected difference with its standard error and interval, cut at -1 and 1."""

    value: float
    standard_error: float
    interval: Interval


def implied_truth(verdicts: Floats, silent: NDArray[np.bool_], judge: JudgeError) -> Floats:
    """What each verdict (0, 1 or NaN) says of the truth, on average: (verdict + specificity - 1) / J.

    A single one may lie below 0 or above 1; their mean is the estimate of Rogan and Gladen (1978). Where a
    system was `silent` there was nothing to weigh: that verdict is no judge's, and stands as it is.

    Raises:
        ValueError: the judge is no better than chance (J ≤ 0).
    """
    return np.where(silent, verdicts, (verdicts + judge.specificity - 1) / _discerning(judge))


def corrected_difference(
    found: MeanDifference, judge: JudgeError, level: float = LEVEL
) -> CorrectedDifference:
    """The true difference of two shares of right answers, with what the judge's trial left unknown.

    Its variance by the delta method is v + (w² v₁ + (a - w)² v₂) / J²: v that of `found`, w the part of the
    difference from answers that were weighed, a that of having answered, v₁ and v₂ those of sensitivity and
    specificity. That he errs alike on both systems' answers is assumed: a judge who favours one is not
    corrected by this.

    Raises:
        ValueError: the judge is no better than chance (J ≤ 0).
    """
    first, second = judge.variances
    weighed = found.difference - found.unweighed
    unknown = weighed**2 * first + (found.answered - weighed) ** 2 * second
    error = sqrt(found.standard_error**2 + unknown / _discerning(judge) ** 2)
    half = float(stdtrit(min(found.freedom, 1e9), (1 + level) / 2)) * error
    low, value, high = (
        min(1.0, max(-1.0, bound))
        for bound in (found.difference - half, found.difference, found.difference + half)
    )
    return CorrectedDifference(value, error, Interval(low, high))


def _discerning(judge: JudgeError) -> float:
    if judge.discernment <= 0:
        raise ValueError("A judge who is no better than chance says nothing of the truth.")
    return judge.discernment


def _variance(share: float, n: float) -> float:
    smoothed = (share * n + 1) / (n + 2)
    return smoothed * (1 - smoothed) / (n + 2)


def holm(p_values: Sequence[float | None]) -> list[float | None]:
    """Holm's step-down adjustment (1979), in the order given; None is no test and stays None.

    With p sorted upwards, the i-th of m becomes the largest of (m - j + 1) p_j over j up to i, at most 1: all
    below .05 may be claimed together, with a chance of at most .05 that any claim is false.
    """
    family = sorted((p, place) for place, p in enumerate(p_values) if p is not None)
    adjusted: list[float | None] = [None] * len(p_values)
    highest = 0.0
    for rank, (p, place) in enumerate(family):
        highest = max(highest, min(1.0, (len(family) - rank) * p))
        adjusted[place] = highest
    return adjusted


Spending = Literal["obrien-fleming", "pocock"]

_FAR = 9.0
_LEAST = 1e-15
_PANELS = (8, 300)
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(8)


@dataclass(frozen=True, slots=True)
class Look:
    """A look after `share` of the information: `spent` of alpha in all so far, `level` for p at this look.

    `bound` is what |z| (or z, one-sided) must reach; infinite where too little may be spent to reach any.
    """

    share: float
    spent: float
    bound: float
    level: float


def spent_at(share: float, alpha: float, spending: Spending = "obrien-fleming") -> float:
    """How much of a one-sided `alpha` may be used up by `share` of the information (Lan and DeMets 1983).

    O'Brien and Fleming's 2 - 2 Φ(z / √share) for z = Φ⁻¹(1 - alpha / 2), which hardly spends early, or
    Pocock's alpha ln(1 + (e - 1) share), which spends almost evenly.
    """
    if spending == "pocock":
        return alpha * log(1 + (e - 1) * share)
    return float(2 * ndtr(ndtri(alpha / 2) / sqrt(share)))


@lru_cache(maxsize=1_024)
def looks(
    shares: tuple[float, ...],
    alpha: float,
    spending: Spending = "obrien-fleming",
    two_sided: bool = True,
) -> tuple[Look, ...]:
    """The boundary at each of growing `shares` of the information, the last being 1.

    Two-sided ones are symmetric and spend `alpha` / 2 on each side. At look k the chance to get there without
    having crossed, and to cross now, is what is newly spent: the density of the running sum over those that
    did not cross is carried from look to look (Armitage, McPherson and Rowe 1969) by Gauss-Legendre
    quadrature. A single look has `alpha` itself.
    """
    if not shares or shares[-1] != 1 or shares[0] <= 0 or any(b <= a for a, b in pairwise(shares)):
        raise ValueError(f"Looks come after growing shares that end with 1, not after {shares}.")
    sides = 2 if two_sided else 1
    if len(shares) == 1:
        return (Look(1.0, alpha, -float(ndtri(alpha / sides)), alpha),)
    found: list[Look] = []
    points, masses = np.zeros(1), np.ones(1)
    before, used = 0.0, 0.0
    for share in shares:
        spent = spent_at(share, alpha / sides, spending)
        step = sqrt(share - before)
        bound = _bound(points, masses, step, share, spent - used)
        if bound < inf:
            used = spent
        found.append(Look(share, sides * spent, bound, sides * float(ndtr(-bound))))
        points, masses = _carry_forward(points, masses, step, share, bound, two_sided)
        before = share
    return tuple(found)


def level_at(
    shares: Sequence[float],
    look: int,
    alpha: float,
    spending: Spending = "obrien-fleming",
    two_sided: bool = True,
) -> float:
    """What a p-value must not exceed at look `look`, counted from 1."""
    return looks(tuple(shares), alpha, spending, two_sided)[look - 1].level


def _bound(points: Floats, masses: Floats, step: float, share: float, spend: float) -> float:
    if spend < _LEAST:
        return inf
    scale = sqrt(share)

    def excess(bound: float) -> float:
        return float(masses @ ndtr((points - bound * scale) / step)) - spend

    # A tenth of a second to import, which every start of the page would pay.
    from scipy.optimize import brentq  # noqa: PLC0415

    return float(brentq(excess, -_FAR, _FAR, xtol=1e-12)) if excess(_FAR) < 0 else inf


def _carry_forward(
    points: Floats, masses: Floats, step: float, share: float, bound: float, two_sided: bool
) -> tuple[Floats, Floats]:
    scale = sqrt(share)
    high = min(bound, _FAR) * scale
    low = -high if two_sided else -_FAR * scale
    panels = int(np.clip(np.ceil((high - low) / step), *_PANELS))
    half = (high - low) / panels / 2
    middles = low + half * (2 * np.arange(panels) + 1)
    places = (middles[:, None] + half * _NODES).ravel()
    apart = (places[:, None] - points) / step
    density = np.exp(-(apart**2) / 2) @ masses / (step * sqrt(2 * np.pi))
    return places, density * np.tile(_WEIGHTS * half, panels)


_ROUNDING = 1e-12


@dataclass(frozen=True, slots=True)
class HolmOutcome:
    """What came of a hypothesis: `level` is what its p-value was last held against, None without any.

    `shown_at` is the number of the look, from 1, at which it was shown; None where it was not.
    """

    level: float | None
    shown_at: int | None


def sequential_holm(
    p_values: Sequence[Sequence[float | None]],
    two_sided: Sequence[bool],
    shares: Sequence[float] = (1.0,),
    alpha: float = 0.05,
    spending: Spending = "obrien-fleming",
    correct: bool = True,
) -> list[HolmOutcome]:
    """Decide hypotheses by their p-values at the looks so far; `alpha` is the chance of any false claim.

    `p_values` has one row a look, in order, with one entry a hypothesis; None is no test. `two_sided` tells
    which hypotheses have two-sided ones, `shares` are those of all planned looks. With h hypotheses of the
    family not yet shown, each is held against the level of its look for alpha / h; whenever one is shown,
    what it had goes to the others, which are then held against a higher level (Holm 1979; with looks, Ye, Li,
    Liu and Yao 2013, Maurer and Bretz 2013). Hypotheses without any test have their part too: if one that
    gets a test later changed the levels of earlier looks, what was shown then could be taken back. With one
    look this is Holm's method; without `correct`, each has all of alpha.
    """
    if any(len(row) != len(two_sided) for row in p_values) or len(p_values) > len(shares):
        raise ValueError("There must be one p-value a hypothesis, and no more rows of them than looks.")
    number = len(two_sided)
    open_ = list(range(number))
    held = [HolmOutcome(None, None)] * number
    for look, row in enumerate(p_values, start=1):
        while open_:
            share = alpha / len(open_) if correct else alpha
            for place in open_:
                if row[place] is not None:
                    level = level_at(shares, look, share, spending, two_sided[place])
                    held[place] = HolmOutcome(level, held[place].shown_at)
            shown = [place for place in open_ if _reaches(row[place], held[place].level)]
            if not shown:
                break
            first = min(shown, key=lambda place: (row[place] or 0.0) / (held[place].level or 1.0))
            held[first] = HolmOutcome(held[first].level, look)
            open_.remove(first)
    return held


def _reaches(p_value: float | None, level: float | None) -> bool:
    return p_value is not None and level is not None and level > 0 and p_value <= level * (1 + _ROUNDING)
