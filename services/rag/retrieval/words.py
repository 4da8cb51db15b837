"""Retrieval by full text: the chunks that hold words of the question, found by Neo4j's Lucene.

Lucene's own score counts how rare a word is over all corpora of a database, so that every corpus added would
change the rankings of every other. So the index is asked for one word at a time, stemmed by its English
analyser and narrowed to the chunks that may be found, and words are weighed by how many chunks came:
idf = ln(1 + (N - n + .5) / (n + .5)) as in BM25, half as much again where the title holds the word.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kg.queries import query
from kg.store.graph import Graph, batches
from services.rag.protocol import Asked, Hit
from services.rag.retrieval.filters import scopes

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

    def retrieve(self, questions: Sequence[Asked]) -> list[list[Hit]]:
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
                query("retrieve/search_words"),
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
