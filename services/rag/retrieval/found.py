"""One question put to a retriever, perhaps reranked, with the passages behind its hits."""

from collections.abc import Sequence
from dataclasses import dataclass
from time import perf_counter

from kg.store.graph import Graph
from services.rag.passages import read_passages
from services.rag.protocol import Asked, Hit, Passage, Reranker, Retriever

RERANKED = 3
"""How many times the wanted hits a reranker reads, as many as the retriever gives."""


@dataclass(frozen=True, slots=True)
class Found:
    """What a retriever found for a question: hits best first, their passages, and the seconds it took."""

    retriever: str
    hits: tuple[Hit, ...]
    passages: tuple[Passage, ...]
    seconds: float


def find(
    graph: Graph, retriever: Retriever, question: Asked, limit: int, reranker: Reranker | None = None
) -> Found:
    """The `limit` best hits; after a reranker each keeps the retriever's score among its parts.

    Raises:
        ModelUnavailableError: the endpoint of an HTTP reranker can't be reached.
    """
    began = perf_counter()
    (hits,) = retriever.retrieve([question])
    searched = perf_counter() - began
    known = read_passages(graph, [hit.chunk for hit in hits])
    name = retriever.name
    if reranker is not None:
        began = perf_counter()
        hits = _reranked(question.text, hits, [known[hit.chunk] for hit in hits], reranker)
        searched += perf_counter() - began
        name = f"{name}+{reranker.name}"
    best = hits[:limit]
    return Found(name, tuple(best), tuple(known[hit.chunk] for hit in best), searched)


def _reranked(
    question: str, hits: Sequence[Hit], passages: Sequence[Passage], reranker: Reranker
) -> list[Hit]:
    before = {hit.chunk: hit for hit in hits}
    return [
        Hit(
            hit.chunk,
            hit.score,
            (("reranker", hit.score), ("retriever", before[hit.chunk].score), *before[hit.chunk].parts),
        )
        for hit in reranker.rerank(question, passages)
    ]
