"""BM25 over the chunks of a snapshot, in memory: every chunk scored for a question at once."""

from array import array
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix

from services.rag.graph_search.link import FUNCTION_WORDS, words_of

K1 = 1.2
B = 0.75
"""The usual constants (Robertson and Zaragoza, The Probabilistic Relevance Framework, 2009, section 3.2)."""

_STOP = """
be been being to into not no do does did has have had having will would can could than then so such also about
over under up out s
"""
STOP_WORDS = FUNCTION_WORDS | frozenset(_STOP.split())

Scores = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class WordIndex:
    """What each term adds to the score of each chunk, shape (chunks, terms), and the column of each term."""

    terms: dict[str, int]
    scores: csc_matrix


def word_index(texts: Iterable[str]) -> WordIndex:
    """The index of texts."""
    terms: dict[str, int] = {}
    rows, columns, counts, lengths = array("i"), array("i"), array("i"), array("i")
    for row, text in enumerate(texts):
        found = Counter(terms_of(text))
        lengths.append(found.total())
        for term, count in found.items():
            rows.append(row)
            columns.append(terms.setdefault(term, len(terms)))
            counts.append(count)
    size, length = len(lengths), np.array(lengths, dtype=np.float64)
    frequency = np.bincount(columns, minlength=len(terms)) if columns else np.zeros(0)
    rarity = np.log(1 + (size - frequency + 0.5) / (frequency + 0.5))
    times, row_of, term_of = (
        np.array(counts, np.float64),
        np.array(rows, np.int32),
        np.array(columns, np.int32),
    )
    mean = float(length.mean()) if size and length.any() else 1.0
    values = rarity[term_of] * times / (times + K1 * (1 - B + B * length[row_of] / mean))
    return WordIndex(
        terms, csc_matrix((values.astype(np.float32), (row_of, term_of)), shape=(size, len(terms)))
    )


def word_scores(index: WordIndex, text: str) -> Scores:
    """The BM25 score of every chunk, shape (chunks,)."""
    scores: Scores = np.zeros(index.scores.shape[0])
    matrix = index.scores
    for term in sorted(set(terms_of(text)) & index.terms.keys()):
        column = index.terms[term]
        start, end = matrix.indptr[column : column + 2]
        scores[matrix.indices[start:end]] += matrix.data[start:end]
    return scores


def terms_of(text: str) -> Sequence[str]:
    """The terms of a text: plain words without stop words, plurals cut to the singular."""
    return [_singular(word.plain) for word in words_of(text) if word.plain not in STOP_WORDS]


def _singular(word: str) -> str:
    """Harman's S-stemmer (How Effective is Suffixing?, 1991), which never touches short words."""
    if len(word) <= 4 or not word.endswith("s"):
        return word
    if word.endswith("ies"):
        return word[:-3] + "y"
    if word.endswith("es") and word[-3] in "sxzh":
        return word[:-2]
    return word if word.endswith(("ss", "us", "is")) else word[:-1]
