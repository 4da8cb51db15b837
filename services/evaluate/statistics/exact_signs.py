"""How many patterns of signs give a sum that large: all 2^G of them, without adding each up."""

import numpy as np

from services.evaluate.statistics.groups import Floats

EXACT_UP_TO = 20
"""Clusters up to which all 2^G patterns are counted: a million."""


def share_at_least(sizes: Floats, bound: float) -> float:
    """The share of the 2^G patterns of signs for which Σ ± size is at least `bound`; `sizes` has shape (G,).

    The sizes are halved, each half's 2^(G/2) sums are listed, and for each sum of one half those of the
    other that reach the bound are counted by binary search (Horowitz and Sahni 1974).
    """
    middle = len(sizes) // 2
    first, second = _signed_sums(sizes[:middle]), np.sort(_signed_sums(sizes[middle:]))
    short = np.searchsorted(second, bound - first, side="left")
    return float(len(second) * len(first) - short.sum()) / (len(first) * len(second))


def _signed_sums(sizes: Floats) -> Floats:
    totals = np.zeros(1)
    for size in sizes:
        totals = np.concatenate((totals + size, totals - size))
    return totals
