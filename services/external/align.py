"""From a text that a system retrieved to the chunks of ours that it stands for.

A text is looked for in this order, and the first way that finds it counts:

1. `id`: it has the id of one of our chunks; or of an article of ours, by our id or the article's own, and
   then it must hold the text, where there is one.
2. `text`: its letters and digits stand on end in an article, in one with its title or address first.
3. `like text`: enough of its shingles (`CONTAINED`) are in one article; or the text holds most (`HELD`) of
   the shingles of a chunk, as a long text with several articles in it does.
4. `title`: it has no text, but the title or the address of an article: then all that article's chunks.

Its chunks are those of which at least half lies in the text, so a whole article gives all its chunks, and a
text of two chunks gives two. Where there is none, because the text is a short passage, it is the chunk that
holds most of it. A text in more than `MOST_ARTICLES` articles says nothing, and one of fewer letters than
`SHORTEST` is only looked for where an id, a title or an address names its article. Thresholds were measured:
docs/decisions/0029-systems-of-ones-own.md.

The chunks of a corpus by their shingles: stretches of a few words, in which changed texts are recognised.

A shingle is `WORDS` words on end (Broder 1997), each word squeezed to its letters and digits.

The passages behind texts that another retriever found, for a generator of ours to read.
"""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray

from kg.errors import NothingToDoError, command
from kg.own_system import RetrievedText
from kg.queries import query
from kg.store.graph import Graph
from services.datasets.match_gold import EvidenceIndex, IndexedArticle, Stretch, index_articles
from services.rag.answering import read_passages
from services.rag.protocol import Passage
from services.statistics.intervals import Floats

WORDS = 4

Hashes = NDArray[np.uint64]
Numbers = NDArray[np.int64]

_SPREAD = np.uint64(0x9E3779B97F4A7C15)
_BASE = np.uint64(0xD6E8FEB86659FD93)
_SHIFT = np.uint64(29)


@dataclass(frozen=True, slots=True)
class SharedShingles:
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

    def count_shared(self, words: Sequence[str]) -> SharedShingles:
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
        return SharedShingles(len(found) + strange, np.repeat(np.arange(len(found)), counts), owners)


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


CONTAINED = 0.4
HELD = 0.8
EDGE = 8
"""Characters by which a stretch may miss a chunk at either end: punctuation there is not looked for."""
HALF = 0.5
FEWEST_SHINGLES = 8
SHORTEST = 40
MOST_ARTICLES = 5


@dataclass(frozen=True)
class Aligner:
    """Finds texts in the articles of a corpus, whose text it holds in memory; each text is looked up once."""

    index: EvidenceIndex

    def align(self, texts: Sequence[RetrievedText]) -> list[tuple[str, ...]]:
        """For each text the ids of its chunks in the order of the article, none where it is in no article."""
        return [self._align_cached(text) for text in texts]

    def _align_cached(self, text: RetrievedText) -> tuple[str, ...]:
        key = (text.chunk, text.title, text.url, text.text)
        if key not in self._cache:
            self._cache[key] = tuple(dict.fromkeys(self._chunks(text)))
        return self._cache[key]

    def _chunks(self, text: RetrievedText) -> list[str]:
        own = self.index.by_node.get(text.chunk) if text.chunk else None
        if own is not None and text.chunk != own.id:
            return [text.chunk]
        named = [own] if own is not None else self._by_given_id(text.chunk)
        titled = self._find_articles(text)
        if not self.index.squeezer.squeeze(text.text):
            return [chunk for article in named or titled for chunk, _, _ in article.chunks]
        for among in (named, titled):
            if stretches := self.index.holding(text.text, among):
                return _chunks_of(stretches)
        return self._anywhere(text.text, {article.id for article in (*named, *titled)})

    def _anywhere(self, text: str, named: set[str]) -> list[str]:
        letters = len(self.index.squeezer.squeeze(text))
        if letters < SHORTEST:
            return []
        stretches = self.index.holding(text, self.index.with_all_words(text))
        if stretches:
            return _chunks_of(stretches) if len(stretches) <= MOST_ARTICLES else []
        return self._alike(text, named)

    def _alike(self, text: str, named: set[str]) -> list[str]:
        """The chunks of a text that was changed on its way, by shingles."""
        shared = self._shingles.count_shared(self.index.squeezer.words(text))
        if shared.shingles < FEWEST_SHINGLES:
            return []
        held = self._share_by_chunk(shared)
        share = self._share_by_article(shared)
        enough = [int(at) for at in np.flatnonzero(share >= CONTAINED)]
        preferred = [at for at in enough if self.index.articles[at].id in named]
        best = preferred or [at for at in enough if share[at] == share.max()]
        chunks = [chunk for at in best for chunk in self._in_article(at, held, float(share[at]))]
        chunks += [int(at) for at in np.flatnonzero(held >= HELD) if at not in chunks]
        articles = {int(self._shingles.articles[chunk]) for chunk in chunks}
        if len(best) > MOST_ARTICLES or (not best and len(articles) > MOST_ARTICLES):
            return []
        return [self._shingles.chunks[chunk] for chunk in chunks]

    def _in_article(self, article: int, held: Floats, share: float) -> list[int]:
        """The chunks of an article that holds a text; `share` tells how much of the text was not changed."""
        own = np.flatnonzero(self._shingles.articles == article)
        covered = [int(chunk) for chunk in own if held[chunk] >= HALF * share]
        return covered or [int(own[np.argmax(held[own] * self._shingles.sizes[own])])]

    def _share_by_chunk(self, shared: SharedShingles) -> Floats:
        """Of each chunk the share of its shingles that the text has; 0 for chunks too short to tell."""
        sizes = self._shingles.sizes
        counts = np.bincount(shared.chunk, minlength=len(sizes))
        return np.where(sizes >= FEWEST_SHINGLES, counts / np.maximum(sizes, 1), 0.0)

    def _share_by_article(self, shared: SharedShingles) -> Floats:
        """Of each article the share of the text's shingles that it has."""
        articles: Numbers = self._shingles.articles[shared.chunk]
        pairs = np.unique(np.stack([shared.of_text, articles]), axis=1)[1] if len(articles) else articles
        return np.bincount(pairs, minlength=len(self.index.articles)) / shared.shingles

    def _by_given_id(self, given: str) -> list[IndexedArticle]:
        return list(self.index.by_given_id.get(given, ())) if given else []

    def _find_articles(self, text: RetrievedText) -> list[IndexedArticle]:
        found = [*(self.index.by_url.get(text.url, ()) if text.url else ())]
        if title := self.index.squeezer.squeeze(text.title):
            found += self.index.by_title.get(title, ())
        return list({article.id: article for article in found}.values())

    @cached_property
    def _cache(self) -> dict[tuple[str, str, str, str], tuple[str, ...]]:
        return {}

    @cached_property
    def _shingles(self) -> ShingleIndex:
        """Made only when a text stands nowhere as it is."""
        return index_shingles(self.index)


def open_aligner(graph: Graph, corpus: str) -> Aligner:
    """The aligner for a corpus; one statement reads it.

    Raises:
        NothingToDoError: the corpus has no chunks yet.
    """
    index = index_articles(graph.stream(query("articles/read_with_chunks"), corpus=corpus))
    if not index.articles:
        raise NothingToDoError(
            f"corpus {corpus!r} has no chunks yet, so no retrieved text can be found in it.",
            f"Build it: {command('corpus build --corpus', corpus)}",
        )
    return Aligner(index)


def _chunks_of(stretches: Sequence[Stretch]) -> list[str]:
    """The chunks of which at least half lies in a stretch, or the one that holds most of it.

    A stretch that is a chunk is that one only, however far its neighbours reach into it.
    """
    found: list[str] = []
    for article, start, end in stretches:
        whole = [
            id_ for id_, first, last in article.chunks if max(abs(first - start), abs(last - end)) <= EDGE
        ]
        if whole:
            found.append(whole[0])
            continue
        covers = [
            (min(end, last) - max(start, first), last - first, id_) for id_, first, last in article.chunks
        ]
        covered = [id_ for overlap, length, id_ in covers if overlap >= HALF * length]
        found += covered or [max(covers, key=lambda cover: cover[0])[2]]
    return found


def passage_finder(graph: Graph, corpus: str) -> Callable[[Sequence[RetrievedText]], Sequence[Passage]]:
    """From retrieved texts to the passages of their chunks, each once; a text in no chunk brings none.

    Raises:
        NothingToDoError: the corpus has no chunks yet.
    """
    aligner = open_aligner(graph, corpus)

    def find(texts: Sequence[RetrievedText]) -> Sequence[Passage]:
        chunks = dict.fromkeys(chunk for found in aligner.align(texts) for chunk in found)
        passages = read_passages(graph, list(chunks))
        return [passages[chunk] for chunk in chunks if chunk in passages]

    return find
