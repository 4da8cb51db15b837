"""One question answered in the open: what a system did, the answer, and the path to it."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from kg.embed.protocol import Embedder
from kg.llm.budget import Budget
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.rag.graph_search.cache import SnapshotCache
from services.rag.passages import read_passages
from services.rag.protocol import Asked, Hit, Passage, RagSystem, Step
from services.rag.retrieval.choose import DEFAULT
from services.rag.retrieval.searchable import require_searchable
from services.rag.run_options import RunOptions, SystemName
from services.rag.sentence_match import names_in
from services.rag.systems import open_system, reader_of


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
    `error` says why there is no answer where a model failed.
    """

    reading: Read
    hits: tuple[Hit, ...]
    passages: tuple[Passage, ...]
    path: tuple[PathStep, ...]
    system: SystemName
    generator: str
    steps: tuple[Step, ...]
    error: str = ""


class Asker:
    """A system at hand that answers questions of one corpus, one after another."""

    def __init__(
        self,
        graph: Graph,
        corpus: str,
        embedder: Embedder,
        system: RagSystem,
        chosen: RunOptions,
        by_whom: str,
    ) -> None:
        """Ask `system`, which was opened with `chosen`; `by_whom` is recorded as who answers."""
        self._graph = graph
        self._corpus = corpus
        self._embedder = embedder
        self._system = system
        self._chosen = chosen
        self._by_whom = by_whom

    def ask(self, text: str) -> Asking:
        """Let the system answer, and look for the shortest path from the question's names to the answer.

        Raises:
            NothingToDoError: the corpus has no vectors yet.
            ModelError: the model can't go on.
        """
        (answered,) = self._system.answer([Asked("asked", text, self._embedder.embed([text])[0])])
        if not answered.retrieved:
            require_searchable(self._graph, self._corpus)
        found = read_passages(self._graph, [one.chunk for one in answered.retrieved])
        passages = tuple(found[one.chunk] for one in answered.retrieved)
        reading = Read(answered.text, answered.entity, answered.chunk, answered.sentence)
        return Asking(
            reading=reading,
            hits=tuple(Hit(one.chunk, one.score) for one in answered.retrieved),
            passages=passages,
            path=tuple(_path(self._graph, text, reading, passages)),
            system=self._chosen.system,
            generator=self._by_whom,
            steps=answered.steps,
            error=answered.error,
        )


@contextmanager
def open_asker(
    graph: Graph,
    corpus: str,
    chosen: RunOptions,
    settings: Settings,
    embedder: Embedder,
    budget: Budget | None = None,
    snapshots: SnapshotCache | None = None,
) -> Iterator[Asker]:
    """A system ready to answer questions of a corpus.

    Whoever asks often hands in `snapshots`, so that the graph is not loaded for every question.

    Raises:
        SettingsError: an option can't work, or no model is set.
    """
    by_whom, _ = reader_of(chosen.generator, settings)
    with open_system(graph, corpus, chosen, settings, embedder, budget, snapshots) as system:
        yield Asker(graph, corpus, embedder, system, chosen, by_whom)


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
    """One question, answered by rules from `limit` chunks; see `Asker.ask`.

    Raises:
        NothingToDoError: the corpus has no vectors yet.
    """
    chosen = RunOptions(system=system, retriever=retriever, top=limit)
    with open_asker(graph, corpus, chosen, settings, embedder, snapshots=snapshots) as asker:
        return asker.ask(text)


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
