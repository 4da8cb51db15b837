"""A retriever that searches the snapshot of a corpus by a pure function."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from kg.embed.choose import Vectors
from kg.errors import NothingToDoError
from services.rag.graph_search.cache import Prepared
from services.rag.graph_search.explanation import Explanation
from services.rag.graph_search.snapshot import Snapshot
from services.rag.protocol import Hit, RagQuestion

T = TypeVar("T")

Embed = Callable[[Sequence[str]], Vectors]
"""Gives the vectors of texts, shape (texts, dimensions)."""

Search = Callable[[Snapshot, T, Sequence[RagQuestion], Embed, int], list[list[Hit]]]
"""Finds at most so many chunks for each question in a snapshot and what was prepared of it."""

Explain = Callable[[Snapshot, T, RagQuestion, Embed, Sequence[int]], Explanation]
"""Tells why a question finds some chunks, given by their indexes."""


@dataclass(frozen=True, slots=True)
class SnapshotRetriever(Generic[T]):
    """Finds chunks by `search`; whether the graph changed is looked up once a batch of questions."""

    kind: str
    prepared: Prepared[T]
    search: Search[T]
    why: Explain[T]
    embed: Embed
    limit: int = 10

    @property
    def name(self) -> str:
        """The name that a run records."""
        return f"{self.kind}-{self.limit}"

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        """For each question its hits, best first.

        Raises:
            NothingToDoError: the graph of the corpus is not built, or is being built.
        """
        if not questions:
            return []
        snapshot, prepared = self.prepared.current()
        return self.search(snapshot, prepared, questions, self.embed, self.limit)

    def explain(self, question: RagQuestion, hits: Sequence[Hit]) -> Explanation:
        """Why a question has these hits, in their order.

        Raises:
            NothingToDoError: the graph changed since they were found, and one of them is gone.
        """
        snapshot, prepared = self.prepared.current()
        rows = {chunk: row for row, chunk in enumerate(snapshot.chunks.ids)}
        if any(hit.chunk not in rows for hit in hits):
            raise NothingToDoError("the graph changed meanwhile.", "Ask once more.")
        return self.why(snapshot, prepared, question, self.embed, [rows[hit.chunk] for hit in hits])
