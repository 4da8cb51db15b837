"""Retrieval by vector search in Neo4j: the chunks nearest to the question."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass

from kg.queries import query
from kg.store.graph import Graph, Row
from services.rag.protocol import Asked, Hit, Name, Passage, StatedFact

SPARE = 20
"""Hits asked for beyond those wanted, because the index is approximate; the best are kept, ties by id."""

CHUNKS_A_BATCH = 200
"""Chunks that are read in one statement."""


PassageReader = Callable[[Sequence[str]], Mapping[str, Passage]]
"""Gives the passages of some chunks, by chunk."""


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
        )
        for row in graph.read_in_batches(query("runs/read_passages"), chunks, size=CHUNKS_A_BATCH)
    }


def _name(row: Row) -> Name:
    return Name(row["surface"], row["name"], row["type"], row["entity"])


def _fact(row: Row) -> StatedFact:
    return StatedFact(_name(row["subject"]), row["predicate"], _name(row["object"]), row["sentence"])
