"""The passages behind texts that another retriever found, for a generator of ours to read."""

from collections.abc import Callable, Sequence

from kg.own_system import RetrievedText
from kg.store.graph import Graph
from services.rag.passages import read_passages
from services.rag.protocol import Passage
from services.systems.align import open_aligner


def passage_finder(graph: Graph, corpus: str) -> Callable[[Sequence[RetrievedText]], Sequence[Passage]]:
    """From retrieved texts to the passages of their chunks, each once; a text in no chunk brings none.

    Raises:
        NothingToDoError: the corpus has no chunks yet.
    """
    aligner = open_aligner(graph, corpus)

    def find(texts: Sequence[RetrievedText]) -> Sequence[Passage]:
        chunks = dict.fromkeys(chunk for found in aligner.align(texts) for chunk in found)
        passages = read_passages(graph, list(chunks))
        return [passages[chunk] for chunk in chunks if chunk in passages]

    return find
