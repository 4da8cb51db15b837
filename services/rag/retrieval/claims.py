"""Retrieval by the sentences of chunks: a chunk is as near to the question as its nearest claim."""

from collections.abc import Sequence
from dataclasses import dataclass

from kg.queries import query
from kg.store.graph import Graph
from services.rag.protocol import Asked, Hit
from services.rag.retrieval.nearest import Index, nearest_chunks


@dataclass(frozen=True, slots=True)
class ClaimRetriever:
    """The `limit` chunks of which a claim is nearest to the question; the score is that claim's cosine."""

    graph: Graph
    corpus: str
    limit: int = 10

    @property
    def name(self) -> str:
        """The name that a run records."""
        return f"claims-{self.limit}"

    def retrieve(self, questions: Sequence[Asked]) -> list[list[Hit]]:
        """One search a question, many in one statement."""
        index = Index(
            "claims",
            query("retrieve/search_claims"),
            query("retrieve/search_shelved_claims"),
            units_a_chunk=4,
        )
        return nearest_chunks(self.graph, self.corpus, index, questions, self.limit)
