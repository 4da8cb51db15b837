"""The passages of a corpus as a benchmark sees them: each chunk with its text and its article."""

from dataclasses import dataclass

from kg.queries import query
from kg.store.graph import Graph


@dataclass(frozen=True, slots=True)
class BenchmarkPassage:
    """A chunk; `text` is without the title."""

    chunk: str
    article: str
    title: str
    text: str

    @property
    def whole(self) -> str:
        """Title and text, as every retriever is given them."""
        return f"{self.title}\n{self.text}"


def read_passages(graph: Graph, corpus: str) -> list[BenchmarkPassage]:
    """Every chunk of a corpus, in the order of their ids."""
    rows = graph.stream(query("benchmarks/read_passages"), corpus=corpus)
    return [BenchmarkPassage(row["chunk"], row["article"], row["title"], row["text"]) for row in rows]
