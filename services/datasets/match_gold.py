"""Finds the evidence of a question set in a corpus: which chunks hold each piece of it.

A piece is looked for in this order, and the first way that finds it counts:

1. `id`: the article with the set's id, or our own article or chunk with that id.
2. `title and text`: the text, but for blanks, punctuation, case and accents, in an article with the title or
   the address.
3. `title`: an article with the title or address, for a piece without text. A sentence's number alone counts
   in the set's own split, which the corpus doesn't keep, so that every chunk of the article will do.
4. `text`: the text, as in 2, anywhere in the corpus.
5. `like text, by title`: the stretch most like the text in the articles of 2, from `LIKE_BY_TITLE` on.
6. `like text`: the same in the articles that share most words with it, from `LIKE` on, for texts of at least
   `SHORTEST_LIKE` letters and digits.

Likeness is rapidfuzz's partial ratio. The thresholds are from changed sentences of HotpotQA
(docs/decisions/0024-importing-benchmarks.md).

Texts as evidence is compared: letters and digits alone, so that blanks, quotes and dashes don't matter.

The articles of a corpus as evidence is looked up in them: by id, title, address and words.
"""

import re
import unicodedata
from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from kg.errors import NothingToDoError, command
from kg.model import Reject
from kg.queries import query
from kg.store.graph import Graph, Row
from services.datasets.question import BenchmarkQuestion, Gold

_WORD = re.compile(r"[^\W_]+")


class _Squeezing(dict[int, str]):
    """What becomes of each character, worked out when it is first met."""

    def __missing__(self, character: int) -> str:
        plain = unicodedata.normalize("NFKD", chr(character)).casefold()
        kept = "".join(one for one in plain if one.isalnum())
        self[character] = kept
        return kept


@dataclass(frozen=True, slots=True)
class Squeezer:
    """Squeezes texts: compatibility forms unfolded, accents and case dropped, nothing but letters and digits.

    Each character is squeezed by itself, so that a place in a squeezed text has a place in the text.
    """

    _table: _Squeezing = field(default_factory=_Squeezing)

    def squeeze(self, text: str) -> str:
        """The letters and digits of a text."""
        return text.translate(self._table)

    def words(self, text: str) -> list[str]:
        """The words of a text, each squeezed."""
        return [word for word in (self.squeeze(found) for found in _WORD.findall(text)) if word]

    def ends(self, text: str) -> NDArray[np.int32]:
        """For each character of a text how long the squeezed text is behind it, shape (characters,)."""
        return np.cumsum([len(self._table[ord(character)]) for character in text], dtype=np.int32)


def span(ends: NDArray[np.int32], start: int, end: int) -> tuple[int, int]:
    """The stretch of a text whose squeezed form lies from `start` to `end`, exclusive, in the text's."""
    first, last = np.searchsorted(ends, [start + 1, end])
    return int(first), int(last) + 1


MOST_ALIKE = 10
"""How many articles are compared letter by letter with a text that stands in none as it is."""


@dataclass(frozen=True, slots=True)
class IndexedArticle:
    """An article with its squeezed body; `chunks` are (id, start, end) in the order of their starts."""

    id: str
    body: str
    squeezed: str
    chunks: tuple[tuple[str, int, int], ...]


Stretch = tuple[IndexedArticle, int, int]
"""An article with a stretch of its body, end exclusive."""


@dataclass(frozen=True)
class EvidenceIndex:
    """The articles of a corpus with the ways to them; all their text is held in memory, once squeezed."""

    squeezer: Squeezer
    articles: Sequence[IndexedArticle]
    by_given_id: Mapping[str, Sequence[IndexedArticle]]
    by_title: Mapping[str, Sequence[IndexedArticle]]
    by_url: Mapping[str, Sequence[IndexedArticle]]
    by_node: Mapping[str, IndexedArticle]
    """By our ids of the article and of its chunks."""

    def holding(self, text: str, among: Iterable[IndexedArticle]) -> list[Stretch]:
        """The articles that hold a text, but for blanks, punctuation, case and accents, and where they do."""
        wanted = self.squeezer.squeeze(text)
        found = []
        for article in among:
            at = article.squeezed.find(wanted) if wanted else -1
            if at >= 0:
                found.append((article, *self._span(article, at, at + len(wanted))))
        return found

    def most_alike(self, text: str, among: Iterable[IndexedArticle], least: float) -> list[Stretch]:
        """The stretch most like a text, of the first article that has it; none below `least` of 100.

        Likeness is rapidfuzz's partial ratio over letters and digits: 100 (1 - d / 2n) for the best stretch
        as long as the text, d being its insertions and deletions and n the text's length.
        """
        wanted = self.squeezer.squeeze(text)
        best: list[Stretch] = []
        for article in among:
            alike = fuzz.partial_ratio_alignment(wanted, article.squeezed, score_cutoff=least)
            # A body shorter than the text would be looked for in it, the other way round.
            if alike is None or len(article.squeezed) < len(wanted) * least / 100:
                continue
            if not best or alike.score > least:
                least = alike.score
                best = [(article, *self._span(article, alike.dest_start, alike.dest_end))]
        return best

    def with_all_words(self, text: str) -> list[IndexedArticle]:
        """The articles that have every word inside a text; its first and last may be cut."""
        words = self.squeezer.words(text)
        inner = sorted(set(words[1:-1] or words), key=lambda word: len(self._postings.get(word, ())))
        if not inner:
            return []
        found = set(self._postings.get(inner[0], ()))
        for word in inner[1:]:
            found &= set(self._postings.get(word, ()))
        return [self.articles[at] for at in sorted(found)]

    def with_most_words(self, text: str) -> list[IndexedArticle]:
        """The few articles that share most of a text's words, rare ones counting more."""
        scores: defaultdict[int, float] = defaultdict(float)
        for word in set(self.squeezer.words(text)):
            holders = self._postings.get(word, ())
            weight = log((1 + len(self.articles)) / (1 + len(holders)))
            for at in holders:
                scores[at] += weight
        best = sorted(scores, key=lambda at: (-scores[at], at))[:MOST_ALIKE]
        return [self.articles[at] for at in best]

    def _span(self, article: IndexedArticle, start: int, end: int) -> tuple[int, int]:
        if article.id not in self._ends:
            self._ends[article.id] = self.squeezer.ends(article.body)
        return span(self._ends[article.id], start, end)

    @cached_property
    def _ends(self) -> dict[str, NDArray[np.int32]]:
        """Of the articles in which something was found: where their characters lie in the squeezed body."""
        return {}

    @cached_property
    def _postings(self) -> Mapping[str, Sequence[int]]:
        """The articles of each word: made only when a text is looked for in the whole corpus."""
        postings: defaultdict[str, list[int]] = defaultdict(list)
        for at, article in enumerate(self.articles):
            for word in sorted(set(self.squeezer.words(article.body))):
                postings[word].append(at)
        return postings


def index_articles(rows: Iterable[Row]) -> EvidenceIndex:
    """The index over the rows of `articles/read_with_chunks`; articles without chunks are left out."""
    squeezer = Squeezer()
    articles: list[IndexedArticle] = []
    by_given_id, by_title, by_url = (defaultdict[str, list[IndexedArticle]](list) for _ in range(3))
    by_node: dict[str, IndexedArticle] = {}
    for row in rows:
        if not row["chunks"]:
            continue
        chunks = tuple((chunk["id"], chunk["start"], chunk["end"]) for chunk in row["chunks"])
        article = IndexedArticle(row["id"], row["body"], squeezer.squeeze(row["body"]), chunks)
        articles.append(article)
        for id_ in row["given_ids"]:
            by_given_id[id_].append(article)
        if title := squeezer.squeeze(row["title"]):
            by_title[title].append(article)
        if row["url"]:
            by_url[row["url"]].append(article)
        for node in (article.id, *(chunk for chunk, _, _ in chunks)):
            by_node[node] = article
    return EvidenceIndex(squeezer, articles, by_given_id, by_title, by_url, by_node)


Group = tuple[str, ...]
"""Ids, sorted, of which any one counts as having found a piece of evidence."""

LIKE_BY_TITLE = 80.0
LIKE = 90.0
SHORTEST_LIKE = 40

_MOST_SHOWN = 80


@dataclass(frozen=True, slots=True)
class FoundGold:
    """A piece of evidence in the corpus: its chunks, the articles of those, and the way that found it."""

    gold: Gold
    chunks: Group
    articles: Group
    way: str


@dataclass(frozen=True, slots=True)
class MatchedQuestion:
    """A question with what was found of its evidence and what was not."""

    question: BenchmarkQuestion
    gold_found: tuple[FoundGold, ...]
    missing: tuple[Gold, ...]

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of chunks, each once: two facts of one chunk are one group."""
        return tuple(dict.fromkeys(found.chunks for found in self.gold_found))

    @property
    def article_groups(self) -> tuple[Group, ...]:
        """The groups of articles, each once: two sentences of one article are one group."""
        return tuple(dict.fromkeys(found.articles for found in self.gold_found))


def match_gold(
    graph: Graph, corpus: str, questions: Iterable[BenchmarkQuestion]
) -> tuple[MatchedQuestion, ...]:
    """The evidence of `questions` as chunks of a corpus; the corpus' text is held in memory meanwhile.

    Raises:
        NothingToDoError: the corpus has no chunks yet.
    """
    index = index_articles(graph.stream(query("articles/read_with_chunks"), corpus=corpus))
    if not index.articles:
        raise NothingToDoError(
            f"corpus {corpus!r} has no chunks yet, so no evidence can be found in it.",
            f"Build it: {command('corpus build --corpus', corpus)}",
        )
    return match_in(index, questions)


def match_in(index: EvidenceIndex, questions: Iterable[BenchmarkQuestion]) -> tuple[MatchedQuestion, ...]:
    """The evidence of `questions`, in their order, as chunks of the articles in an index."""
    matched: list[MatchedQuestion] = []
    for question in questions:
        looked_up = [(gold, _find(index, gold)) for gold in question.gold]
        missing = tuple(gold for gold, found in looked_up if found is None)
        matched.append(
            MatchedQuestion(question, tuple(found for _, found in looked_up if found is not None), missing)
        )
    return tuple(matched)


def unmatched_evidence(questions: Iterable[MatchedQuestion]) -> tuple[Reject, ...]:
    """Every piece of evidence that was not found, with the place of its question and the reason."""
    return tuple(
        Reject(
            matched.question.place,
            f"question {matched.question.id!r}: its evidence is not in the corpus: {_gold_text(one)}",
        )
        for matched in questions
        for one in matched.missing
    )


def _find(index: EvidenceIndex, gold: Gold) -> FoundGold | None:
    for way, stretches in _ways(index, gold):
        if stretches:
            chunks = {chunk for stretch in stretches for chunk in _chunks_of(*stretch)}
            articles = {article.id for article, _, _ in stretches}
            return FoundGold(gold, tuple(sorted(chunks)), tuple(sorted(articles)), way)
    return None


def _ways(index: EvidenceIndex, gold: Gold) -> Iterator[tuple[str, Sequence[Stretch]]]:
    """What each way finds, the surest first; a later one is not tried before it is asked for."""
    text = gold.text
    yield "id", _by_id(index, gold)
    titled = _find_articles(index, gold)
    if not text:
        yield "title", [_whole(article) for article in titled]
        return
    yield "title and text", index.holding(text, titled)
    yield "text", index.holding(text, index.with_all_words(text))
    yield "like text, by title", index.most_alike(text, titled, LIKE_BY_TITLE)
    if len(index.squeezer.squeeze(text)) >= SHORTEST_LIKE:
        yield "like text", index.most_alike(text, index.with_most_words(text), LIKE)


def _by_id(index: EvidenceIndex, gold: Gold) -> list[Stretch]:
    """What has the piece's id; of an article that holds its text too, only the text's stretch."""
    if not gold.given_id:
        return []
    articles = index.by_given_id.get(gold.given_id, ())
    if not articles and (article := index.by_node.get(gold.given_id)):
        own = [(article, start, end) for id_, start, end in article.chunks if id_ == gold.given_id]
        if own:
            return own
        articles = [article]
    return index.holding(gold.text, articles) or [_whole(article) for article in articles]


def _find_articles(index: EvidenceIndex, gold: Gold) -> list[IndexedArticle]:
    """The articles with the piece's address or its title, each once."""
    found: list[IndexedArticle] = [*index.by_url.get(gold.url, ())]
    found += index.by_title.get(index.squeezer.squeeze(gold.title), ())
    return list({article.id: article for article in found}.values())


def _whole(article: IndexedArticle) -> Stretch:
    return article, 0, len(article.body)


def _chunks_of(article: IndexedArticle, start: int, end: int) -> list[str]:
    """The chunks that hold a stretch whole; where none does, those that hold half of it or lie half in it."""
    holding = [id_ for id_, first, last in article.chunks if first <= start and end <= last]
    if holding:
        return holding
    shared = [
        (min(end, last) - max(start, first), min(end - start, last - first), id_)
        for id_, first, last in article.chunks
    ]
    halves = [id_ for overlap, shorter, id_ in shared if 2 * overlap >= shorter]
    return halves or [max(shared)[2]]


def _gold_text(gold: Gold) -> str:
    """What a piece of evidence is, in one line."""
    parts = (("id", gold.given_id), ("title", gold.title), ("url", gold.url), ("text", gold.text))
    shown = (f"{name} {_short(value)!r}" for name, value in parts if value)
    return ", ".join(shown) or "it says nothing"


def _short(value: str) -> str:
    words = " ".join(value.split())
    return words if len(words) <= _MOST_SHOWN else words[: _MOST_SHOWN - 3] + "..."
