"""One question answered in the open: the chunks that were retrieved, the answer, and the path to it."""

from collections.abc import Sequence
from dataclasses import dataclass
from shlex import quote

from kg.embed.protocol import Embedder
from kg.errors import NothingToDoError
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph
from services.rag.protocol import Asked, Hit, Passage
from services.rag.reader import Reading, read_answer
from services.rag.vector import VectorRetriever, read_passages


@dataclass(frozen=True, slots=True)
class PathStep:
    """A fact on the path, as the graph has it."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Asking:
    """What came of a question; `path` is empty where none leads from a named entity to the answer."""

    reading: Reading
    hits: tuple[Hit, ...]
    passages: tuple[Passage, ...]
    path: tuple[PathStep, ...]


def ask(graph: Graph, corpus: str, text: str, embedder: Embedder, limit: int) -> Asking:
    """Retrieve, read, and look for the shortest path from what the question names to the answer.

    Raises:
        NothingToDoError: the corpus has no vectors yet.
    """
    asked = Asked("asked", text, embedder.embed([text])[0])
    hits = VectorRetriever(graph, corpus, limit).retrieve([asked])[0]
    if not hits:
        raise NothingToDoError(
            f"corpus {corpus!r} has nothing to search yet.", f"Build it: kg build --corpus {quote(corpus)}."
        )
    found = read_passages(graph, [hit.chunk for hit in hits])
    passages = [found[hit.chunk] for hit in hits]
    reading = read_answer(text, passages)
    return Asking(reading, tuple(hits), tuple(passages), tuple(_path(graph, text, reading, passages)))


def _path(graph: Graph, text: str, reading: Reading, passages: Sequence[Passage]) -> list[PathStep]:
    starts = sorted(_named_in(text, passages) - {reading.entity})
    if not reading.entity or not starts:
        return []
    rows = graph.rows(query("ask/find_path"), starts=starts, end=reading.entity)
    return (
        [PathStep(step["subject"], step["predicate"], step["object"]) for step in rows[0]["steps"]]
        if rows
        else []
    )


def _named_in(text: str, passages: Sequence[Passage]) -> set[str]:
    words = f" {normal_form(text)} "
    return {
        name.entity
        for passage in passages
        for name in passage.names
        if f" {normal_form(name.surface)} " in words or f" {normal_form(name.name)} " in words
    }
