"""The chunks of a corpus by their shingles: stretches of a few words, in which changed texts are recognised.

A shingle is `WORDS` words on end (Broder 1997), each word squeezed to its letters and digits.
"""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from services.benchmarks.evidence_index import EvidenceIndex, IndexedArticle

WORDS = 4

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.int64]

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_BASE = np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(29)


@dataclass(frozen=True, slots=True)
class Shared:
    """What a text shares with the chunks: `shingles` are the text's distinct ones, by their number from 0.

    Entry i says that the shingle `of_text[i]` stands in the chunk `chunk[i]`.
    """

    shingles: int
    of_text: Numbers
    chunk: Numbers


@dataclass(frozen=True, slots=True)
class ShingleIndex:
    """Every (shingle, chunk) of a corpus once, sorted by shingle; 12 bytes for each.

    `articles` and `chunks` tell of each chunk its article and its place in it, `sizes` how many distinct
    shingles it has.
    """

    numbers: dict[str, int]
    hashes: Hashes
    owners: NDArray[np.int32]
    articles: Numbers
    chunks: Sequence[str]
    sizes: Numbers

    def shared(self, words: Sequence[str]) -> Shared:
        """What a text of these words shares with each chunk."""
        known = np.asarray([self.numbers.get(word, -1) for word in words], np.int64)
        told = np.flatnonzero(_windows_without(known, -1))
        # A shingle with a word that the corpus lacks counts as the text's, and stands in no chunk.
        found = np.unique(_hashes(known)[told]) if len(told) else np.empty(0, np.uint64)
        strange = len({tuple(words[at : at + WORDS]) for at in _others(told, len(words) - WORDS + 1)})
        first = np.searchsorted(self.hashes, found, "left")
        counts = np.searchsorted(self.hashes, found, "right") - first
        places = np.repeat(first - np.cumsum(counts) + counts, counts) + np.arange(int(counts.sum()))
        owners = self.owners[places].astype(np.int64)
        return Shared(len(found) + strange, np.repeat(np.arange(len(found)), counts), owners)


def index_shingles(index: EvidenceIndex) -> ShingleIndex:
    """The shingles of all chunks of an index of articles."""
    numbers: dict[str, int] = {}
    hashes: list[Hashes] = []
    articles: list[int] = []
    chunks: list[str] = []
    for at, article in enumerate(index.articles):
        for chunk, words in _chunk_words(index, article):
            ids = np.asarray([numbers.setdefault(word, len(numbers)) for word in words], np.int64)
            hashes.append(np.unique(_hashes(ids)))
            articles.append(at)
            chunks.append(chunk)
    sizes = np.asarray([len(one) for one in hashes], np.int64)
    every = np.concatenate(hashes) if hashes else np.empty(0, np.uint64)
    owners = np.repeat(np.arange(len(chunks), dtype=np.int32), sizes)
    order = np.argsort(every, kind="stable")
    return ShingleIndex(numbers, every[order], owners[order], np.asarray(articles, np.int64), chunks, sizes)


def _chunk_words(index: EvidenceIndex, article: IndexedArticle) -> Iterable[tuple[str, list[str]]]:
    return ((chunk, index.squeezer.words(article.body[start:end])) for chunk, start, end in article.chunks)


def _hashes(ids: Numbers) -> Hashes:
    """A hash of every `WORDS` words on end, by the numbers of the words."""
    if len(ids) < WORDS:
        return np.empty(0, np.uint64)
    mixed = (ids.astype(np.uint64) + np.uint64(1)) * _SPREAD
    mixed ^= mixed >> _SHIFT
    total = np.zeros(len(ids) - WORDS + 1, np.uint64)
    for offset in range(WORDS):
        total = total * _BASE + mixed[offset : offset + len(total)]
    return total


def _windows_without(ids: Numbers, unwanted: int) -> NDArray[np.bool_]:
    """For every `WORDS` words on end whether none of them has this number."""
    if len(ids) < WORDS:
        return np.empty(0, np.bool_)
    return np.asarray(np.lib.stride_tricks.sliding_window_view(ids != unwanted, WORDS).all(axis=1))


def _others(told: Numbers, count: int) -> Iterable[int]:
    return sorted(set(range(max(0, count))) - set(told.tolist()))
