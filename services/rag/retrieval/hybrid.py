"""Retrieval by vectors and by words, in one ranking."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from kg.store.graph import Graph
from services.rag.protocol import Asked, Hit
from services.rag.retrieval.fusion import min_max_fusion, reciprocal_rank_fusion
from services.rag.retrieval.vector import VectorRetriever
from services.rag.retrieval.words import WordRetriever

Fusion = Literal["min-max", "reciprocal-rank"]

DEPTH = 100
"""Chunks that each side gives at least, so that one may lift what the other ranks low."""

WEIGHTS = {"vector": 0.6, "words": 0.4}
"""Measured on three development sets: docs/decisions/0022-retrievers.md."""


@dataclass(frozen=True, slots=True)
class HybridRetriever:
    """The `limit` chunks that are best in vector search and full text together."""

    graph: Graph
    corpus: str
    limit: int = 10
    fusion: Fusion = "min-max"

    @property
    def name(self) -> str:
        """The name that a run records."""
        return f"hybrid-{self.limit}" if self.fusion == "min-max" else f"hybrid-rrf-{self.limit}"

    def retrieve(self, questions: Sequence[Asked]) -> list[list[Hit]]:
        """Both searches, then one ranking a question."""
        depth = max(DEPTH, self.limit)
        near = VectorRetriever(self.graph, self.corpus, depth).retrieve(questions)
        worded = WordRetriever(self.graph, self.corpus, depth).retrieve(questions)
        return [self._fuse(vector, words)[: self.limit] for vector, words in zip(near, worded, strict=True)]

    def _fuse(self, vector: Sequence[Hit], words: Sequence[Hit]) -> list[Hit]:
        rankings = {"vector": vector, "words": words}
        if self.fusion == "min-max":
            return min_max_fusion(rankings, WEIGHTS)
        return reciprocal_rank_fusion(rankings)
