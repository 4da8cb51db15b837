"""Student's statistic by cluster under flips of signs: how many patterns bring it as far as the data do.

The sums of clusters alone tie in many patterns where verdicts are right and wrong; their standard error
differs between patterns wherever clusters differ in size, so that fewer tie and p is finer.

Cluster bootstrap and sign-flip test of many means at once, over one partition into clusters.

    totals = cluster_totals(values, partition(clusters))      # values: (n, K), NaN where undefined
    found = cluster_bootstraps(totals, generator)             # intervals of K means
    tests = sign_flips(totals, generator)                     # p-values that K means are 0

A column is a measure of a system, or the difference of two systems in one. A paired difference is what
subtraction makes of two columns: NaN where either is. Everything undefined is NaN in arrays of shape (K,)
and None where one column is asked for.

What a seed gives for a column depends on the values of that column alone: neither on the names and the order
of clusters, nor on which columns stand beside it. So a report of two runs and a comparison of twenty systems
find the same for the same two.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import ndtr, ndtri

from services.statistics.intervals import (
    LEAST_TO_RESAMPLE,
    LEVEL,
    Floats,
    Interval,
    Partition,
    degrees_of_freedom,
    expanded_tails,
    left_over,
)

EXACT_UP_TO = 20
"""Clusters up to which all 2^G ways are tried: a million."""


@dataclass(frozen=True, slots=True)
class SignFlip:
    """A two-sided p-value: `exact` where all ways were tried, else with its Monte Carlo standard error."""

    p_value: float
    exact: bool
    standard_error: float


_PATTERNS_AT_ONCE = 256
_ROUNDING_OF_MEANS = 1e-11

Bools = NDArray[np.bool_]


@dataclass(frozen=True, slots=True, eq=False)
class StudentisedFlips:
    """K columns of G clusters, of which whole clusters may be flipped.

    With sums s, sizes m, n = Σ m and c = 1 / (1 - m / n), a pattern of signs ε has the mean μ = Σ ε s / n,
    and n² times its CR2 variance (`intervals.adjusted_variances`) is Σ c (ε s - m μ)², which is
    Σ c s² - 2 μ Σ ε c m s + μ² Σ c m²: besides the total, only the `leanings` c m s have to be flipped.
    `sums` and `leanings` have shape (G, K), the rest (K,).
    """

    sums: Floats
    leanings: Floats
    n: Floats
    squares: Floats
    weights: Floats
    mean: Floats
    variance: Floats
    slack: Floats

    def beyond(self, totals: Floats, leanings: Floats) -> tuple[Bools, Bools]:
        """Whether |t| of patterns is at least the observed one, and whether it is more; shape as given."""
        means = totals / self.n
        excess = means**2 * self.variance - self.mean**2 * self._variance(means, leanings)
        return excess >= -self.slack, excess > self.slack

    def _variance(self, means: Floats, leanings: Floats) -> Floats:
        return self.squares - 2 * means * leanings + means**2 * self.weights


def studentised_flips(sums: Floats, sizes: Floats) -> StudentisedFlips:
    """Prepare columns, given as sums and sizes of shape (G, K); each has values in two clusters at least."""
    n, left = sizes.sum(axis=0), left_over(sizes)
    scale = np.divide(1.0, left, out=np.zeros_like(left), where=left > 0)
    leanings = scale * sizes * sums
    squares, weights = (scale * sums**2).sum(axis=0), (scale * sizes**2).sum(axis=0)
    most = np.abs(sums).sum(axis=0) / n
    mean = sums.sum(axis=0) / n
    mean = np.where(np.abs(mean) <= _ROUNDING_OF_MEANS * most, 0.0, mean)
    variance = squares - 2 * mean * leanings.sum(axis=0) + mean**2 * weights
    largest = squares + 2 * most * np.abs(leanings).sum(axis=0) + most**2 * weights
    slack = _ROUNDING_OF_MEANS * most**2 * largest
    return StudentisedFlips(sums, leanings, n, squares, weights, mean, variance, slack)


def exact_p_values(sums: Floats, sizes: Floats) -> tuple[float, float, float]:
    """The shares of all patterns with a t at least, at most, and as far from 0 as observed, of one column.

    `sums` and `sizes` have shape (G,); no more than `EXACT_UP_TO` sums should be other than 0. A
    pattern and its mirror image have opposite t, so that half of the patterns tell all.
    """
    flips = studentised_flips(sums[:, None], sizes[:, None])
    bearing = np.flatnonzero(sums)
    totals, leanings = (_half_of_signed_sums(part[bearing, 0]) for part in (flips.sums, flips.leanings))
    far, farther = (float(np.mean(found)) for found in flips.beyond(totals, leanings))
    mean = float(flips.mean[0])
    towards, away = far / 2, 1 - farther / 2
    return (towards if mean > 0 else away), (towards if mean < 0 else away), far


def sign_flip_p_values(sums: Floats, sizes: Floats, seed: int, draws: int) -> tuple[Floats, Bools]:
    """The p-values of K columns (above 0, below 0, either: shape (3, K)), and where they are exact, (K,).

    The columns are given as sums and sizes of shape (G, K), sums other than 0 first in each.

    What comes out of a column depends on the seed and on the column alone.
    """
    usable = np.count_nonzero(sizes, axis=0) >= 2
    bearing = np.count_nonzero(sums, axis=0)
    exact = usable & (bearing <= EXACT_UP_TO)
    p_values = np.full((3, sums.shape[1]), np.nan)
    for column in np.flatnonzero(exact).tolist():
        p_values[:, column] = exact_p_values(sums[:, column], sizes[:, column])
    rest = np.flatnonzero(usable & ~exact)
    if len(rest):
        hits = count_hits(sums[:, rest], sizes[:, rest], seed, draws)
        p_values[:, rest] = (hits + 1) / (draws + 1)
    return p_values, exact


def count_hits(sums: Floats, sizes: Floats, seed: int, draws: int) -> Floats:
    """How many of `draws` patterns have such a t; shape (3, K), in that order.

    Sums other than 0 come first in each column, and the patterns that it meets depend on how many these are.
    What is flipped has no sign of its own, so that two systems have the same two-sided p whichever of them
    comes first.
    """
    flips = studentised_flips(sums, sizes)
    bearing = int(np.count_nonzero(sums, axis=0).max(initial=0))
    both = np.abs(np.hstack((flips.sums[:bearing], flips.leanings[:bearing])))
    hits = np.zeros((3, sums.shape[1]))
    for block in range(-(-draws // _PATTERNS_AT_ONCE)):
        # A row a cluster, one filled after the other: the first ones are the same however many follow.
        drawn = np.random.default_rng([seed, block]).integers(
            2, size=(bearing, _PATTERNS_AT_ONCE), dtype=np.int8
        )
        signs = 2.0 * drawn[:, : draws - block * _PATTERNS_AT_ONCE].T - 1.0
        totals, leanings = np.split(signs @ both, 2, axis=1)
        far, farther = flips.beyond(totals, leanings)
        up, down = totals > 0, totals < 0
        hits[0] += np.count_nonzero(np.where(flips.mean > 0, far & up, ~(farther & down)), axis=0)
        hits[1] += np.count_nonzero(np.where(flips.mean < 0, far & down, ~(farther & up)), axis=0)
        hits[2] += np.count_nonzero(far, axis=0)
    return hits


def _half_of_signed_sums(sizes: Floats) -> Floats:
    totals = sizes[:1] if len(sizes) else np.zeros(1)
    for size in sizes[1:]:
        totals = np.concatenate((totals + size, totals - size))
    return totals


DRAWS = 10_000
_SAME = 1e-12


def bca_tails(drawn: Floats, mean: float, acceleration: float, tail: float) -> tuple[float, float]:
    """The shares of `drawn` means that lie below the BCa interval's low bound and below its high one.

    Φ(z0 + (z0 + z) / (1 - a (z0 + z))) for z = ±Φ⁻¹(tail), z0 = Φ⁻¹(share of draws below the mean, equal
    ones counting half), and acceleration a (Efron 1987; Davison and Hinkley 1997, section 5.3.2). The tail
    should be the expanded one, since BCa too takes a normal quantile where few clusters need Student's.
    """
    slack = _SAME * max(1.0, abs(mean))
    below = np.count_nonzero(drawn < mean - slack)
    level_with = np.count_nonzero(np.abs(drawn - mean) <= slack)
    share = (below + level_with / 2) / len(drawn)
    # A mean that all draws lie on one side of has no finite bias: the share is that of half a draw.
    bias = ndtri(np.clip(share, 0.5 / len(drawn), 1 - 0.5 / len(drawn)))
    shifted = bias + np.array((ndtri(tail), -ndtri(tail)))
    slowed = np.maximum(1 - acceleration * shifted, _SAME)
    low, high = ndtr(bias + shifted / slowed)
    return float(low), float(high)


def accelerations(sums: Floats, sizes: Floats) -> Floats:
    """How fast the spread of each column's mean changes with the mean: Σ u³ / (6 (Σ u²)^1.5) over clusters.

    u is by how much the mean of all clusters but one, from sums and sizes of shape (G, K), lies below the
    mean of these (the jackknife of Efron 1987, by cluster). 0 where no cluster matters: all are alike.
    """
    left_sums, left_sizes = sums.sum(axis=0) - sums, sizes.sum(axis=0) - sizes
    usable = (sizes > 0) & (left_sizes > 0)
    without = np.divide(left_sums, left_sizes, out=np.zeros_like(sums), where=usable)
    number = np.maximum(np.count_nonzero(usable, axis=0), 1)
    influence = np.where(usable, without.sum(axis=0) / number - without, 0.0)
    largest = np.abs(influence).max(axis=0)
    scaled = np.divide(influence, largest, out=np.zeros_like(influence), where=largest > _SAME)
    squares = (scaled**2).sum(axis=0)
    slopes: Floats = np.divide(
        (scaled**3).sum(axis=0), 6 * squares**1.5, out=np.zeros_like(squares), where=squares > 0
    )
    return slopes


Alternative = Literal["greater", "less", "different"]
"""What a test claims of a mean: above 0, below 0, or either."""

_NUMBERS_AT_ONCE = 2_000_000
_RATIOS_AT_ONCE = 16_000_000
_ROUNDING = 1e-9
_DIGITS = 9


@dataclass(frozen=True, slots=True, eq=False)
class ClusterTotals:
    """What G clusters hold of K columns: sums of values and numbers of defined ones, each of shape (G, K)."""

    sums: Floats
    sizes: Floats

    @property
    def means(self) -> Floats:
        """The mean of each column over its defined values; shape (K,), NaN where there are none."""
        return _ratio(self.sums.sum(axis=0), self.sizes.sum(axis=0))

    @property
    def clusters(self) -> NDArray[np.intp]:
        """How many clusters have a defined value in each column; shape (K,)."""
        counted: NDArray[np.intp] = np.count_nonzero(self.sizes, axis=0)
        return counted

    @property
    def vary(self) -> NDArray[np.bool_]:
        """Whether the means of a column's clusters differ by more than rounding; shape (K,)."""
        means = _ratio(self.sums, self.sizes)
        far = np.nanmax(np.abs(means - self.means), axis=0, initial=0.0)
        differ: NDArray[np.bool_] = far > _ROUNDING
        return differ


@dataclass(frozen=True, slots=True, eq=False)
class Bootstraps:
    """Bounds of the bootstrap intervals of K means, each of shape (K,), NaN where there is none."""

    low: Floats
    high: Floats
    bca_low: Floats
    bca_high: Floats

    def percentile(self, column: int) -> Interval | None:
        """The expanded percentile interval of a column."""
        return _interval(self.low[column], self.high[column])

    def bca(self, column: int) -> Interval | None:
        """The bias-corrected and accelerated interval of a column."""
        return _interval(self.bca_low[column], self.bca_high[column])


@dataclass(frozen=True, slots=True, eq=False)
class SignFlips:
    """p-values of K means, each of shape (K,), NaN below two clusters.

    `exact` tells where all patterns of signs were tried; elsewhere `draws` of them were.
    """

    greater: Floats
    less: Floats
    different: Floats
    exact: NDArray[np.bool_]
    draws: int

    def test(self, column: int, alternative: Alternative = "different") -> SignFlip | None:
        """The test of a column with its Monte Carlo error, None below two clusters."""
        by_name = {"greater": self.greater, "less": self.less, "different": self.different}
        p_value = float(by_name[alternative][column])
        if isnan(p_value):
            return None
        exact = bool(self.exact[column])
        return SignFlip(p_value, exact, 0.0 if exact else sqrt(p_value * (1 - p_value) / self.draws))


def cluster_totals(values: Floats, parts: Partition) -> ClusterTotals:
    """Sum the values (shape (n, K), or (n,) for one column) over clusters; NaN is undefined and left out.

    Each column has its clusters in an order of its own, by the size of their sum: those that are not 0 first,
    those without any defined value last.
    """
    table = np.asarray(values, np.float64).reshape(len(values), -1)
    n = len(table)
    if n != len(parts.codes):
        raise ValueError(f"{n} rows of values and {len(parts.codes)} clusters: there must be one a question.")
    member = csr_array((np.ones(n), (parts.codes, np.arange(n))), shape=(parts.size, n))
    defined = np.isfinite(table)
    sizes = member @ defined.astype(np.float64)
    sums = member @ np.where(defined, table, 0.0)
    rounded = np.round(sums, _DIGITS) + 0.0
    order = np.lexsort((rounded, sizes, np.abs(rounded), rounded == 0, sizes == 0), axis=0)
    return ClusterTotals(np.take_along_axis(sums, order, axis=0), np.take_along_axis(sizes, order, axis=0))


def cluster_bootstraps(
    totals: ClusterTotals,
    generator: np.random.Generator,
    draws: int = DRAWS,
    level: float = LEVEL,
    least: int = LEAST_TO_RESAMPLE,
) -> Bootstraps:
    """Intervals of the means of all columns when as many clusters are drawn with replacement, `draws` times.

    Whole clusters are drawn, since only they are independent (Efron and Tibshirani 1993, sections 8.3 and
    13.3; Davison and Hinkley 1997, section 3.8). The percentile interval has the tails of
    `intervals.expanded_tails`, wider than nominal where clusters are few or unequal, and so has BCa
    (Efron 1987), which besides corrects for bias, by the share of draws below the mean, and for a spread that
    changes with the mean, by the jackknife over clusters. NaN below `least` clusters, for intervals of fewer
    are too narrow, and where the means of all clusters are alike: then no draw shows any spread.
    """
    bounds = np.full((4, totals.sums.shape[1]), np.nan)
    usable = (totals.clusters >= max(2, least)) & totals.vary
    tails = expanded_tails(degrees_of_freedom(totals.sizes), level)
    means, slopes = totals.means, accelerations(totals.sums, totals.sizes)
    seed = int(generator.integers(2**63))
    block = max(1, _RATIOS_AT_ONCE // draws)
    for clusters in np.unique(totals.clusters[usable]).tolist():
        alike = np.flatnonzero(usable & (totals.clusters == clusters))
        for start in range(0, len(alike), block):
            chosen = alike[start : start + block]
            part = ClusterTotals(totals.sums[:clusters, chosen], totals.sizes[:clusters, chosen])
            ratios = _resampled_means(part, np.random.default_rng(seed), draws)
            for place, column in enumerate(chosen.tolist()):
                drawn = ratios[:, place]
                low, high = bca_tails(
                    drawn, float(means[column]), float(slopes[column]), float(tails[column])
                )
                bounds[:, column] = np.quantile(drawn, (tails[column], 1 - tails[column], low, high))
    return Bootstraps(*bounds)


def sign_flips(totals: ClusterTotals, generator: np.random.Generator, draws: int = DRAWS) -> SignFlips:
    """Tests that the mean of each column is 0, by flipping the signs of whole clusters.

    If two systems are alike, swapping their names within a cluster changes nothing, so every pattern of signs
    is equally likely (Fisher 1935, section 21; by cluster, Canay, Romano and Shaikh 2017). Patterns are
    ranked by Student's statistic, the mean over its clustered standard error as `clustered_means` has it: the
    test is as exact by it as by the total, and fewer patterns tie where clusters differ in size. A sum of 0
    has no sign: all patterns are tried where up to 20 clusters have another sum, else `draws` of them, and
    the observed one is counted too, (hits + 1) / (draws + 1), so that p is never 0 (Phipson and Smyth 2010).
    One-sided p-values are the shares of patterns with a statistic at least, or at most, the observed one.
    NaN below two clusters: one can't tell a difference from a whim.
    """
    seed = int(generator.integers(2**63))
    (greater, less, different), exact = sign_flip_p_values(totals.sums, totals.sizes, seed, draws)
    return SignFlips(greater, less, different, exact, draws)


def draw_counts(generator: np.random.Generator, clusters: int, draws: int) -> Iterator[Floats]:
    """How often each of G clusters is drawn when G are, with replacement: blocks of shape (rows, G).

    All blocks together have `draws` rows; a block has few enough for its G columns to fit into memory.
    """
    block = max(1, _NUMBERS_AT_ONCE // clusters)
    for start in range(0, draws, block):
        rows = min(block, draws - start)
        picked = generator.integers(clusters, size=(rows, clusters))
        picked += np.arange(rows)[:, None] * clusters
        counts = np.bincount(picked.ravel(), minlength=rows * clusters)
        yield counts.reshape(rows, clusters).astype(np.float64)


def _resampled_means(totals: ClusterTotals, generator: np.random.Generator, draws: int) -> Floats:
    ratios = np.empty((draws, totals.sums.shape[1]))
    start = 0
    for counts in draw_counts(generator, len(totals.sums), draws):
        end = start + len(counts)
        ratios[start:end] = _ratio(counts @ totals.sums, counts @ totals.sizes)
        start = end
    return ratios


def _ratio(above: Floats, below: Floats) -> Floats:
    ratios: Floats = np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
    return ratios


def _interval(low: np.float64, high: np.float64) -> Interval | None:
    return None if np.isnan(low) else Interval(float(low), float(high))
