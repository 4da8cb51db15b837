"""One question answered in the open: what a system did, the answer, and the path to it."""

from collections.abc import Sequence
from dataclasses import dataclass

from kg.embed.protocol import Embedder
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.rag.graph_search.cache import SnapshotCache
from services.rag.passages import read_passages
from services.rag.protocol import Asked, Hit, Passage, Step
from services.rag.retrieval.choose import DEFAULT, open_retriever
from services.rag.retrieval.searchable import require_searchable
from services.rag.rules_generator import RulesGenerator
from services.rag.run_options import SystemName
from services.rag.sentence_match import names_in
from services.rag.systems import make_system


@dataclass(frozen=True, slots=True)
class PathStep:
    """A fact on the path, as the graph has it."""

    subject: str
    predicate: str
    object: str


@dataclass(frozen=True, slots=True)
class Read:
    """An answer with where it was read: the entity (empty for a literal), the chunk and the sentence."""

    answer: str
    entity: str
    chunk: str
    sentence: str


@dataclass(frozen=True, slots=True)
class Asking:
    """What came of a question: `hits` and `passages` are what the answer was read from, best first.

    `path` is empty where none leads from a named entity to the answer, all of them where nothing was found.
    """

    reading: Read
    hits: tuple[Hit, ...]
    passages: tuple[Passage, ...]
    path: tuple[PathStep, ...]
    system: SystemName
    generator: str
    steps: tuple[Step, ...]


def ask(
    graph: Graph,
    corpus: str,
    text: str,
    embedder: Embedder,
    limit: int,
    settings: Settings,
    system: SystemName = "single-step",
    retriever: str = DEFAULT,
    snapshots: SnapshotCache | None = None,
) -> Asking:
    """Let a system answer by rules, and look for the shortest path from the question's names to the answer.

    Whoever asks often hands in `snapshots`, so that the graph is not loaded for every question.

    Raises:
        NothingToDoError: the corpus has no vectors yet.
    """
    generator = RulesGenerator()
    finding = open_retriever(retriever, graph, corpus, embedder, limit, snapshots)
    chosen = make_system(system, finding, graph, generator, embedder, settings, limit)
    (answered,) = chosen.answer([Asked("asked", text, embedder.embed([text])[0])])
    if not answered.retrieved:
        require_searchable(graph, corpus)
    found = read_passages(graph, [one.chunk for one in answered.retrieved])
    passages = tuple(found[one.chunk] for one in answered.retrieved)
    reading = Read(answered.text, answered.entity, answered.chunk, answered.sentence)
    return Asking(
        reading=reading,
        hits=tuple(Hit(one.chunk, one.score) for one in answered.retrieved),
        passages=passages,
        path=tuple(_path(graph, text, reading, passages)),
        system=system,
        generator=generator.name,
        steps=answered.steps,
    )


def _path(graph: Graph, text: str, reading: Read, passages: Sequence[Passage]) -> list[PathStep]:
    starts = sorted(names_in(text, passages).keys() - {reading.entity})
    if not reading.entity or not starts:
        return []
    rows = graph.rows(query("ask/find_path"), starts=starts, end=reading.entity)
    return (
        [PathStep(step["subject"], step["predicate"], step["object"]) for step in rows[0]["steps"]]
        if rows
        else []
    )
