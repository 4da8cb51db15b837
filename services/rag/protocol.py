"""What a RAG system is made of: retrievers, rerankers, generators; what goes in and what comes out.

Whether the days of filters are days.

A system that is not one of ours, as a run knows it.
"""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from datetime import date
from typing import Protocol, runtime_checkable

import numpy as np
from numpy.typing import NDArray

from kg.errors import SettingsError
from kg.llm.protocol import FailureKind, Usage
from kg.model import EntityType
from kg.store.graph import Graph


@dataclass(frozen=True, slots=True)
class Filters:
    """Which chunks may be found, by their articles; an empty field lets every article through.

    Names are compared without regard to case. `since` and `until` are ISO dates, both inclusive; with either
    set, articles without a date are left out.
    """

    sources: tuple[str, ...] = ()
    categories: tuple[str, ...] = ()
    authors: tuple[str, ...] = ()
    since: str = ""
    until: str = ""


@dataclass(frozen=True, slots=True)
class RagQuestion:
    """A question on its way through a system; `vector` is its embedding, of unit length."""

    id: str
    text: str
    vector: NDArray[np.float32]
    filters: Filters = Filters()


@dataclass(frozen=True, slots=True)
class Hit:
    """A retrieved chunk with its score; what the score means is the retriever's to say.

    `parts` are what the score was made of, by name ("vector", "words", "graph").
    """

    chunk: str
    score: float
    parts: tuple[tuple[str, float], ...] = ()


@dataclass(frozen=True, slots=True)
class Name:
    """A name that stands in a passage: its surface form there, and the entity that it means."""

    surface: str
    name: str
    type: EntityType
    entity: str


@dataclass(frozen=True, slots=True)
class StatedFact:
    """A triple that a passage states: canonical names of its entities, with their types and ids."""

    subject: Name
    predicate: str
    object: Name
    sentence: str


@dataclass(frozen=True, slots=True)
class Passage:
    """A retrieved chunk as a generator sees it; `next_chunk` follows it in its article, "" after the last."""

    chunk: str
    text: str
    title: str
    source: str
    names: tuple[Name, ...] = ()
    published: str = ""
    facts: tuple[StatedFact, ...] = ()
    next_chunk: str = ""


class Retriever(Protocol):
    """Finds chunks for questions."""

    @property
    def name(self) -> str:
        """What is recorded with a run."""
        ...

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        """For each question its hits, best first."""
        ...


class Reranker(Protocol):
    """Orders chunks anew by reading them beside the question."""

    @property
    def name(self) -> str:
        """What is recorded with a run."""
        ...

    def rerank(self, question: str, passages: Sequence[Passage]) -> list[Hit]:
        """Every passage once, best first, with this reranker's score.

        Raises:
            ModelUnavailableError: the endpoint of an HTTP reranker can't be reached.
        """
        ...


@dataclass(frozen=True, slots=True)
class ReadTask:
    """What a generator is to answer, from what; `notes` are earlier answers, as "question: answer".

    `on_the_way` asks for an intermediate answer: how far these passages lead, before more are looked for.
    `steps` tells which step of the system brought a chunk; without it, all came at once. `question_id` is the
    id of the run's question that this is read for, and `part` tells that more is read for it afterwards.
    `from_memory` asks for what the generator knows by itself, without passages.
    """

    question: str
    passages: tuple[Passage, ...]
    notes: tuple[str, ...] = ()
    on_the_way: bool = False
    steps: Mapping[str, int] = field(default_factory=dict)
    question_id: str = ""
    part: bool = False
    from_memory: bool = False


@dataclass(frozen=True, slots=True)
class Generation:
    """What a generator gave: an answer, or why there is none.

    `error` is empty unless the generator failed ("time-out: ..."); then `text` is empty. `prompt` names the
    prompt and its version, empty for rules. `cost` is None where nothing has a price. `cited` are the chunks
    that the answer cites, and `unknown_citations` counts what it cites though it was not shown.
    `passages_shown` is how many passages a model was shown, None where that is not known. `failure` is the
    kind of the error where a model failed.
    """

    text: str
    prompt: str = ""
    usage: Usage = field(default_factory=Usage)
    cost: float | None = None
    error: str = ""
    entity: str = ""
    chunk: str = ""
    sentence: str = ""
    cited: tuple[str, ...] = ()
    unknown_citations: int = 0
    passages_shown: int | None = None
    failure: FailureKind | None = None


class Generator(Protocol):
    """Writes answers from passages: a language model, or a reader made of rules."""

    @property
    def name(self) -> str:
        """What is recorded with a run: the reader's version, or the model's name."""
        ...

    def answer(self, tasks: Sequence[ReadTask]) -> Iterator[Generation]:
        """One answer a task, in order.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        ...

    def decompose(self, questions: Sequence[str]) -> Iterator[tuple[tuple[str, ...], Generation]]:
        """For each question the sub-questions that lead to its answer, in order, with what it took.

        A later one may hold "#1" for the answer to the first. A question that can't be taken apart is its own
        only sub-question.
        """
        ...


@dataclass(frozen=True, slots=True)
class Step:
    """One step of a system, from 1: what it did, with what query, and what came of it.

    `action` is "plan", "retrieve", "answer", "decompose" or "rerank", or the name of an agent's tool; one
    from outside may have other words. `retrieves` tells that the step looked for chunks, also where none
    came; `hits` are the chunks that it saw. `thought` is what an agent said of its reasons, `arguments` its
    call as JSON. `fault` says in a word what was wrong with the step ("unknown tool"), empty where nothing
    was.
    `usage` and `seconds` are what the step took by itself.
    """

    index: int
    action: str
    query: str
    observation: str
    hits: tuple[Hit, ...] = ()
    retrieves: bool = False
    top_k: int | None = None
    filters: Filters = field(default_factory=Filters)
    thought: str = ""
    arguments: str = ""
    fault: str = ""
    usage: Usage = field(default_factory=Usage)
    seconds: float | None = None


@dataclass(frozen=True, slots=True)
class RetrievedChunk:
    """A chunk in the order in which the last generation saw it; `step` is the step that brought it."""

    chunk: str
    rank: int
    score: float
    step: int


@dataclass(frozen=True, slots=True)
class RagAnswer:
    """What a system gave for one question.

    `entity`, `chunk` and `sentence` tell where the answer was read, empty where the generator doesn't tell.
    `cited`, `unknown_citations` and `passages_shown` are those of the last generation. `confidence`, in
    [0, 1], is how sure the system says it is, None where it doesn't tell. `unaligned` are
    retrieved texts that are in no chunk of the corpus; `retrieval_reported` is False where the system keeps
    to itself what it retrieved, and `steps_reported` where it doesn't list its steps.
    """

    question: str
    text: str
    retrieved: tuple[RetrievedChunk, ...]
    steps: tuple[Step, ...]
    prompts: tuple[str, ...]
    usage: Usage
    cost: float | None
    seconds: float
    error: str = ""
    entity: str = ""
    chunk: str = ""
    sentence: str = ""
    cited: tuple[str, ...] = ()
    unknown_citations: int = 0
    passages_shown: int | None = None
    unaligned: tuple[str, ...] = ()
    retrieval_reported: bool = True
    steps_reported: bool = True
    confidence: float | None = None


class RagSystem(Protocol):
    """A system under test."""

    @property
    def name(self) -> str:
        """What the command line and a run call it."""
        ...

    def answer(self, questions: Sequence[RagQuestion]) -> list[RagAnswer]:
        """One answer a question, in order; a failure is in the answer's `error` and stops no other."""
        ...


@runtime_checkable
class StreamingSystem(RagSystem, Protocol):
    """A system that tells answers while it works on others, as one does of which each may take long."""

    def stream(self, questions: Sequence[RagQuestion], take: Callable[[Sequence[RagAnswer]], None]) -> None:
        """Give `take` one answer a question, some at a time, in the order in which they come.

        What has come when Ctrl-C ends this is given before it is raised, perhaps once more.
        """
        ...


def stream_answers(
    system: RagSystem, questions: Sequence[RagQuestion], take: Callable[[Sequence[RagAnswer]], None]
) -> None:
    """Give `take` a system's answers as they come, or all at the end where it tells none before."""
    if isinstance(system, StreamingSystem):
        system.stream(questions, take)
    else:
        take(system.answer(questions))


def check_dates(filters: Filters) -> None:
    """Make sure that `since` and `until` are ISO dates or empty.

    Raises:
        SettingsError: one is not.
    """
    for day in (filters.since, filters.until):
        if day and not _is_date(day):
            raise SettingsError(f"{day!r} is not a date to filter by.", "Give one like 2024-03-31.")


def _is_date(day: str) -> bool:
    try:
        return date.fromisoformat(day).isoformat() == day
    except ValueError:
        return False


@dataclass(frozen=True, slots=True)
class ExternalSystem:
    """A system that a run is given from outside.

    `name` is the run's, where the user gives none, and `system` what is recorded of it ("endpoint
    https://rag.internal/answer"). `source` is a short hash of what its answers depend on, as far as that can
    be known: a run whose source changed is made anew. `open(graph, corpus)` gets it ready. `covers` holds the
    ids of the questions that it answers, None for all. Each batch of `questions_a_batch` is in the graph
    before the next begins; of a `StreamingSystem` parts of it are before. `generator` and `prompts` are empty
    where they are the system's own business. `prefix_source` is the hash of answers to prefix questions that
    are known beforehand: others replace them, and leave the run's own answers as they are.
    """

    name: str
    system: str
    source: str
    open: Callable[[Graph, str], AbstractContextManager[RagSystem]]
    questions_a_batch: int
    covers: frozenset[str] | None = None
    generator: str = ""
    prompts: tuple[str, ...] = ()
    prefix_source: str = ""


async def retrieve_async(retriever: Retriever, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
    """What `retriever.retrieve` gives, in a thread, so that the event loop goes on meanwhile.

    The driver serves each thread with a connection of its own. A search that began runs to its end even where
    the caller stops waiting for it.
    """
    return await asyncio.to_thread(retriever.retrieve, questions)
