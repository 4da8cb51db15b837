"""Score intervals of rates, and of other means that lie in [0, 1], over questions in clusters.

    found = clustered_means(values, partition(clusters), least=0.0)      # values: (n, K), NaN where undefined
    rate_intervals(found).column(3).interval

Student's interval is symmetric, and falls short where a mean is near an end of its range: of a rate of .98
its observed spread says little.
"""

from dataclasses import replace

import numpy as np
from scipy.special import stdtrit

from services.evaluate.statistics.clustered_means import SAME, ClusteredMeans, divided
from services.evaluate.statistics.groups import Floats
from services.evaluate.statistics.intervals import LEVEL, score_bounds


def rate_intervals(found: ClusteredMeans, level: float = LEVEL) -> ClusteredMeans:
    """The same means with score intervals in place of Student's; values must lie in [0, 1].

    Wilson's formula with n* in place of n, as `intervals.cluster_interval` has it for verdicts:
    n* = p (1 - p) / max(v, v₀) · n / (n - 1) · (t[n - 1] / t[f])², with p the mean, v its variance by
    cluster, v₀ that of independent questions, f the degrees of freedom of v, and t the quantiles of Student's
    distribution. For verdicts p (1 - p) / v₀ is n - 1, so that lone questions have Wilson's own interval; for
    fractions, which spread less, n* is larger than n. Where all are 0 or all 1, n* is n² / Σ m² · (t[n - 1] /
    t[f])²; where all are another value the interval stays as it was, for no spread was seen.

    The naive interval is that with v₀, n - 1 and the normal quantile.
    """
    spread = found.mean * (1 - found.mean)
    independent, clustered = found.naive_error**2, found.standard_error**2
    few = (_quantile(found.n - 1, level) / _quantile(found.freedom, level)) ** 2
    scale = divided(spread * found.n, found.n - 1)
    at_end, inside = spread <= 0, independent * (found.n - 1) > SAME  # as clustered_means calls them unlike
    effective = np.where(at_end, found.effective_n, divided(scale, np.maximum(clustered, independent)))
    low, high = score_bounds(found.mean, effective * few, level)
    lone = np.where(at_end, found.n, divided(scale, independent))
    naive_low, naive_high = score_bounds(found.mean, lone, level)
    usable = (found.clusters >= 2) & (at_end | inside)
    return replace(
        found,
        low=np.where(usable, low, found.low),
        high=np.where(usable, high, found.high),
        naive_low=np.where(at_end | inside, naive_low, found.naive_low),
        naive_high=np.where(at_end | inside, naive_high, found.naive_high),
    )


def _quantile(freedom: Floats, level: float) -> Floats:
    return np.asarray(stdtrit(np.where(freedom > 0, freedom, np.nan), (1 + level) / 2), np.float64)
