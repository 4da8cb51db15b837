"""Retrieval by vector search in Neo4j: the chunks nearest to the question."""

from collections.abc import Sequence
from dataclasses import dataclass

from kg.queries import query
from kg.store.graph import Graph
from services.rag.protocol import Asked, Hit, Name, Passage

SPARE = 20
"""Hits asked for beyond those wanted, because the index is approximate; the best are kept, ties by id."""


@dataclass(frozen=True, slots=True)
class VectorRetriever:
    """The `limit` chunks of a corpus nearest to the question; the score is the cosine."""

    graph: Graph
    corpus: str
    limit: int = 10

    @property
    def name(self) -> str:
        """The name that a run records."""
        return f"vector-{self.limit}"

    def retrieve(self, questions: Sequence[Asked]) -> list[list[Hit]]:
        """One search a question, all in one statement."""
        found: dict[str, list[Hit]] = {question.id: [] for question in questions}
        rows = [{"id": question.id, "vector": question.vector} for question in questions]
        for row in self.graph.rows(
            query("runs/search_chunks"), corpus=self.corpus, rows=rows, limit=self.limit + SPARE
        ):
            found[row["question"]].append(Hit(row["chunk"], round(2 * row["score"] - 1, 6)))
        return [
            sorted(found[question.id], key=lambda hit: (-hit.score, hit.chunk))[: self.limit]
            for question in questions
        ]


def read_passages(graph: Graph, chunks: Sequence[str]) -> dict[str, Passage]:
    """The passages of some chunks, by chunk."""
    return {
        row["id"]: Passage(
            chunk=row["id"],
            text=row["text"],
            title=row["title"],
            source=row["source"],
            names=tuple(Name(n["surface"], n["name"], n["type"], n["entity"]) for n in row["names"]),
        )
        for row in graph.read_in_batches(query("runs/read_passages"), chunks)
    }
