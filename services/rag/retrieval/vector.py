"""Retrieval by vector search in Neo4j: the chunks nearest to the question."""

from collections.abc import Sequence
from dataclasses import dataclass

from kg.queries import query
from kg.store.graph import Graph
from services.rag.protocol import Asked, Hit
from services.rag.retrieval.nearest import Index, nearest_chunks


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
        """One search a question, many in one statement."""
        index = Index(
            "vector",
            query("retrieve/search_chunks"),
            query("retrieve/search_shelved_chunks"),
            units_a_chunk=1,
        )
        return nearest_chunks(self.graph, self.corpus, index, questions, self.limit)
