"""Answers of a run: a list by slices, and one with its trace."""

from collections.abc import Sequence
from dataclasses import dataclass

from kg.queries import query
from kg.store.async_graph import AsyncGraph
from services.views.cursors import Slice, cut, decode, missing, require_known, run_of


@dataclass(frozen=True, slots=True)
class AnswerSummary:
    """An answer beside the right one (`gold`); `error` tells why there is none.

    `broken_by` names where a wrong one went astray (empty where not known), `first_lost` the first hop whose
    evidence was not retrieved.
    """

    id: str
    question: str
    question_text: str
    kind: str
    hops: int
    bin: int | None
    gold: str
    text: str
    correct: bool
    abstained: bool
    error: str
    broken_by: str
    first_lost: int | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class RetrievedChunk:
    """A chunk in the order in which the system saw it; `gold` marks evidence of the question."""

    rank: int
    score: float | None
    step: int
    chunk: str
    article: str
    title: str
    text: str
    gold: bool


@dataclass(frozen=True, slots=True)
class StepChunk:
    """A chunk that a step saw; `gold` marks evidence of the question."""

    rank: int
    score: float | None
    chunk: str
    article: str
    title: str
    gold: bool


@dataclass(frozen=True, slots=True)
class TraceStep:
    """One step of the system: what it did, with what query, and what came of it.

    `retrieves` tells that it looked for chunks, also where none came; `filters` are JSON, empty for none.
    `arguments` is an agent's call as JSON, `thought` what it said of its reasons, and `fault` what was wrong
    with the step, empty where nothing was.
    """

    index: int
    action: str
    query: str
    observation: str
    retrieves: bool
    top_k: int | None
    filters: str
    thought: str
    arguments: str
    fault: str
    input_tokens: int
    output_tokens: int
    seconds: float | None
    seen: tuple[StepChunk, ...]


@dataclass(frozen=True, slots=True)
class GivenVerdict:
    """What a judge said."""

    judge: str
    correct: bool | None
    score: float | None
    why: str
    by_hand: bool


@dataclass(frozen=True, slots=True)
class AnswerDetail(AnswerSummary):
    """An answer with its trace.

    `unaligned` counts retrieved texts that are in no chunk, of which `unaligned_texts` are some.
    `retrieval_told` is False where the system does not tell what it retrieved.
    """

    run: str
    exact_match: bool
    f1: float
    judged_by: str
    input_tokens: int
    output_tokens: int
    cost: float | None
    unaligned: int
    unaligned_texts: tuple[str, ...]
    retrieval_told: bool
    retrieved: tuple[RetrievedChunk, ...]
    steps: tuple[TraceStep, ...]
    verdicts: tuple[GivenVerdict, ...]


@dataclass(frozen=True, slots=True)
class AnswerFilters:
    """What answers are wanted; empty fields and None let all through."""

    correct: bool | None = None
    failed: bool | None = None
    hops: Sequence[int] = ()
    bins: Sequence[int] = ()
    broken_by: str = ""


async def list_answers(
    graph: AsyncGraph, corpus: str, run: str, filters: AnswerFilters, cursor: str | None, limit: int
) -> Slice[AnswerSummary]:
    """A run's answers in the order of their questions' ids.

    Raises:
        MissingError: there is no such corpus, or no such run in it.
        SettingsError: the cursor can't be read.
    """
    after = decode(cursor, str)
    rows = await graph.rows(
        query("views/list_answers"),
        run=await run_of(graph, corpus, run),
        correct=filters.correct,
        failed=filters.failed,
        hops=list(filters.hops),
        bins=list(filters.bins),
        broken_by=filters.broken_by,
        after=after,
        limit=limit + 1,
    )
    return cut([AnswerSummary(**row) for row in rows], limit, lambda one: [one.question])


async def read_answer(graph: AsyncGraph, corpus: str, id_: str) -> AnswerDetail:
    """One answer.

    Raises:
        MissingError: the corpus has none of this id.
    """
    found = await graph.rows(query("views/read_answer"), corpus=corpus, id=id_)
    if not found:
        await require_known(graph, corpus)
        raise missing("answer", id_, corpus)
    row = found[0]
    parts = {
        "unaligned_texts": tuple(row["unaligned_texts"]),
        "retrieved": tuple(RetrievedChunk(**one) for one in row["retrieved"]),
        "steps": tuple(
            TraceStep(**one | {"seen": tuple(StepChunk(**chunk) for chunk in one["seen"])})
            for one in row["steps"]
        ),
        "verdicts": tuple(GivenVerdict(**one) for one in row["verdicts"]),
    }
    return AnswerDetail(**row | parts)
