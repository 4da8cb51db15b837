"""Shares and mean changes over judgements, of which those on questions of one cluster are not independent."""

from collections.abc import Sequence
from math import sqrt

import numpy as np
from scipy.special import stdtrit

from services.evaluate.statistics.groups import partition
from services.evaluate.statistics.intervals import (
    LEVEL,
    cluster_interval,
    clustered_variance,
    share_interval,
    wilson,
)
from services.standard.calibration.values import Figure


def share(hits: Sequence[bool], clusters: Sequence[str]) -> Figure | None:
    """A share with its clustered score interval, None over nothing."""
    interval = share_interval(hits, clusters)
    if interval is None:
        return None
    return Figure(sum(hits) / len(hits), interval.low, interval.high, len(hits))


def youden(sensitivity: Figure | None, specificity: Figure | None) -> Figure | None:
    """Sensitivity + specificity - 1 (Youden 1950), None where one of them is.

    The bounds are the sums of theirs: exact where the two move together, as they may on the same questions,
    and too wide otherwise.
    """
    if sensitivity is None or specificity is None:
        return None
    return Figure(
        sensitivity.value + specificity.value - 1,
        sensitivity.low + specificity.low - 1,
        sensitivity.high + specificity.high - 1,
        sensitivity.n + specificity.n,
    )


def mean_change(changes: Sequence[float], clusters: Sequence[str]) -> Figure | None:
    """The mean of changes in [-1, 1] with its clustered t interval, None over nothing.

    Where all changes are alike, or all are of one cluster, they show no spread; then the interval is what
    the score interval of a share of 0 leaves open for pairs that change otherwise.
    """
    n = len(changes)
    if not n:
        return None
    parts = partition(clusters)
    values = np.asarray(changes, np.float64)
    mean = float(values.mean())
    variance = clustered_variance(parts.sums(values - mean), n) if parts.size > 1 else 0.0
    if variance > 0:
        half = float(stdtrit(parts.size - 1, (1 + LEVEL) / 2)) * sqrt(variance)
    else:
        unseen = cluster_interval([False] * n, clusters) or wilson(0, 1)
        half = unseen.high * (1 + abs(mean)) if unseen else 1.0
    return Figure(mean, max(-1.0, mean - half), min(1.0, mean + half), n)
