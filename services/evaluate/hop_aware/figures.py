"""A mean over answers with an interval that takes only clusters of answers for independent."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import fsum, sqrt

import numpy as np
from scipy.special import stdtrit

from services.evaluate.matrix import SMALL
from services.evaluate.statistics.groups import partition
from services.evaluate.statistics.intervals import LEVEL, Interval, clustered_variance, share_interval


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean of `n` values, None where there are none; `interval` is None where nothing can be said of it."""

    n: int
    value: float | None
    interval: Interval | None

    @property
    def small(self) -> bool:
        """Whether there are too few to say anything."""
        return self.n < SMALL


def share(hits: Sequence[bool], clusters: Sequence[str]) -> Figure:
    """The share of hits; its interval is by cluster, or Wilson's with fewer than two clusters."""
    n = len(hits)
    return Figure(n, sum(hits) / n if n else None, share_interval(hits, clusters))


def mean(
    values: Sequence[float], clusters: Sequence[str], low: float = 0.0, high: float | None = None
) -> Figure:
    """The mean of values that lie between `low` and `high`, with m ± t·√v cut at these bounds.

    v is the cluster-robust variance of a mean (Liang and Zeger 1986) and t Student's quantile on G - 1
    degrees of freedom for G clusters. With one cluster there is no interval.
    """
    n = len(values)
    if not n:
        return Figure(0, None, None)
    found = fsum(values) / n
    parts = partition(clusters)
    if parts.size < 2:
        return Figure(n, found, None)
    variance = clustered_variance(parts.sums(np.asarray(values, np.float64) - found), n)
    half = float(stdtrit(parts.size - 1, (1 + LEVEL) / 2)) * sqrt(variance)
    top = found + half if high is None else min(high, found + half)
    return Figure(n, found, Interval(max(low, found - half), top))
