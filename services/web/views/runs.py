"""Runs of a corpus: what each is and what came of it, and its difficulty matrix.

Answers of a run: a list by slices, and one with its trace."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from kg.ids import run_id
from kg.model import ChunkSource, Step
from kg.queries import query
from kg.store.async_graph import AsyncGraph
from services.evaluate.matrix import SMALL
from services.report.collect import WHOLE_RUN
from services.web.views.cursors import Slice, cut, decode, read_details, read_rows, run_of


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
class StepChunk(ChunkSource):
    """A chunk that a step saw; `gold` marks evidence of the question."""

    rank: int
    score: float | None
    gold: bool


@dataclass(frozen=True, slots=True)
class RetrievedChunk(StepChunk):
    """A chunk in the order in which the system saw it, with the step that brought it."""

    step: int
    text: str


@dataclass(frozen=True, slots=True)
class TraceStep(Step):
    """One step of the system with what it saw; `filters` are JSON, empty for none."""

    seen: tuple[StepChunk, ...] = ()


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
        query("answers/page_answers"),
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
    row = await read_details(graph, query("answers/read_details"), corpus, "answer", id_)
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


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run; `right` is by its judge, `cost` None where nothing has a price, times are ISO 8601.

    `finished_at` is None while it goes on, or after it was cut off.
    """

    name: str
    system: str
    retriever: str
    generator: str
    embedder: str
    judge: str
    top: int | None
    dataset: str
    answers: int
    right: int
    abstained: int
    errors: int
    input_tokens: int
    output_tokens: int
    cost: float | None
    started_at: str | None
    finished_at: str | None


@dataclass(frozen=True, slots=True)
class CellView:
    """The errors of one depth and quartile; None for `hops` or `bin` is a total over all of them.

    `low` and `high` bound the error rate at 95 %.
    """

    hops: int | None
    bin: int | None
    n: int
    errors: int
    error_rate: float | None
    low: float | None
    high: float | None


@dataclass(frozen=True, slots=True)
class MatrixCell(CellView):
    """A cell with Wilson's interval as `low` and `high`; `small` marks fewer than 20 answers.

    `clustered_low` and `clustered_high` allow for questions that share an article.
    """

    clusters: int | None
    clustered_low: float | None
    clustered_high: float | None
    small: bool


@dataclass(frozen=True, slots=True)
class RunMatrix:
    """The cells and totals of a run's difficulty matrix, empty where it was not analysed yet."""

    run: str
    cells: tuple[MatrixCell, ...]


async def list_runs(graph: AsyncGraph, corpus: str) -> tuple[RunSummary, ...]:
    """The runs of a corpus, by name.

    Raises:
        MissingError: there is no such corpus.
    """
    rows = await read_rows(graph, query("runs/page_runs"), corpus, name="")
    return tuple(RunSummary(**row) for row in rows)


async def read_run(graph: AsyncGraph, corpus: str, name: str) -> RunSummary:
    """One run.

    Raises:
        MissingError: there is no such corpus, or no such run in it.
    """
    await run_of(graph, corpus, name)
    (row,) = await graph.rows(query("runs/page_runs"), corpus=corpus, name=name)
    return RunSummary(**row)


async def read_matrix(graph: AsyncGraph, corpus: str, name: str) -> RunMatrix:
    """The difficulty matrix of a run, as the last analysis of its verdicts wrote it.

    Raises:
        MissingError: there is no such corpus, or no such run in it.
    """
    (answer,) = await graph.rows(query("runs/read_matrix"), run=run_id(corpus, name))
    if not answer["cells"]:
        await run_of(graph, corpus, name)
    return RunMatrix(name, tuple(MatrixCell(**cell) for cell in answer["cells"]))


Place = tuple[int | None, int | None]
"""Hops and bin; None stands for all."""


def is_small(cell: CellView) -> bool:
    """Whether a cell has too few answers to say anything."""
    return cell.n < SMALL


@dataclass(frozen=True, slots=True)
class CellDifference:
    """The error rates of one cell in two runs; `difference` is the second's less the first's."""

    hops: int | None
    bin: int | None
    difference: float | None
    small: bool


Cells = Mapping[Place, CellView]
"""The cells of a run, whose intervals are by cluster where there are several."""


async def read_cells(graph: AsyncGraph, corpus: str, run: str) -> Cells:
    """The cells of a run by their place; empty where the run has no matrix yet."""
    (found,) = await graph.rows(query("runs/read_matrix"), run=run_id(corpus, run))
    return {(cell["hops"], cell["bin"]): _cell_view(cell) for cell in found["cells"]}


def _cell_view(cell: Mapping[str, Any]) -> CellView:
    low, high = cell["clustered_low"], cell["clustered_high"]
    return CellView(
        hops=cell["hops"],
        bin=cell["bin"],
        n=cell["n"],
        errors=cell["errors"],
        error_rate=cell["error_rate"],
        low=cell["low"] if low is None else low,
        high=cell["high"] if high is None else high,
    )


@dataclass(frozen=True, slots=True)
class NewestMatrix:
    """The newest whole run of a corpus that ended with a matrix, and that matrix."""

    run: str
    judge: str
    cells: Cells


async def read_newest_matrices(graph: AsyncGraph, corpus: str = "") -> Mapping[str, NewestMatrix]:
    """By the name of each corpus that has one, or of the one that is named; whole as by `WHOLE_RUN`."""
    return {
        row["corpus"]: NewestMatrix(
            row["run"],
            row["judge"],
            {(cell["hops"], cell["bin"]): CellView(**cell) for cell in row["cells"]},
        )
        for row in await graph.rows(query("runs/read_newest_matrices"), corpus=corpus, whole=WHOLE_RUN)
    }


async def read_totals(graph: AsyncGraph, corpus: str) -> Mapping[str, CellView]:
    """By the name of each run with a matrix, its total: all chain questions that it answered."""
    rows = await graph.rows(query("runs/list_totals"), corpus=corpus)
    return {
        row["run"]: CellView(None, None, row["n"], row["errors"], row["error_rate"], row["low"], row["high"])
        for row in rows
    }


def differences(first: Cells, second: Cells) -> dict[Place, CellDifference]:
    """The difference of each cell that both have."""
    found = {}
    for place in first.keys() & second.keys():
        one, other = first[place], second[place]
        both = one.error_rate is not None and other.error_rate is not None
        found[place] = CellDifference(
            *place,
            (other.error_rate or 0.0) - (one.error_rate or 0.0) if both else None,
            is_small(one) or is_small(other),
        )
    return found
