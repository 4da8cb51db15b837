"""Whether two systems differ by no more than matters: two one-sided tests over clusters."""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import stdtr, stdtrit

from services.evaluate.statistics.clustered_means import ClusteredMean
from services.evaluate.statistics.intervals import Interval

ALPHA = 0.05


@dataclass(frozen=True, slots=True)
class Equivalence:
    """A test that a mean difference lies within ±`margin`; it does, at `alpha`, where `p_value` is no larger.

    `interval` is that of Student's distribution with confidence 1 - 2 `alpha`: it lies within the margins
    just where the test says so; None where all differences are alike. `bootstrap_agrees` tells whether the
    bootstrap interval of that confidence gives the same answer, None where there is none.
    """

    margin: float
    alpha: float
    p_value: float
    interval: Interval | None
    bootstrap_agrees: bool | None

    @property
    def equivalent(self) -> bool:
        """Whether a difference of the margin or more can be ruled out."""
        return self.p_value <= self.alpha


def equivalence(
    difference: ClusteredMean,
    margin: float,
    alpha: float = ALPHA,
    bootstrap: Interval | None = None,
    verdicts: bool = False,
) -> Equivalence | None:
    """Two one-sided tests (Schuirmann 1987) by the clustered standard error and its degrees of freedom.

    p is the larger of P(T ≥ (margin + d) / s) and P(T ≥ (margin - d) / s). Where all differences are alike, s
    is 0; for the true mean to lie at the margin then, a share u = (margin - |d|) / (1 + |d|) of all questions
    must deviate by as much as a difference in [-1, 1] can, and p = (1 - u)^n* is the chance to see none of
    them in n* effective questions. Of differences of `verdicts`, which are -1, 0 or 1, no mean at the margin
    m has a variance below m (1 - m): s is at least √(m (1 - m) / n*), for the few differences that were seen
    say little of it. `bootstrap` is an interval of confidence 1 - 2 `alpha`. None below two clusters.
    """
    if not margin > 0:
        raise ValueError(f"A margin of equivalence lies above 0, not at {margin}.")
    mean, error, freedom = difference.mean, difference.standard_error, difference.freedom
    if mean is None or error is None or freedom is None:
        return None
    if error > 0:
        if verdicts and difference.effective_n:
            error = max(error, sqrt(margin * max(0.0, 1 - margin) / difference.effective_n))
        p_value = 1 - float(stdtr(freedom, (margin - abs(mean)) / error))
        half = float(stdtrit(freedom, 1 - alpha)) * error
        interval = Interval(mean - half, mean + half)
    elif difference.effective_n is None or difference.design_effect is not None:
        return None
    else:
        unseen = float(np.clip((margin - abs(mean)) / (1 + abs(mean)), 0, 1))
        p_value, interval = (1 - unseen) ** difference.effective_n, None
    agrees = None
    if bootstrap is not None:
        agrees = (-margin < bootstrap.low and bootstrap.high < margin) == (p_value <= alpha)
    return Equivalence(margin, alpha, p_value, interval, agrees)
