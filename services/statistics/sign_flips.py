"""Student's statistic by cluster under flips of signs: how many patterns bring it as far as the data do.

The sums of clusters alone tie in many patterns where verdicts are right and wrong; their standard error
differs between patterns wherever clusters differ in size, so that fewer tie and p is finer.
"""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.statistics.groups import Floats
from services.statistics.intervals import left_over

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
        hits = drawn_hits(sums[:, rest], sizes[:, rest], seed, draws)
        p_values[:, rest] = (hits + 1) / (draws + 1)
    return p_values, exact


def drawn_hits(sums: Floats, sizes: Floats, seed: int, draws: int) -> Floats:
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
