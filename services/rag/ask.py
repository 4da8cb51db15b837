"""One question answered in the open: what a system did, the answer, and the path to it.

A few questions of each type for a demonstration, and what a run made of them.
"""

from collections import defaultdict
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Literal, get_args

from kg.embed.choose import Embedder
from kg.errors import NothingToDoError, SettingsError, command
from kg.ids import bare_id, content_hash, run_id
from kg.llm.budget import Budget
from kg.model import StatedTriple
from kg.queries import query
from kg.settings import Settings
from kg.store.graph import Graph
from services.answers import answered_unread, is_abstention, remarks_on_support
from services.questions.wording.nouns import sorts_of
from services.rag.answering import read_passages
from services.rag.graph_search.cache import SnapshotCache
from services.rag.protocol import Hit, Passage, RagQuestion, RagSystem, Step
from services.rag.question_words import question_nouns, relation_words, words
from services.rag.retrieval.choose import DEFAULT
from services.rag.retrieval.filters import require_searchable
from services.rag.run_options import RunOptions, SystemName
from services.rag.sentence_match import names_in
from services.rag.systems import open_system, reader_of
from services.statistics.intervals import Interval, wilson

QueryType = Literal["inference", "comparison", "temporal", "null"]
"""The types of questions of MultiHop-RAG, section 3.1."""
QUERY_TYPES: tuple[QueryType, ...] = get_args(QueryType)
ALL = "all"


@dataclass(frozen=True, slots=True)
class DemonstrationAnswer:
    """A question of a demonstration with its answer; `cost` is None where nothing has a price."""

    id: str
    answer_id: str
    query_type: str
    question: str
    gold: str
    text: str
    correct: bool
    error: str
    seconds: float
    tokens: int
    cost: float | None
    steps: int


@dataclass(frozen=True, slots=True)
class TypeRow:
    """How many of a type were right, with a Wilson interval."""

    query_type: str
    right: int
    questions: int
    interval: Interval | None


def parse_type(text: str) -> tuple[QueryType, ...]:
    """The types that a user names; "all" stands for each.

    Raises:
        SettingsError: there is no such type.
    """
    chosen = tuple(name for name in QUERY_TYPES if text in (name, ALL))
    if not chosen:
        raise SettingsError(
            f"{text!r} is not a type of question.", f"Use one of: {', '.join((*QUERY_TYPES, ALL))}."
        )
    return chosen


def draw_questions(
    graph: Graph, corpus: str, types: Sequence[QueryType], number: int, seed: int = 0
) -> list[str]:
    """The ids of so many kept questions of each type, drawn by seed; fewer where there are not so many.

    Raises:
        NothingToDoError: there is none of these types.
    """
    groups: dict[str, list[str]] = defaultdict(list)
    for row in graph.rows(query("questions/list_of_status"), corpus=corpus, status="kept"):
        groups[row["query_type"] or ""].append(row["id"])
    drawn = [
        question
        for name in types
        for question in sorted(groups[name], key=lambda one: content_hash([str(seed), bare_id(one)]))[:number]
    ]
    if not drawn:
        raise NothingToDoError(
            f"corpus {corpus!r} has no kept question of the type {' or '.join(types)}.",
            f"See what there is: {command('questions funnel --corpus', corpus)}",
        )
    return drawn


def read_demonstration(
    graph: Graph, corpus: str, run: str, questions: Sequence[str]
) -> list[DemonstrationAnswer]:
    """What a run, by its name, gave for these questions, by type."""
    rows = graph.rows(query("answers/read_to_questions"), run=run_id(corpus, run), ids=list(questions))
    return [DemonstrationAnswer(**row) for row in rows]


def rates_by_type(shown: Sequence[DemonstrationAnswer]) -> list[TypeRow]:
    """The share of right answers of each type that was asked, and of all at the end."""
    names = [name for name in QUERY_TYPES if any(one.query_type == name for one in shown)]
    groups = [(name, [one for one in shown if one.query_type == name]) for name in names]
    return [
        TypeRow(name, right := sum(one.correct for one in group), len(group), wilson(right, len(group)))
        for name, group in (*groups, (ALL, list(shown)))
    ]


@dataclass(frozen=True, slots=True)
class PathStep(StatedTriple):
    """A fact on the path, as the graph has it; `attributed_to` is who is reported to have said so, if any."""

    claim: str = field(default="", compare=False)
    attributed_to: str = ""


@dataclass(frozen=True, slots=True)
class ReadAnswer:
    """An answer with where it was read: the entity (empty for a literal), the chunk and the sentence."""

    answer: str
    entity: str
    chunk: str
    sentence: str


@dataclass(frozen=True, slots=True)
class AskResult:
    """What came of a question: `hits` and `passages` are what the answer was read from, best first.

    `path` is empty where none leads from a named entity to the answer, or where the shortest one does not say
    what the question asks (`word_coverage` below LEAST_TOLD).
    `error` says why there is no answer where a model failed, `remarks` what the answer does not rest on.
    """

    reading: ReadAnswer
    hits: tuple[Hit, ...]
    passages: tuple[Passage, ...]
    path: tuple[PathStep, ...]
    system: SystemName
    generator: str
    steps: tuple[Step, ...]
    error: str = ""
    remarks: tuple[str, ...] = ()

    @property
    def abstained(self) -> bool:
        """Whether there is no answer to which a path could lead."""
        return bool(self.error) or is_abstention(self.reading.answer)


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

    def ask(self, text: str) -> AskResult:
        """Let the system answer, and look for the shortest path from the question's names to the answer.

        Raises:
            NothingToDoError: the corpus has no vectors yet.
            ModelError: the model can't go on.
        """
        (answered,) = self._system.answer(
            [RagQuestion("asked", text, self._embedder.embed_queries([text])[0])]
        )
        if not answered.retrieved:
            require_searchable(self._graph, self._corpus)
        found = read_passages(self._graph, [one.chunk for one in answered.retrieved])
        passages = tuple(found[one.chunk] for one in answered.retrieved)
        reading = ReadAnswer(answered.text, answered.entity, answered.chunk, answered.sentence)
        path = shortest_path(self._graph, text, reading, passages)
        unread = answered_unread(answered.passages_shown, is_abstention(answered.text), answered.error)
        return AskResult(
            reading=reading,
            hits=tuple(Hit(one.chunk, one.score) for one in answered.retrieved),
            passages=passages,
            path=tuple(path) if word_coverage(text, path) >= LEAST_TOLD else (),
            system=self._chosen.system,
            generator=self._by_whom,
            steps=answered.steps,
            error=answered.error,
            remarks=remarks_on_support(answered.unknown_citations, unread),
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
    reranker: str | None = None,
    candidates: int | None = None,
) -> AskResult:
    """One question, answered by rules from `limit` chunks; see `Asker.ask` and `RunOptions`.

    Raises:
        NothingToDoError: the corpus has no vectors yet.
    """
    chosen = RunOptions(
        system=system, retriever=retriever, top=limit, reranker=reranker, candidates=candidates
    )
    with open_asker(graph, corpus, chosen, settings, embedder, snapshots=snapshots) as asker:
        return asker.ask(text)


LEAST_TOLD = 0.67
"""Of what a question says a path must tell so much to be shown; measured in docs/evaluation/results.md."""


def word_coverage(question: str, path: Sequence[PathStep]) -> float:
    """The share of a question's words that a path tells, in [0, 1], both as lemmas without function words.

    Counted are the words that say how things are related: not those of names that the question gives, nor the
    noun that is asked for, nor nouns that only say of which sort something is ("the company that owns ...")
    unless the path has them. Where no word is left, "Where is X?" asks where it is located, and of any other
    question a path says nothing: 0. Two things are nearly always joined by some path: that
    it says "leads" where the question asks who leads makes it an explanation.
    """
    names = [set(words(name)) for step in path for name in (step.subject, step.object)]
    told = {word for step in path for word in words(step.predicate)} | set[str]().union(*names)
    asked = set(words(question))
    given = [name for name in names if name <= asked]
    said = asked - question_nouns(question) - set[str]().union(*given)
    said -= {word for word in said if word not in told and sorts_of(word)}
    wanted = said or relation_words(question, given)
    return len(wanted & told) / len(wanted) if wanted else 0.0


_OF_A_STEP = ("subject", "predicate", "object", "claim", "attributed_to")


def shortest_path(
    graph: Graph, text: str, reading: ReadAnswer, passages: Sequence[Passage]
) -> list[PathStep]:
    """The shortest path from an entity that the question names to the answer; empty where there is none."""
    starts = sorted(names_in(text, passages).keys() - {reading.entity})
    if not reading.entity or not starts:
        return []
    rows = graph.rows(query("paths/find_between"), starts=starts, end=reading.entity)
    return (
        [PathStep(**{name: step[name] or "" for name in _OF_A_STEP}) for step in rows[0]["steps"]]
        if rows
        else []
    )
