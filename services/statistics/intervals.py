"""Confidence intervals of an error rate: for independent questions, and for questions in clusters.

What few clusters of unequal sizes leave of a standard error: its correction and degrees of freedom.
"""

from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from services.statistics.groups import Floats

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval: of a share, within [0, 1], or of a difference of shares, within [-1, 1]."""

    low: float
    high: float


def wilson(errors: int, n: int, level: float = LEVEL) -> Interval | None:
    """The score interval of errors / n (Wilson 1927), None where n is 0."""
    if not 0 <= errors <= n:
        raise ValueError(f"{errors} errors among {n} answers is no share.")
    return _score_interval(errors / n, n, level) if n else None


def score_bounds(share: Floats | float, n: Floats | float, level: float = LEVEL) -> tuple[Floats, Floats]:
    """The bounds of Wilson's interval (1927) of each share of n; NaN where n is."""
    z2 = float(ndtri((1 + level) / 2)) ** 2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    # Rounding can push a bound past the share itself where that is 0 or 1.
    return np.maximum(0.0, np.minimum(share, centre - half)), np.minimum(
        1.0, np.maximum(share, centre + half)
    )


def score_size(share: float, width: float, level: float = LEVEL) -> float:
    """The n of Wilson's interval of `share` that is `width` wide: what `_score_interval` was given.

    With u = z² / n and half the width h, h (1 + u) = √(p (1 - p) u + u² / 4), which is squared and solved.
    """
    h2, spread = (width / 2) ** 2, share * (1 - share)
    z2 = float(ndtri((1 + level) / 2)) ** 2
    square, linear = 0.25 - h2, spread - 2 * h2
    return 2 * z2 * square / (sqrt(linear**2 + 4 * square * h2) - linear)


def _score_interval(share: float, n: float, level: float) -> Interval:
    if not 0 < level < 1:
        raise ValueError(f"A confidence level lies between 0 and 1, not at {level}.")
    low, high = score_bounds(share, n, level)
    return Interval(float(low), float(high))


FEW_CLUSTERS = 20
"""With fewer, intervals and tests by cluster are rough, the more so the less even the clusters are; every
report says so. With five or fewer no two-sided sign-flip can reach .05."""
LEAST_TO_RESAMPLE = 6
"""With fewer, a judged comparison has no bootstrap interval: those of five hold the truth in 92 to 93 % (see
benchmarks/clustered_truth.py), and Student's with the degrees of freedom below in 94 to 96 %."""


def adjusted_variances(residuals: Floats, sizes: Floats) -> Floats:
    """Variance of each column's mean that takes only clusters for independent; shape (K,), NaN below two.

    `residuals` holds each cluster's sum of deviations from the mean, `sizes` its number of values, both of
    shape (G, K). Σ e_g² / (1 - p_g) / n² with p_g = m_g / n: CR2 of Bell and McCaffrey (2002, section 2),
    whose square root of a matrix is (1 - p_g)^-½ for a mean. With equal sizes 1 / (1 - p_g) is G / (G - 1),
    and this is the sandwich of Liang and Zeger (1986) with its usual factor; with unequal ones that falls
    short, since a large cluster draws the mean towards itself.
    """
    n, left = sizes.sum(axis=0), left_over(sizes)
    squares = np.divide(residuals**2, left, out=np.zeros_like(residuals), where=left > 0)
    total: Floats = np.where(_several(sizes), squares.sum(axis=0), np.nan)
    variances: Floats = np.divide(total, n**2, out=np.full_like(total, np.nan), where=n > 0)
    return variances


def degrees_of_freedom(sizes: Floats) -> Floats:
    """Of Student's distribution for that variance; `sizes` has shape (G, K), the result (K,), NaN below two.

    1 / (Σ p² + (Σ q)² - Σ q²) with q = p² / (1 - p): Satterthwaite's as Bell and McCaffrey (2002) work it out
    for independent values, here for a mean. It is G - 1 for equal sizes and less for unequal ones, down to 1.
    """
    n, left = sizes.sum(axis=0), left_over(sizes)
    shares = np.divide(sizes, n, out=np.zeros_like(sizes), where=n > 0)
    weights = np.divide(shares**2, left, out=np.zeros_like(shares), where=left > 0)
    spread = (shares**2).sum(axis=0) + weights.sum(axis=0) ** 2 - (weights**2).sum(axis=0)
    freedom: Floats = np.divide(1.0, spread, out=np.full_like(spread, np.nan), where=_several(sizes))
    return freedom


def expanded_tails(freedom: Floats, level: float = LEVEL) -> Floats:
    """The share of resampled means that an interval leaves out on each side; NaN where `freedom` is.

    Φ(-√((f + 1) / f) t) for Student's quantile t on f degrees of freedom: the expanded percentile interval
    (Hesterberg 2015), which has f = G - 1, with the degrees of freedom that unequal clusters leave.
    """
    return ndtr(-np.sqrt((freedom + 1) / freedom) * stdtrit(freedom, (1 + level) / 2))


def _several(sizes: Floats) -> NDArray[np.bool_]:
    several: NDArray[np.bool_] = np.count_nonzero(sizes, axis=0) >= 2
    return several


def left_over(sizes: Floats) -> Floats:
    """1 - m / n for each cluster of m of n values; shape (G, K), 0 where a column has none."""
    n = sizes.sum(axis=0)
    left: Floats = np.divide(n - sizes, n, out=np.zeros_like(sizes), where=n > 0)
    return left
