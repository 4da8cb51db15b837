"""Confidence intervals of an error rate: for independent questions, and for questions in clusters.

What few clusters of unequal sizes leave of a standard error: its correction and degrees of freedom.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from numpy.typing import NDArray
from scipy.special import ndtr, ndtri, stdtrit

from services.statistics.groups import Floats, Partition, effective_groups, partition

LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval: of a share, within [0, 1], or of a difference of shares, within [-1, 1]."""

    low: float
    high: float


@dataclass(frozen=True, slots=True)
class ClusterInterval:
    """An interval that allows for the questions of a cluster failing together.

    `design_effect` is how many times larger the variance of the rate is than that of independent
    questions, None where all answers are alike and it can't be estimated; `effective_n` is the number of
    independent questions that would say as much.
    """

    low: float
    high: float
    clusters: int
    design_effect: float | None
    effective_n: float


def wilson(errors: int, n: int, level: float = LEVEL) -> Interval | None:
    """The score interval of errors / n (Wilson 1927), None where n is 0."""
    if not 0 <= errors <= n:
        raise ValueError(f"{errors} errors among {n} answers is no share.")
    return _score_interval(errors / n, n, level) if n else None


def cluster_interval(
    wrong: Sequence[bool], clusters: Sequence[str], level: float = LEVEL
) -> ClusterInterval | None:
    """The score interval of the share of `wrong`, with n replaced by what the clusters leave of it.

    With p the share, G clusters, and e_g the sum over cluster g of (wrong - p), the cluster-robust variance
    of p is v = G / (G - 1) · Σ e_g² / n² (the sandwich of Liang and Zeger 1986 for a mean). The design
    effect is d = v (n - 1) / (p (1 - p)), and Wilson's formula gets
    n* = n / max(1, d) · (t[n - 1] / t[G - 1])² in place of n, t being the quantiles of Student's
    distribution: the effective sample size of Korn and Graubard (1998), put into Wilson's interval as
    Franco, Little, Louis and Slud (2019) recommend. Since n* is at most n, the interval always holds
    Wilson's own, and equals it where every question is a cluster of its own. Where all answers are alike,
    v says nothing; then the questions of a cluster count as copies of one: n / max(1, d) becomes
    n² / Σ m² over the cluster sizes m.

    None where there are fewer than two clusters: one shows no spread between clusters, and any interval
    would be made up.
    """
    n = len(wrong)
    if len(clusters) != n:
        raise ValueError(f"{n} verdicts and {len(clusters)} clusters: there must be one a verdict.")
    parts = partition(clusters)
    if parts.size < 2:
        return None
    share = sum(wrong) / n
    design_effect = _design_effect(wrong, parts, share) if 0 < share < 1 else None
    effective_n = (
        effective_groups(parts.sizes.tolist()) if design_effect is None else n / max(1.0, design_effect)
    )
    tail = (1 + level) / 2
    few_clusters = float(stdtrit(n - 1, tail) / stdtrit(parts.size - 1, tail)) ** 2
    interval = _score_interval(share, effective_n * few_clusters, level)
    return ClusterInterval(interval.low, interval.high, parts.size, design_effect, effective_n)


def share_interval(hits: Sequence[bool], clusters: Sequence[str]) -> Interval | None:
    """The interval of a share by cluster, or Wilson's where there are fewer than two clusters."""
    clustered = cluster_interval(hits, clusters)
    return Interval(clustered.low, clustered.high) if clustered else wilson(sum(hits), len(hits))


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


def clustered_variance(residuals: Floats, n: int) -> float:
    """Variance of a mean over n questions that takes only clusters for independent.

    `residuals` holds each of the G clusters' sum of deviations from the mean, G at least 2:
    G / (G - 1) · Σ e_g² / n², the sandwich of Liang and Zeger (1986).
    """
    g = len(residuals)
    return g / (g - 1) * float(residuals @ residuals) / n**2


def _design_effect(wrong: Sequence[bool], parts: Partition, share: float) -> float:
    n = len(wrong)
    variance = clustered_variance(parts.sums(np.asarray(wrong, np.float64) - share), n)
    return variance * (n - 1) / (share * (1 - share))


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
