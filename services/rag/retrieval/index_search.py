"""Retrieval by full text: the chunks that hold words of the question, found by Neo4j's Lucene.

Lucene's own score counts how rare a word is over all corpora of a database, so that every corpus added would
change the rankings of every other. So the index is asked for one word at a time, stemmed by its English
analyser and narrowed to the chunks that may be found, and words are weighed by how many chunks came:
idf = ln(1 + (N - n + .5) / (n + .5)) as in BM25, half as much again where the title holds the word.

Retrieval by a vector index: the chunks nearest to questions, whatever the vectors are of.

A chunk is as near as the nearest of its units: the chunk itself, one of its claims, one of its facts. The
index is asked for more units than chunks are wanted: it is approximate, several units may stand for one
chunk, and equal scores must end in the order of ids. Where that was not enough it is asked for more.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from typing import Literal

from kg.queries import Query, query
from kg.store.graph import Graph, Row, batches
from services.rag.protocol import Filters, Hit, RagQuestion
from services.rag.retrieval.filters import Scope, scopes

SPARE = 100
"""Units asked for beyond those wanted: with 60,000 vectors, 10 of 30 are .93 right, 10 of 110 .997."""

WIDER = 4
"""By what factor more units are asked for where the first ones did not settle the best chunks."""

MOST_UNITS = 20_000
"""Units after which no more are asked for."""

ROWS_A_BATCH = 50_000
"""Units that one statement gives at most, over all its questions."""


@dataclass(frozen=True, slots=True)
class Index:
    """A vector index by its statement, and how many of its units a wanted chunk takes about."""

    part: str
    statement: Query
    units_a_chunk: int


def nearest_chunks(
    graph: Graph, corpus: str, index: Index, questions: Sequence[RagQuestion], limit: int
) -> list[list[Hit]]:
    """For each question its nearest chunks with their cosines, ties by id.

    Raises:
        SettingsError: the filters of a question can't be used.
    """
    where = scopes(graph, corpus, (question.filters for question in questions))
    # A cosine index refuses a vector without a direction.
    open_ = {
        number: question
        for number, question in enumerate(questions)
        if question.vector.any() and not where[question.filters].empty
    }
    best: dict[int, list[Hit]] = {}
    units = limit * index.units_a_chunk + SPARE
    while open_:
        found = _search(graph, corpus, index, open_, where, units)
        for number in list(open_):
            rows = found.get(number, [])
            hits = _by_chunk(rows, index.part)
            if units >= MOST_UNITS or _is_settled(rows, hits, limit, units):
                best[number] = hits[:limit]
                del open_[number]
        units = min(units * WIDER, MOST_UNITS) if units < MOST_UNITS else units
    return [best.get(number, []) for number in range(len(questions))]


def _search(
    graph: Graph,
    corpus: str,
    index: Index,
    questions: Mapping[int, RagQuestion],
    where: Mapping[Filters, Scope],
    units: int,
) -> dict[int, list[Row]]:
    rows = [
        {"id": str(number), "vector": question.vector, **_limits(where[question.filters])}
        for number, question in questions.items()
    ]
    found: dict[int, list[Row]] = {}
    for some in batches(rows, max(1, ROWS_A_BATCH // units)):
        for row in graph.rows(index.statement, corpus=corpus, rows=some, limit=units):
            found.setdefault(int(row["question"]), []).append(row)
    return found


def _limits(scope: Scope) -> Row:
    shelves = None if scope.shelves is None else list(scope.shelves)
    return {"shelves": shelves, "since": scope.since, "until": scope.until}


def _by_chunk(rows: Sequence[Row], part: str) -> list[Hit]:
    cosines: dict[str, float] = {}
    for row in rows:
        if row["chunk"] is None:
            continue
        cosine = round(2 * row["score"] - 1, 6)
        cosines[row["chunk"]] = max(cosine, cosines.get(row["chunk"], cosine))
    hits = [Hit(chunk, cosine, ((part, cosine),)) for chunk, cosine in cosines.items()]
    return sorted(hits, key=lambda hit: (-hit.score, hit.chunk))


def _is_settled(rows: Sequence[Row], hits: Sequence[Hit], limit: int, units: int) -> bool:
    """Whether no unit that was not asked for could change the best chunks."""
    if len({row["unit"] for row in rows}) < units:
        return True
    lowest = round(2 * min(row["score"] for row in rows) - 1, 6)
    return len(hits) >= limit and hits[limit - 1].score > lowest


Units = Literal["vector", "claims", "facts"]


@cache
def _index(units: Units) -> Index:
    match units:
        case "vector":
            return Index(units, query("search/search_chunks"), units_a_chunk=1)
        case "claims":
            return Index(units, query("search/search_claims"), units_a_chunk=4)
        case "facts":
            return Index(units, query("search/search_facts"), units_a_chunk=4)


@dataclass(frozen=True, slots=True)
class NearestRetriever:
    """The `limit` chunks of which a unit is nearest to the question; the score is that unit's cosine.

    Units are the chunks themselves ("vector"), their claims, or the facts that they state; `complete` gives
    those their vectors that a build leaves without.
    """

    graph: Graph
    corpus: str
    limit: int = 10
    units: Units = "vector"
    complete: Callable[[], None] = lambda: None

    @property
    def name(self) -> str:
        """The name that a run records."""
        return f"{self.units}-{self.limit}"

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        """One search a question, many in one statement; before the first one what has no vector gets one."""
        self.complete()
        return nearest_chunks(self.graph, self.corpus, _index(self.units), questions, self.limit)


MOST_WORDS = 100
"""Different words of a question that are looked up, its first ones."""

HITS_A_WORD = 2_000
"""Chunks that are taken of a word; of a commoner one those that Lucene ranks highest."""

QUESTIONS_A_BATCH = 20

_WORD = re.compile(r"[^\W_]+(?:['’.][^\W_]+)*")  # noqa: RUF001


@dataclass(frozen=True, slots=True)
class WordRetriever:
    """The `limit` chunks that hold the most of the question's rare words; the score sums their weights."""

    graph: Graph
    corpus: str
    limit: int = 10

    @property
    def name(self) -> str:
        """The name that a run records."""
        return f"words-{self.limit}"

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        """One search a word, the words of many questions in one statement."""
        where = scopes(self.graph, self.corpus, (question.filters for question in questions))
        rows = [
            {"id": str(number), "words": searches}
            for number, question in enumerate(questions)
            if (searches := word_searches(question.text, where[question.filters].words))
        ]
        best: list[list[Hit]] = [[] for _ in questions]
        if not rows:
            return best
        chunks = self.graph.rows(query("chunks/count_chunks"), corpus=self.corpus)[0]["chunks"]
        for some in batches(rows, QUESTIONS_A_BATCH):
            for row in self.graph.rows(
                query("search/search_words"),
                rows=some,
                chunks=chunks,
                hits=HITS_A_WORD,
                limit=self.limit,
            ):
                hit = Hit(row["chunk"], row["score"], (("words", row["score"]),))
                best[int(row["question"])].append(hit)
        return best


def question_words(text: str) -> list[str]:
    """The different words of a question in small letters, in their order.

    They are letters and digits, with an apostrophe or a full stop between them at most, and small: nothing of
    a full-text query's syntax is left, its operators AND, OR, NOT and TO included.
    """
    words = (match.group().lower() for match in _WORD.finditer(text))
    return list(dict.fromkeys(words))[:MOST_WORDS]


def word_searches(text: str, narrowed: str) -> list[str]:
    """A full-text query for each word of a question; only a word in the title gives it a score.

    The analyser drops stop words and signs like "²", and an empty group with them, which would find every
    chunk: the key that no chunk has keeps the group.
    """
    return [f"{narrowed} +(text:{word}^0 title:{word} keys:nothing^0)" for word in question_words(text)]
