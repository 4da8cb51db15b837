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
"""

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from shlex import quote

from kg.errors import NothingToDoError
from kg.model import Reject
from kg.queries import query
from kg.store.graph import Graph
from services.benchmarks.evidence_index import EvidenceIndex, IndexedArticle, Stretch, index_articles
from services.benchmarks.question import BenchmarkQuestion, Gold

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
    found: tuple[FoundGold, ...]
    missing: tuple[Gold, ...]

    @property
    def groups(self) -> tuple[Group, ...]:
        """The groups of chunks, each once: two facts of one chunk are one group."""
        return tuple(dict.fromkeys(found.chunks for found in self.found))

    @property
    def article_groups(self) -> tuple[Group, ...]:
        """The groups of articles, each once: two sentences of one article are one group."""
        return tuple(dict.fromkeys(found.articles for found in self.found))


@dataclass(frozen=True, slots=True)
class Matched:
    """The questions in their order, and every piece of evidence that was not found, with place and reason."""

    questions: tuple[MatchedQuestion, ...]
    unmatched: tuple[Reject, ...]


def match_gold(graph: Graph, corpus: str, questions: Iterable[BenchmarkQuestion]) -> Matched:
    """The evidence of `questions` as chunks of a corpus; the corpus' text is held in memory meanwhile.

    Raises:
        NothingToDoError: the corpus has no chunks yet.
    """
    index = index_articles(graph.stream(query("benchmarks/read_articles"), corpus=corpus))
    if not index.articles:
        raise NothingToDoError(
            f"corpus {corpus!r} has no chunks yet, so no evidence can be found in it.",
            f"Build it: kg corpus build --corpus {quote(corpus)}",
        )
    return match_in(index, questions)


def match_in(index: EvidenceIndex, questions: Iterable[BenchmarkQuestion]) -> Matched:
    """The evidence of `questions` as chunks of the articles in an index."""
    matched: list[MatchedQuestion] = []
    unmatched: list[Reject] = []
    for question in questions:
        looked_up = [(gold, _find(index, gold)) for gold in question.gold]
        missing = tuple(gold for gold, found in looked_up if found is None)
        matched.append(
            MatchedQuestion(question, tuple(found for _, found in looked_up if found is not None), missing)
        )
        unmatched += [
            Reject(
                question.place, f"question {question.id!r}: its evidence is not in the corpus: {_told(one)}"
            )
            for one in missing
        ]
    return Matched(tuple(matched), tuple(unmatched))


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
    titled = _titled(index, gold)
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


def _titled(index: EvidenceIndex, gold: Gold) -> list[IndexedArticle]:
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


def _told(gold: Gold) -> str:
    """What a piece of evidence is, in one line."""
    parts = (("id", gold.given_id), ("title", gold.title), ("url", gold.url), ("text", gold.text))
    shown = (f"{name} {_short(value)!r}" for name, value in parts if value)
    return ", ".join(shown) or "it says nothing"


def _short(value: str) -> str:
    words = " ".join(value.split())
    return words if len(words) <= _MOST_SHOWN else words[: _MOST_SHOWN - 3] + "..."
