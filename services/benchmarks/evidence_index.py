"""The articles of a corpus as evidence is looked up in them: by id, title, address and words."""

from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property
from math import log

import numpy as np
from numpy.typing import NDArray
from rapidfuzz import fuzz

from kg.store.graph import Row
from services.benchmarks.squeezed import Squeezer, span

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
    """The index over the rows of `benchmarks/read_articles`; articles without chunks are left out."""
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
