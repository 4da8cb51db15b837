"""Several hypotheses at several looks: Holm's method with the levels that spending leaves at each look.

p-values of several tests at once, adjusted so that one false alarm among all stays rare.

Looking before the end: how alpha is spent over the looks, and what a p-value must be at each.

looks((.25, .5, 1), alpha=.05, spending="obrien-fleming")
"""

from collections.abc import Sequence
from dataclasses import dataclass
from functools import lru_cache
from itertools import pairwise
from math import e, inf, log, sqrt
from typing import Literal

import numpy as np
from scipy.optimize import brentq
from scipy.special import ndtr, ndtri

from services.evaluate.statistics.groups import Floats


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
        points, masses = _carried(points, masses, step, share, bound, two_sided)
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

    return float(brentq(excess, -_FAR, _FAR, xtol=1e-12)) if excess(_FAR) < 0 else inf


def _carried(
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
class Held:
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
) -> list[Held]:
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
    held = [Held(None, None)] * number
    for look, row in enumerate(p_values, start=1):
        while open_:
            share = alpha / len(open_) if correct else alpha
            for place in open_:
                if row[place] is not None:
                    level = level_at(shares, look, share, spending, two_sided[place])
                    held[place] = Held(level, held[place].shown_at)
            shown = [place for place in open_ if _reaches(row[place], held[place].level)]
            if not shown:
                break
            first = min(shown, key=lambda place: (row[place] or 0.0) / (held[place].level or 1.0))
            held[first] = Held(held[first].level, look)
            open_.remove(first)
    return held


def _reaches(p_value: float | None, level: float | None) -> bool:
    return p_value is not None and level is not None and level > 0 and p_value <= level * (1 + _ROUNDING)
