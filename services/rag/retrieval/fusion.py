"""From several rankings of chunks to one; neither the order of rankings nor that of their hits matters."""

from bisect import bisect_left
from collections import defaultdict
from collections.abc import Mapping, Sequence
from math import fsum

from services.rag.protocol import Hit

SMOOTHING = 60
"""The k of reciprocal rank fusion in the paper that brought it."""


def reciprocal_rank_fusion(rankings: Mapping[str, Sequence[Hit]], smoothing: int = SMOOTHING) -> list[Hit]:
    """Chunks by the sum of 1 / (k + rank) over the rankings that have them, best first, ties by id.

    Equal scores of a ranking share the rank of the first of them. `parts` are the summands by ranking.
    Cormack, Clarke and Büttcher, "Reciprocal Rank Fusion outperforms Condorcet", SIGIR 2009.
    """
    return _fused({name: _reciprocal_ranks(hits, smoothing) for name, hits in rankings.items()})


def min_max_fusion(rankings: Mapping[str, Sequence[Hit]], weights: Mapping[str, float]) -> list[Hit]:
    """Chunks by the weighted sum of scores that are scaled to [0, 1] a ranking, best first, ties by id.

    The lowest score of a ranking becomes 0, as if it did not have the chunk; where all are equal they become
    1. `parts` are the summands by ranking.
    """
    return _fused({name: _scaled(hits, weights[name]) for name, hits in rankings.items()})


def _reciprocal_ranks(hits: Sequence[Hit], smoothing: int) -> dict[str, float]:
    scores = sorted(-hit.score for hit in hits)
    return {hit.chunk: 1 / (smoothing + 1 + bisect_left(scores, -hit.score)) for hit in hits}


def _scaled(hits: Sequence[Hit], weight: float) -> dict[str, float]:
    scores = [hit.score for hit in hits]
    lowest, highest = min(scores, default=0.0), max(scores, default=0.0)
    if lowest == highest:
        return {hit.chunk: weight for hit in hits}
    return {hit.chunk: weight * (hit.score - lowest) / (highest - lowest) for hit in hits}


def _fused(summands: Mapping[str, Mapping[str, float]]) -> list[Hit]:
    parts: dict[str, list[tuple[str, float]]] = defaultdict(list)
    for name in sorted(summands):
        for chunk, value in summands[name].items():
            parts[chunk].append((name, round(value, 6)))
    hits = [
        Hit(chunk, round(fsum(value for _, value in found), 6), tuple(found))
        for chunk, found in parts.items()
    ]
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk))
