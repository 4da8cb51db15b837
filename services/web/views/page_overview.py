"""What the page's overview shows of a corpus: its parts, and how it grew.

What the page shows of a difficulty matrix: the cells of one run, or of two beside their difference.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from kg.ids import run_id
from kg.queries import query
from kg.store.async_graph import AsyncGraph
from kg.store.graph import Graph
from services.datasets.statistics import DatasetStatistics
from services.evaluate.matrix import SMALL
from services.report.collect import WHOLE_RUN
from services.report.html_values import Column, Entry, Row, TableView, name, none, percent, whole
from services.web.views.runs import CellView

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


PERIODS = {"day": 10, "month": 7, "year": 4}
"""Lengths of the beginning of a day as text, by what it stands for."""
MOST_BARS = 36


@dataclass(frozen=True, slots=True)
class Growth:
    """Articles of a day, a month or a year, and the entities that these articles were the first to name."""

    period: str
    articles: int
    entities: int


async def read_known_corpora(graph: AsyncGraph) -> tuple[dict[str, object], ...]:
    """Every corpus with its sizes, by name: the columns of `corpus/list_corpora`."""
    return tuple(await graph.rows(query("corpus/list_corpora")))


async def count_parts(graph: AsyncGraph, corpus: str) -> dict[str, int]:
    """How much there is of each part of a corpus' graph, by the columns of `corpus/count_parts`."""
    return (await graph.rows(query("corpus/count_parts"), corpus=corpus))[0]


def read_growth(graph: Graph, corpus: str) -> tuple[str, tuple[Growth, ...]]:
    """How a corpus grew, with what a period of it is: a day, a month or a year. Every mention is read."""
    rows = graph.rows(query("articles/count_by_day"), corpus=corpus)
    return grouped([Growth(row["day"], row["articles"], row["entities"]) for row in rows])


def grouped(days: Sequence[Growth]) -> tuple[str, tuple[Growth, ...]]:
    """The days by day, month or year, whichever is the finest that gives few enough periods."""
    fitting = (unit for unit in PERIODS if len(_by_period(days, unit)) <= MOST_BARS)
    unit = next(fitting, "year")
    return unit, _by_period(days, unit)


def _by_period(days: Sequence[Growth], unit: str) -> tuple[Growth, ...]:
    length = PERIODS[unit]
    return tuple(
        Growth(period, sum(day.articles for day in inside), sum(day.entities for day in inside))
        for period, inside in (
            (period, list(group)) for period, group in groupby(days, lambda day: day.period[:length])
        )
    )


def statistics_tables(found: DatasetStatistics) -> tuple[TableView, ...]:
    """What the articles and the kept questions are like (MultiHop-RAG, tables 2 to 4, and first words)."""
    categories = TableView(
        "Articles by category",
        "category",
        (Column("articles"), Column("mean tokens")),
        tuple(
            Row(
                name(one.category or "none given"),
                (Entry(whole(one.articles)), Entry(f"{one.mean_tokens:,.1f}")),
                total=one is found.total,
            )
            for one in (*found.categories, found.total)
        ),
    )
    counted = (
        ("Questions by type", "type", found.types, ()),
        (
            "Questions by evidence",
            "evidence",
            found.evidence,
            ("Null questions have 0 pieces of evidence: nothing holds their answer.",),
        ),
        ("First words of questions", "word", found.first_words, ()),
    )
    counts = (
        TableView(
            caption,
            corner,
            (Column("questions"), Column("share")),
            tuple(
                Row(name(one.name), (Entry(whole(one.questions)), Entry(percent(one.share)))) for one in rows
            ),
            notes,
        )
        for caption, corner, rows, notes in counted
        if rows
    )
    balance = TableView(
        "Answers of opposite value",
        "type, answers",
        (Column("made"), Column("kept"), Column("share of the first")),
        tuple(
            Row(
                name(f"{one.query_type}, {' / '.join(one.answers)}"),
                (
                    Entry(" / ".join(map(whole, one.made))),
                    Entry(" / ".join(map(whole, one.kept))),
                    none("none kept") if one.share is None else Entry(percent(one.share)),
                ),
            )
            for one in found.balance
        ),
    )
    return (categories, *counts, *((balance,) if balance.rows else ()))
