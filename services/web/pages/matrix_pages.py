"""The difficulty matrix of a run, or of two with their difference; its cells lead to their questions."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from markupsafe import Markup

from kg.paths.walk import DEPTHS
from services.evaluate.matrix import BINS, SMALL
from services.report.collect import collect_report
from services.report.html_environment import heat_step
from services.report.html_summary import run_sentences
from services.report.html_values import percent, signed
from services.web.api.resources import Shared
from services.web.pages.parameters import (
    CorpusName,
    address,
    read_runs,
    require_known,
    require_run,
)
from services.web.pages.rendering import PageRoute, page
from services.web.views.page_overview import CellDifference, Cells, Place, differences, is_small, read_cells

router = APIRouter(route_class=PageRoute, include_in_schema=False)

SEED = 0
"""Of the sign-flips, as in the reports."""
LARGEST_STEP = 5
"""Steps of a difference to either side of none; a step is ten percentage points."""


@dataclass(frozen=True, slots=True)
class ShownCell:
    """A cell as it is drawn: its figure, the lines below it, its colour's class, and where it leads."""

    figure: str
    notes: tuple[str, ...]
    colour: str
    small: bool
    address: str


@dataclass(frozen=True, slots=True)
class MatrixView:
    """A matrix with its caption; None stands for a cell without an answer."""

    caption: str
    rows: tuple[tuple[str, tuple[ShownCell | None, ...]], ...]


def rate_rows(corpus: str, run: str, cells: Cells, other: str = "") -> MatrixView:
    """The error rates of a run; a cell leads to its questions, with what the other run answered beside."""

    def shown(place: Place) -> ShownCell | None:
        cell = cells.get(place)
        if cell is None or cell.error_rate is None:
            return None
        interval = (
            (f"{100 * cell.low:.0f}\u2013{100 * cell.high:.0f}%",)
            if cell.low is not None and cell.high is not None
            else ()
        )
        return ShownCell(
            percent(cell.error_rate),
            (f"{cell.errors:,} of {cell.n:,}", *interval),
            f"on-heat-{heat_step(cell.error_rate)}",
            is_small(cell),
            _questions(corpus, place, run, other, "answered"),
        )

    return MatrixView(f"Error rates of {run}", _rows(shown))


def difference_rows(corpus: str, first: str, second: str, found: dict[Place, CellDifference]) -> MatrixView:
    """By how much the second run is wrong more often; a cell leads to what the two answered differently."""

    def shown(place: Place) -> ShownCell | None:
        cell = found.get(place)
        if cell is None or cell.difference is None:
            return None
        return ShownCell(
            signed(100 * cell.difference, 0),
            ("points",),
            _difference_class(cell.difference),
            cell.small,
            _questions(corpus, place, first, second, "differs"),
        )

    return MatrixView(f"Error rate of {second} less that of {first}", _rows(shown))


def _rows(shown: Callable[[Place], ShownCell | None]) -> tuple[tuple[str, tuple[ShownCell | None, ...]], ...]:
    depths: tuple[int | None, ...] = (*DEPTHS, None)
    bins: tuple[int | None, ...] = (*BINS, None)
    return tuple(
        ("all" if hops is None else f"{hops} hops", tuple(shown((hops, bin_)) for bin_ in bins))
        for hops in depths
    )


def _questions(corpus: str, place: Place, run: str, other: str, outcome: str) -> str:
    hops, bin_ = place
    return address(
        corpus, "questions", kind="chain", hops=hops, bin=bin_, run=run, with_=other, outcome=outcome
    )


def _difference_class(difference: float) -> str:
    step = min(LARGEST_STEP, round(abs(difference) * 10))
    if step == 0:
        return "same"
    return f"{'worse' if difference > 0 else 'better'}-{step}"


HOW_TO_READ = (
    "In a cell: the share of wrong answers, how many of how many, and the 95% interval, by cluster where "
    f"there are several. Hatched cells, marked *, have fewer than {SMALL} answers and say next to nothing. "
    "Choose a cell to see its questions."
)


@router.get("/c/{corpus}/matrix")
async def matrix(
    shared: Shared, corpus: CorpusName, run: str = "", other: Annotated[str, Query(alias="with")] = ""
) -> Response:
    """Without a run, that of the first one; with two, both and their difference."""
    await require_known(shared.graph, corpus)
    runs = await read_runs(shared.graph, corpus)
    chosen = require_run(runs, corpus, run) if run else runs[0].name if runs else ""
    beside = require_run(runs, corpus, other) if other and other != chosen else ""
    views = []
    cells = await read_cells(shared.graph, corpus, chosen) if chosen else {}
    others = await read_cells(shared.graph, corpus, beside) if beside else {}
    if cells:
        views.append(rate_rows(corpus, chosen, cells, beside))
    if others:
        views.append(rate_rows(corpus, beside, others, chosen))
    if cells and others:
        views.append(difference_rows(corpus, chosen, beside, differences(cells, others)))
    sentences: Sequence[Markup] = ()
    if cells and not beside:
        report = await shared.of_runs(corpus, [chosen], collect_report, [chosen], SEED, traces=False)
        sentences = run_sentences(report.runs[0])
    return page(
        "matrix.html",
        "Difficulty matrix",
        corpus,
        "matrix",
        runs=runs,
        run=chosen,
        other=beside,
        views=views,
        without=[name for name, found in ((chosen, cells), (beside, others)) if name and not found],
        how_to_read=HOW_TO_READ,
        sentences=sentences,
    )
