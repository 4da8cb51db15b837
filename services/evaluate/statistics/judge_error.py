"""What a judge's known errors make of the difference that he finds, question by question.

judge = JudgeError(sensitivity=.9, right=40, specificity=.8, wrong=40)
truth = implied_truth(verdicts, silent, judge)                           # shape (n,), of each system
corrected_difference(Found(.1, standard_error=.03), judge)
"""

from dataclasses import dataclass
from math import inf, sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import stdtrit

from services.evaluate.statistics.groups import Floats
from services.evaluate.statistics.intervals import LEVEL, Interval


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
class Found:
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
class Corrected:
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


def corrected_difference(found: Found, judge: JudgeError, level: float = LEVEL) -> Corrected:
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
    return Corrected(value, error, Interval(low, high))


def _discerning(judge: JudgeError) -> float:
    if judge.discernment <= 0:
        raise ValueError("A judge who is no better than chance says nothing of the truth.")
    return judge.discernment


def _variance(share: float, n: float) -> float:
    smoothed = (share * n + 1) / (n + 2)
    return smoothed * (1 - smoothed) / (n + 2)
