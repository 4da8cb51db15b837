"""From scores of all chunks to the best of those that the filters let through."""

import numpy as np
from numpy.typing import NDArray

from services.rag.graph_search.allowed import Mask

DIGITS = 6
"""Significant digits of a score; scores that agree in them are equal, and the chunk's id decides."""

Scores = NDArray[np.float64]


def best_first(scores: Scores, allowed: Mask, limit: int) -> list[tuple[int, float]]:
    """The `limit` best allowed chunks with their scores, best first, without those that have none."""
    found = np.flatnonzero(allowed & (scores > 0))
    rounded = significant(scores[found])
    # Chunks stand in the order of their ids, and a stable sort keeps it among equals.
    order = np.argsort(-rounded, kind="stable")[:limit]
    return [(int(found[at]), float(rounded[at])) for at in order]


def best_places(scores: Scores, count: int) -> NDArray[np.int64]:
    """Where the `count` greatest scores stand, the greatest first, equal ones in their order.

    As a stable sort of all, in a time that grows with their number alone.
    """
    places = np.arange(len(scores))
    if 0 < count < len(scores):
        places = np.flatnonzero(scores >= np.partition(scores, -count)[-count])
    return places[np.argsort(-scores[places], kind="stable")[:count]]


def significant(scores: Scores) -> Scores:
    """Positive numbers to `DIGITS` significant digits: what the noise of an engine adds is gone."""
    unit = 10.0 ** (np.floor(np.log10(scores)) - (DIGITS - 1))
    return np.round(scores / unit) * unit


def shown(value: float) -> float:
    """A score's part to `DIGITS` significant digits."""
    return float(f"{value:.{DIGITS}g}")
