"""BM25 by the library bm25s: the words of title and text, in memory."""

from collections.abc import Sequence

import bm25s
import numpy as np

from services.benchmarks.ranking import BenchmarkPassage, Rank


def bm25_ranker(passages: Sequence[BenchmarkPassage], limit: int) -> Rank:
    """Ranks chunks by BM25 with the library's defaults (k1 1.5, b .75, English stop words, no stemming).

    A chunk that has no word of the question is not retrieved; equal scores are ordered by chunk id.
    """
    ordered = sorted(passages, key=lambda passage: passage.chunk)
    index = bm25s.BM25()
    index.index(_words([passage.whole for passage in ordered]), show_progress=False)

    def rank(question: str) -> list[str]:
        scores: np.ndarray[tuple[int], np.dtype[np.float32]] = index.get_scores(_words([question])[0])
        best = np.argsort(-scores, kind="stable")[:limit]
        return [ordered[place].chunk for place in best if scores[place] > 0]

    return rank


def _words(texts: Sequence[str]) -> list[list[str]]:
    words: list[list[str]] = bm25s.tokenize(list(texts), return_ids=False, show_progress=False)
    return words
