"""What a judge's known errors make of the shares and differences that he finds (Rogan and Gladen 1978).

error = JudgeError(sensitivity=.9, right=40, specificity=.8, wrong=40)
corrected_share(.6, standard_error=.03, judge=error)
"""

from dataclasses import dataclass
from math import inf, sqrt

from scipy.special import stdtrit

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
class Corrected:
    """A corrected share or difference with its standard error and interval, cut at the ends of its range."""

    value: float
    standard_error: float
    interval: Interval


def corrected_share(
    share: float, standard_error: float, judge: JudgeError, freedom: float = inf, level: float = LEVEL
) -> Corrected | None:
    """The true share s of right answers where a judge found `share`: (share + specificity - 1) / J.

    Its variance by the delta method is (v + s² v₁ + (1 - s)² v₂) / J², v being that of `share`, v₁ and v₂
    those of sensitivity and specificity (Rogan and Gladen 1978). `freedom` is that of `standard_error`. None
    for a judge who is no better than chance (J ≤ 0).
    """
    if judge.discernment <= 0:
        return None
    first, second = judge.variances
    true = (share + judge.specificity - 1) / judge.discernment
    variance = standard_error**2 + true**2 * first + (1 - true) ** 2 * second
    return _corrected(true, variance, judge, freedom, level, 0.0)


def corrected_difference(
    difference: float, standard_error: float, judge: JudgeError, freedom: float = inf, level: float = LEVEL
) -> Corrected | None:
    """The true difference of two shares of right answers where the same judge found `difference`: that / J.

    Its variance by the delta method is (v + d² (v₁ + v₂)) / J² for the corrected difference d. That he errs
    alike on both systems is assumed: a judge who favours one is not corrected by this. None where J ≤ 0.
    """
    if judge.discernment <= 0:
        return None
    true = difference / judge.discernment
    variance = standard_error**2 + true**2 * sum(judge.variances)
    return _corrected(true, variance, judge, freedom, level, -1.0)


def _corrected(
    true: float, variance: float, judge: JudgeError, freedom: float, level: float, least: float
) -> Corrected:
    error = sqrt(variance) / judge.discernment
    half = float(stdtrit(min(freedom, 1e9), (1 + level) / 2)) * error
    low, high = (min(1.0, max(least, bound)) for bound in (true - half, true + half))
    return Corrected(min(1.0, max(least, true)), error, Interval(low, high))


def _variance(share: float, n: float) -> float:
    smoothed = (share * n + 1) / (n + 2)
    return smoothed * (1 - smoothed) / (n + 2)
