"""The passages behind retrieved chunks, as generators and rerankers see them."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from kg.queries import query
from kg.store.graph import Graph, Row
from services.rag.protocol import Hit, Name, Passage, StatedFact

CHUNKS_A_BATCH = 200
"""Chunks that are read in one statement."""

PassageReader = Callable[[Sequence[str]], Mapping[str, Passage]]
"""Gives the passages of some chunks, by chunk."""


def passages_of(read: PassageReader, hits: Iterable[Sequence[Hit]]) -> list[tuple[Passage, ...]]:
    """The passages of each list of hits, in its order; a chunk that several lists have is read once."""
    lists = [list(one) for one in hits]
    found = read(sorted({hit.chunk for one in lists for hit in one}))
    return [tuple(found[hit.chunk] for hit in one) for one in lists]


def read_passages(graph: Graph, chunks: Sequence[str]) -> dict[str, Passage]:
    """The passages of some chunks, by chunk, with the names that stand in them and the facts they state."""
    return {
        row["id"]: Passage(
            chunk=row["id"],
            text=row["text"],
            title=row["title"],
            source=row["source"],
            names=tuple(_name(name) for name in row["names"]),
            published=row["published"],
            facts=tuple(_fact(fact) for fact in row["facts"]),
            next_chunk=row["next"],
        )
        for row in graph.read_in_batches(query("chunks/read_for_reader"), chunks, size=CHUNKS_A_BATCH)
    }


def _name(row: Row) -> Name:
    return Name(row["surface"], row["name"], row["type"], row["entity"])


def _fact(row: Row) -> StatedFact:
    return StatedFact(_name(row["subject"]), row["predicate"], _name(row["object"]), row["sentence"])
