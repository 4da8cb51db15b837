"""Cluster bootstrap and sign-flip test of many means at once: one partition, one set of draws for all.

    totals = cluster_totals(values, partition(clusters))      # values: (n, K), NaN where undefined
    found = cluster_bootstraps(totals, generator)             # intervals of K means
    tests = sign_flips(totals, generator)                     # p-values that K means are 0

A column is a measure of a system, or the difference of two systems in one. A paired difference is what
subtraction makes of two columns: NaN where either is. Everything undefined is NaN in arrays of shape (K,)
and None where one column is asked for.

The BCa interval: how far bias and acceleration shift the shares of resampled means that are left out.

A confidence interval by drawing whole clusters anew: the cluster bootstrap.
"""

from collections.abc import Iterator
from dataclasses import dataclass
from math import isnan, sqrt
from typing import Literal

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array
from scipy.special import ndtr, ndtri, stdtrit

from services.statistics.groups import Floats, Partition
from services.statistics.intervals import (
    LEAST_TO_RESAMPLE,
    LEVEL,
    Interval,
    degrees_of_freedom,
    expanded_tails,
)
from services.statistics.sign_flips import EXACT_UP_TO, SignFlip, drawn_hits, exact_p_values

DRAWS = 10_000
_DRAWS_AT_ONCE = 4_000_000


def cluster_bootstrap(
    sums: Floats, sizes: Floats, generator: np.random.Generator, draws: int = DRAWS, level: float = LEVEL
) -> Interval | None:
    """The percentile interval of Σ sums / Σ sizes when as many clusters are drawn with replacement.

    `sums` and `sizes` hold each of the G clusters' sum of values and number of questions (shape (G,)). Whole
    clusters are drawn, since only they are independent (Efron and Tibshirani 1993, sections 8.3 and 13.3;
    Davison and Hinkley 1997, section 3.8). Clusters of equal sum and size are interchangeable: how often each
    such kind is drawn is multinomial, which gives the same distribution at a fraction of the work. Plain
    percentiles are too narrow with few clusters, so the tails are those of the expanded percentile interval
    (Hesterberg 2015): Φ(-√(G / (G - 1)) t) for Student's quantile t on G - 1 degrees of freedom.
    None where there are fewer than two clusters.
    """
    clusters = len(sums)
    if clusters != len(sizes):
        raise ValueError(f"{clusters} sums and {len(sizes)} sizes: there must be one each a cluster.")
    if clusters < 2:
        return None
    kinds, counts = np.unique(np.column_stack((sums, sizes)), axis=0, return_counts=True)
    block = max(1, _DRAWS_AT_ONCE // len(kinds))
    ratios = np.empty(draws)
    for start in range(0, draws, block):
        end = min(start + block, draws)
        drawn = generator.multinomial(clusters, counts / clusters, size=end - start) @ kinds
        ratios[start:end] = drawn[:, 0] / drawn[:, 1]
    tail = expanded_tail(clusters, level)
    low, high = np.quantile(ratios, (tail, 1 - tail))
    return Interval(float(low), float(high))


def expanded_tail(clusters: int, level: float = LEVEL) -> float:
    """The share of draws that each side of the interval leaves out; (1 - level) / 2 for many clusters."""
    return float(ndtr(-sqrt(clusters / (clusters - 1)) * stdtrit(clusters - 1, (1 + level) / 2)))


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

    Clusters are put in an order that depends on their sums and sizes only, the first column first, so that
    neither their names nor the order of the questions changes what is drawn with a seed, nor do further
    columns what comes out of the first ones.
    """
    table = np.asarray(values, np.float64).reshape(len(values), -1)
    n = len(table)
    if n != len(parts.codes):
        raise ValueError(f"{n} rows of values and {len(parts.codes)} clusters: there must be one a question.")
    member = csr_array((np.ones(n), (parts.codes, np.arange(n))), shape=(parts.size, n))
    defined = np.isfinite(table)
    sizes = member @ defined.astype(np.float64)
    sums = member @ np.where(defined, table, 0.0)
    keys = [column for k in range(table.shape[1]) for column in (sums[:, k], sizes[:, k])]
    order = np.lexsort([np.round(column, _DIGITS) + 0.0 for column in reversed(keys)])
    return ClusterTotals(sums[order], sizes[order])


def cluster_bootstraps(
    totals: ClusterTotals,
    generator: np.random.Generator,
    draws: int = DRAWS,
    level: float = LEVEL,
    least: int = LEAST_TO_RESAMPLE,
) -> Bootstraps:
    """Intervals of the means of all columns when as many clusters are drawn with replacement, `draws` times.

    The same draws serve every column. The percentile interval has the tails of `few_clusters.expanded_tails`,
    wider than nominal where clusters are few or unequal, and so has BCa (Efron 1987), which besides corrects
    for bias, by the share of draws below the mean, and for a spread that changes with the mean, by the
    jackknife over clusters. A draw in which no value of a column is defined is left out for that column.
    NaN below `least` clusters, for intervals of fewer are too narrow, and where the means of all clusters are
    alike: then no draw shows any spread.
    """
    columns = totals.sums.shape[1]
    bounds = np.full((4, columns), np.nan)
    usable = np.flatnonzero((totals.clusters >= max(2, least)) & totals.vary)
    tails = expanded_tails(degrees_of_freedom(totals.sizes), level)
    means, slopes = totals.means, accelerations(totals.sums, totals.sizes)
    seed = int(generator.integers(2**63))
    block = max(1, _RATIOS_AT_ONCE // draws)
    for start in range(0, len(usable), block):
        chosen = usable[start : start + block]
        part = ClusterTotals(totals.sums[:, chosen], totals.sizes[:, chosen])
        ratios = _resampled_means(part, np.random.default_rng(seed), draws)
        for place, column in enumerate(chosen.tolist()):
            drawn = ratios[np.isfinite(ratios[:, place]), place]
            low, high = bca_tails(drawn, float(means[column]), float(slopes[column]), float(tails[column]))
            bounds[:, column] = np.quantile(drawn, (tails[column], 1 - tails[column], low, high))
    return Bootstraps(*bounds)


def sign_flips(totals: ClusterTotals, generator: np.random.Generator, draws: int = DRAWS) -> SignFlips:
    """Tests that the mean of each column is 0, by flipping the signs of whole clusters.

    If two systems are alike, swapping their names within a cluster changes nothing, so every pattern of signs
    is equally likely (see `sign_flip.sign_flip`). Patterns are ranked by Student's statistic, the mean over
    its clustered standard error as `clustered_means` has it: the test is as exact by it as by the total
    (Canay, Romano and Shaikh 2017), and fewer patterns tie where clusters differ in size. All are tried where
    up to 20 clusters have a sum other than 0, and `draws` of them, the same for all columns, where more have.
    One-sided p-values are the shares of patterns with a statistic at least, or at most, the observed one.
    """
    columns = totals.sums.shape[1]
    p_values = np.full((3, columns), np.nan)
    usable = totals.clusters >= 2
    bearing = np.count_nonzero(totals.sums, axis=0)
    exact = usable & (bearing <= EXACT_UP_TO)
    for column in np.flatnonzero(exact).tolist():
        p_values[:, column] = exact_p_values(totals.sums[:, column], totals.sizes[:, column])
    drawn = np.flatnonzero(usable & ~exact)
    if len(drawn):
        hits = drawn_hits(totals.sums[:, drawn], totals.sizes[:, drawn], generator, draws)
        p_values[:, drawn] = (hits + 1) / (draws + 1)
    greater, less, different = p_values
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
    sizes, place = np.unique(totals.sizes, axis=1, return_inverse=True)
    ratios = np.empty((draws, totals.sums.shape[1]))
    start = 0
    for counts in draw_counts(generator, len(sizes), draws):
        end = start + len(counts)
        ratios[start:end] = _ratio(counts @ totals.sums, (counts @ sizes)[:, place.ravel()])
        start = end
    return ratios


def _ratio(above: Floats, below: Floats) -> Floats:
    ratios: Floats = np.divide(above, below, out=np.full(above.shape, np.nan), where=below > 0)
    return ratios


def _interval(low: np.float64, high: np.float64) -> Interval | None:
    return None if np.isnan(low) else Interval(float(low), float(high))
