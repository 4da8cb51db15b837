"""What the page's list of questions shows: filters, a page of rows, and what up to two runs answered."""

from dataclasses import dataclass
from typing import Literal, get_args

from kg.ids import run_id
from kg.queries import query
from kg.store.async_graph import AsyncGraph

Outcome = Literal["", "answered", "right", "wrong", "differs"]
OUTCOMES: tuple[Outcome, ...] = get_args(Outcome)
ROWS_A_PAGE = 50


@dataclass(frozen=True, slots=True)
class Filters:
    """Which questions are wanted; what is empty or None stands for any. `page` counts from 1.

    `outcome` is of the run; "differs" are those that the two runs answered differently.
    """

    hops: int | None = None
    bin: int | None = None
    kind: str = ""
    status: str = "kept"
    text: str = ""
    run: str = ""
    other: str = ""
    outcome: Outcome = ""
    page: int = 1


@dataclass(frozen=True, slots=True)
class QuestionRow:
    """A question in a list; `run_right` and `other_right` are None where the run did not answer it."""

    id: str
    kind: str
    hops: int | None
    bin: int | None
    difficulty: float | None
    text: str
    answer: str
    error_rate: float | None
    rejected_by: str | None
    run_right: bool | None
    other_right: bool | None


@dataclass(frozen=True, slots=True)
class QuestionPage:
    """A page of questions with how many there are in all."""

    rows: tuple[QuestionRow, ...]
    total: int
    pages: int


async def read_questions(graph: AsyncGraph, corpus: str, wanted: Filters) -> QuestionPage:
    """The page that the filters ask for; without rows where they ask for more than there is."""
    found = await graph.rows(
        query("page/list_questions"),
        corpus=corpus,
        status=wanted.status,
        hops=[] if wanted.hops is None else [wanted.hops],
        bins=[] if wanted.bin is None else [wanted.bin],
        kinds=[wanted.kind] if wanted.kind else [],
        text=wanted.text,
        run=run_id(corpus, wanted.run) if wanted.run else "",
        other=run_id(corpus, wanted.other) if wanted.other else "",
        outcome=wanted.outcome,
        skip=(wanted.page - 1) * ROWS_A_PAGE,
        limit=ROWS_A_PAGE,
    )
    total = found[0]["total"] if found else 0
    rows = tuple(QuestionRow(**{key: row[key] for key in row if key != "total"}) for row in found)
    return QuestionPage(rows, total, -(-total // ROWS_A_PAGE))
