"""A confidence interval by drawing whole clusters anew: the cluster bootstrap."""

from math import sqrt

import numpy as np
from scipy.special import ndtr, stdtrit

from services.evaluate.statistics.groups import Floats
from services.evaluate.statistics.intervals import LEVEL, Interval

DRAWS = 10_000
_NUMBERS_AT_ONCE = 4_000_000


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
    block = max(1, _NUMBERS_AT_ONCE // len(kinds))
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
