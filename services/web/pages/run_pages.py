"""The runs of a corpus, one of them in full, and two compared.

One run's part of a report as drawings and tables of the page.

The judged comparisons of a corpus, and what came of one of them.

The difficulty matrix of a run, or of two with the difference between them.

A difficulty matrix as rows of cells that lead to their questions.
"""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from markupsafe import Markup

from kg.paths.walk import DEPTHS
from services.comparison.report.forest import CAPTION, forest_plot
from services.comparison.report.sections import sections
from services.evaluate.matrix import BINS, SMALL, Cell
from services.evaluate.run_analysis import analyse_traces
from services.report import html_failures, html_matrix, html_runs, html_summary
from services.report.collect import collect_report
from services.report.comparisons import compare_named
from services.report.content import HopLoss, RunSection, Worst
from services.report.html_comparisons import pair_views
from services.report.html_environment import heat_step
from services.report.html_hop_aware import failure_tables, goal_tables, hop_tables
from services.report.html_matrix import crossings_view
from services.report.html_overview import overview
from services.report.html_values import TableView, percent, signed
from services.report.svg import figure
from services.report.svg_charts import Point, Series, grid_figures, loss_chart, loss_parts, rate_chart
from services.web.api.resources import Shared
from services.web.pages.parameters import CorpusName, Id, address, read_runs, require_known, require_run
from services.web.pages.rendering import PageRoute, page
from services.web.views.page_overview import CellDifference, Cells, Place, differences, read_cells
from services.web.views.standards import list_standards, read_standard

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
            cell.small,
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


router = APIRouter(route_class=PageRoute, include_in_schema=False)


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
    )


@router.get("/c/{corpus}/standards")
async def standards(shared: Shared, corpus: CorpusName) -> Response:
    """Every judged comparison with how its hypotheses were decided."""
    await require_known(shared.graph, corpus)
    found = await list_standards(shared.graph, corpus)
    return page("standards.html", "Judged comparisons", corpus, "standards", standards=found)


@router.get("/c/{corpus}/standards/{id}")
async def standard(shared: Shared, corpus: CorpusName, name: Id) -> Response:
    """One judged comparison: its report, and the same as files."""
    await require_known(shared.graph, corpus)
    found = await read_standard(shared.graph, corpus, name)
    results = found.results
    return page(
        "one_standard.html",
        f"Comparison {found.name}",
        corpus,
        "standards",
        standard=found,
        parts=sections(results) if results else (),
        plot=figure("forest", forest_plot(results.hypotheses)) if results else None,
        plot_caption=CAPTION,
    )


@dataclass(frozen=True, slots=True)
class RunView:
    """What the page shows of a run; a part is None where there is nothing to show."""

    facts_line: Markup
    sentences: tuple[Markup, ...]
    by_depth: tuple[Markup, TableView]
    losses: tuple[Markup, TableView] | None
    loss_key: tuple[tuple[str, str], ...]
    recall: TableView | None
    associations: TableView
    crossings: TableView | None
    kinds: TableView | None
    worst: Mapping[str, Sequence[Worst]]
    facts: TableView


def run_section(section: RunSection) -> RunView:
    """The view of a run."""
    name = section.facts.name
    return RunView(
        facts_line=html_summary.facts_sentence(section),
        sentences=tuple(html_summary.run_sentences(section)),
        by_depth=_by_depth(name, section.matrix.by_depth),
        losses=(
            (figure("losses", loss_chart(section.losses, name)), html_failures.loss_table(section.losses))
            if section.losses
            else None
        ),
        loss_key=_loss_key(section.losses),
        recall=(
            html_failures.rate_table(
                "Hops of which a supporting chunk was retrieved", "hop", section.hop_recall, ()
            )
            if section.hop_recall
            else None
        ),
        associations=html_matrix.association_table(section.matrix),
        crossings=crossings_view(section.crossings) if section.crossings else None,
        kinds=html_runs.kinds_table(section.kinds) if section.kinds else None,
        worst=section.worst,
        facts=html_runs.facts_table([section]),
    )


def _by_depth(name: str, cells: Sequence[Cell]) -> tuple[Markup, TableView]:
    labels = [f"{depth} hops" for depth in DEPTHS]
    series = Series(
        name,
        tuple(
            Point(
                cell.n,
                None if cell.error_rate is None else 1 - cell.error_rate,
                html_matrix.turned(html_matrix.best_interval(cell)),
                cell.small,
            )
            for cell in cells
        ),
    )
    chart = rate_chart(
        f"Accuracy of {name} by depth", "The table beside it has the figures.", labels, [series]
    )
    return (
        figure("by-depth", chart),
        html_matrix.accuracy_table(cells, "Accuracy by depth", "depth", labels),
    )


def _loss_key(losses: Sequence[HopLoss]) -> tuple[tuple[str, str], ...]:
    """The classes of the bars' parts with what they say, for the longest chain."""
    longest = max(losses, key=lambda loss: len(loss.retrieval), default=None)
    if longest is None:
        return ()
    said = {
        "reasoning": "reasoning, evidence was there",
        "failed": "error of the system",
        "untold": "not told",
    }
    return tuple(
        (class_, said.get(class_, f"evidence lost at {label}")) for class_, label, _ in loss_parts(longest)
    )


SEED = 0
"""Of the sign-flips, as in the reports."""


@router.get("/c/{corpus}/runs")
async def runs(shared: Shared, corpus: CorpusName) -> Response:
    """Every run with what came of it."""
    await require_known(shared.graph, corpus)
    found = await read_runs(shared.graph, corpus)
    return page("runs.html", "Runs", corpus, "runs", runs=found)


@router.get("/c/{corpus}/runs/{id}")
async def run(shared: Shared, corpus: CorpusName, name: Id) -> Response:
    """One run: what produced it, where its chains broke, on what it fails."""
    await require_known(shared.graph, corpus)
    chosen = require_run(await read_runs(shared.graph, corpus), corpus, name)
    report = await shared.of_runs(corpus, [chosen], collect_report, [chosen], SEED, traces=False)
    return page(
        "one_run.html",
        f"Run {chosen}",
        corpus,
        "runs",
        run=chosen,
        view=run_section(report.runs[0]),
        notes=report.notes,
    )


@router.get("/c/{corpus}/runs/{id}/hops")
async def hops(shared: Shared, corpus: CorpusName, name: Id) -> Response:
    """One run hop by hop: accuracy, depth, searches, and why what failed failed."""
    await require_known(shared.graph, corpus)
    chosen = require_run(await read_runs(shared.graph, corpus), corpus, name)
    found = await shared.of_runs(corpus, [chosen], analyse_traces, chosen)
    return page(
        "hops.html",
        f"Run {chosen} hop by hop",
        corpus,
        "runs",
        run=chosen,
        found=found,
        grids=grid_figures("grid", found.hops),
        overview=overview("glance", [found]),
        figures=hop_tables(found.hops),
        causes=(*failure_tables(found.failures), *goal_tables(found.goals)),
    )


@router.get("/c/{corpus}/compare")
async def compare(
    shared: Shared, corpus: CorpusName, run: str = "", other: Annotated[str, Query(alias="with")] = ""
) -> Response:
    """Two runs on the questions that both answered: the difference with its interval, also by depth."""
    await require_known(shared.graph, corpus)
    known = await read_runs(shared.graph, corpus)
    first = require_run(known, corpus, run) if run else known[0].name if known else ""
    rest = [one.name for one in known if one.name != first]
    second = require_run(known, corpus, other) if other else rest[0] if rest else ""
    pairs = []
    if first and second and first != second:
        pairs = pair_views(await shared.of_runs(corpus, [first, second], compare_named, first, second))
    return page(
        "compare.html",
        "Compare runs",
        corpus,
        "compare",
        runs=known,
        run=first,
        other=second,
        pair=pairs[0] if pairs else None,
        plot=figure("difference", pairs[0].plot) if pairs else None,
    )
