"""Retrieval by the facts of the graph: the chunks that state the triples nearest to the question."""

from collections.abc import Sequence
from dataclasses import dataclass

from kg.queries import query
from kg.store.graph import Graph
from services.rag.protocol import Asked, Hit
from services.rag.retrieval.nearest import Index, nearest_chunks


@dataclass(frozen=True, slots=True)
class FactRetriever:
    """The `limit` chunks of which a fact is nearest to the question; the score is that fact's cosine."""

    graph: Graph
    corpus: str
    limit: int = 10

    @property
    def name(self) -> str:
        """The name that a run records."""
        return f"facts-{self.limit}"

    def retrieve(self, questions: Sequence[Asked]) -> list[list[Hit]]:
        """One search a question, many in one statement."""
        index = Index(
            "facts", query("retrieve/search_facts"), query("retrieve/search_shelved_facts"), units_a_chunk=4
        )
        return nearest_chunks(self.graph, self.corpus, index, questions, self.limit)
