"""How like a question each chunk is: by words and vectors, and by asking again with what was found first."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix

from kg.embed.protocol import Vectors
from services.rag.graph_search.allowed import Mask
from services.rag.graph_search.ranking import best_places
from services.rag.graph_search.settings import GraphSettings
from services.rag.graph_search.snapshot import Snapshot
from services.rag.graph_search.word_index import WordIndex, word_scores

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Likeness:
    """Scores of all chunks for one question: cosines, words (BM25), and both together in [0, 1].

    Chunks that the filters shut out have none.
    """

    cosines: Scores
    words: Scores
    joined: Scores


def likeness(
    snapshot: Snapshot, words: WordIndex, text: str, vector: Vectors, allowed: Mask, settings: GraphSettings
) -> Likeness:
    """The first round: cosine and BM25, each scaled to [0, 1] over the corpus."""
    cosines = (snapshot.chunks.vectors @ vector).astype(np.float64)
    found = word_scores(words, text)
    return Likeness(cosines, found, _joined(cosines, found, settings.vector_share) * allowed)


def follow_ups(
    snapshot: Snapshot,
    claims_of: csr_matrix,
    first: Likeness,
    text: str,
    vector: Vectors,
    settings: GraphSettings,
) -> list[tuple[int, str]]:
    """What to ask next: the first hits, each with the question and the hit's claim nearest to it.

    `claims_of` tells the claims of each chunk, shape (chunks, claims).
    """
    best = best_places(first.joined, settings.first_hits)
    return [
        (int(chunk), f"{text} {_nearest_claim(snapshot, claims_of, int(chunk), vector)}")
        for chunk in best
        if first.joined[chunk] > 0
    ]


def second_round(
    snapshot: Snapshot,
    words: WordIndex,
    first: Likeness,
    asked: Sequence[tuple[int, str]],
    vectors: Vectors,
    allowed: Mask,
    settings: GraphSettings,
) -> Scores:
    """Every chunk's best of the first round and of each follow-up, which counts as much as its hit did."""
    scores = first.joined
    if not asked:
        return scores
    cosines = (snapshot.chunks.vectors @ vectors.T).astype(np.float64)
    for column, (chunk, text) in enumerate(asked):
        again = _joined(cosines[:, column], word_scores(words, text), settings.vector_share) * allowed
        again[chunk] = 0
        scores = np.maximum(scores, settings.second_share * first.joined[chunk] * scaled(again))
    return scores


def scaled(scores: Scores) -> Scores:
    """Scores with the least at 0 and the greatest at 1; all 0 where they are equal."""
    if not len(scores):
        return scores
    low, high = scores.min(), scores.max()
    return (scores - low) / (high - low) if high > low else np.zeros_like(scores)


def _joined(cosines: Scores, words: Scores, vector_share: float) -> Scores:
    return vector_share * scaled(cosines) + (1 - vector_share) * scaled(words)


def _nearest_claim(snapshot: Snapshot, claims_of: csr_matrix, chunk: int, vector: Vectors) -> str:
    start, end = claims_of.indptr[chunk : chunk + 2]
    claims = claims_of.indices[start:end]
    if not len(claims):
        return snapshot.chunks.texts[chunk]
    nearest = claims[int(np.argmax(snapshot.claims.vectors[claims] @ vector))]
    return f"{snapshot.chunks.titles[chunk]}: {snapshot.claims.texts[nearest]}"
