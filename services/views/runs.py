"""Runs of a corpus: what each is and what came of it, and its difficulty matrix."""

from dataclasses import dataclass

from kg.queries import query
from kg.store.async_graph import AsyncGraph
from services.views.cursors import require_known, run_of


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
class MatrixCell:
    """The errors of one depth and quartile; None for `hops` or `bin` is a total over all of them.

    `low` and `high` are Wilson's 95 % interval, `clustered_low` and `clustered_high` allow for questions
    that share an article; `small` marks fewer than 20 answers.
    """

    hops: int | None
    bin: int | None
    n: int
    errors: int
    error_rate: float | None
    low: float | None
    high: float | None
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
    rows = await graph.rows(query("views/list_runs"), corpus=corpus, name="")
    if not rows:
        await require_known(graph, corpus)
    return tuple(RunSummary(**row) for row in rows)


async def read_run(graph: AsyncGraph, corpus: str, name: str) -> RunSummary:
    """One run.

    Raises:
        MissingError: there is no such corpus, or no such run in it.
    """
    await run_of(graph, corpus, name)
    (row,) = await graph.rows(query("views/list_runs"), corpus=corpus, name=name)
    return RunSummary(**row)


async def read_matrix(graph: AsyncGraph, corpus: str, name: str) -> RunMatrix:
    """The difficulty matrix of a run, as the last analysis of its verdicts wrote it.

    Raises:
        MissingError: there is no such corpus, or no such run in it.
    """
    (answer,) = await graph.rows(query("views/read_cells"), corpus=corpus, run=name)
    if not answer["cells"]:
        await run_of(graph, corpus, name)
    return RunMatrix(name, tuple(MatrixCell(**cell) for cell in answer["cells"]))
