"""What few clusters of unequal sizes leave of a standard error: its correction and degrees of freedom."""

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, stdtrit

from services.evaluate.statistics.groups import Floats
from services.evaluate.statistics.intervals import LEVEL

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
    and this is the sandwich with its usual factor, `intervals.clustered_variance`; with unequal ones that
    falls short, since a large cluster draws the mean towards itself.
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
