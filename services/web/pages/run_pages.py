"""The runs of a corpus, one in full, two compared, their difficulty matrix, and the judged comparisons."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response
from markupsafe import Markup

from kg.paths.protocol import DEPTHS
from services.comparison.report.sections import sections
from services.comparison.report.sentences import CAPTION, forest_plot
from services.evaluate.matrix import BINS, SMALL
from services.evaluate.run_analysis import analyse_traces
from services.report import html_runs, html_summary
from services.report.collect import collect_report
from services.report.comparisons import compare_pair
from services.report.content import RunSection
from services.report.html import accuracy_series, loss_key
from services.report.html_comparisons import chain_sentence, pair_views
from services.report.html_environment import heat_step
from services.report.html_hop_aware import failure_tables, goal_tables, hop_tables
from services.report.html_overview import overview
from services.report.html_runs import run_tables
from services.report.html_summary import run_sentences
from services.report.html_values import percent, signed
from services.report.svg import figure
from services.report.svg_charts import grid_figures, loss_chart, rate_chart
from services.web.api.resources import Shared
from services.web.pages.parameters import (
    CorpusName,
    Id,
    address,
    by_wholeness,
    read_counted_runs,
    read_runs,
    require_known,
    require_run,
)
from services.web.pages.rendering import PageRoute, page
from services.web.views.runs import (
    CellDifference,
    Cells,
    Place,
    differences,
    is_small,
    read_cells,
    read_totals,
)
from services.web.views.standards import list_standards, read_standard

router = APIRouter(route_class=PageRoute, include_in_schema=False)


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


def run_section(section: RunSection) -> dict[str, object]:
    """What the page shows of a run, by the names of its template; `losses` is None where no chain broke."""
    name = section.facts.name
    return {
        "facts_line": html_summary.facts_sentence(section),
        "sentences": tuple(html_summary.run_sentences(section)),
        "by_depth": _by_depth(section),
        "losses": figure("losses", loss_chart(section.losses, name)) if section.losses else None,
        "loss_key": loss_key(section.losses),
        "tables": run_tables(section),
        "worst": section.worst,
        "facts": html_runs.facts_table([section]),
    }


def _by_depth(section: RunSection) -> Markup:
    labels = [f"{depth} hops" for depth in DEPTHS]
    series = accuracy_series(section, section.matrix.by_depth)
    title, told = f"Accuracy of {section.facts.name} by depth", "The table beside it has the figures."
    return figure("by-depth", rate_chart(title, told, labels, [series]))


SEED = 0
"""Of the sign-flips, as in the reports."""


@router.get("/c/{corpus}/runs")
async def runs(shared: Shared, corpus: CorpusName) -> Response:
    """Every run with what came of it."""
    await require_known(shared.graph, corpus)
    found = await read_counted_runs(shared.graph, corpus)
    totals = await read_totals(shared.graph, corpus)
    return page("runs.html", "Runs", corpus, "runs", runs=found, totals=totals)


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
    """Two runs on the questions that both answered: the difference with its interval, also by depth.

    It begins with that of chain questions, which the overview shows as a run's change.

    Where none is named, the oldest whole run, as the baseline, and the newest.
    """
    await require_known(shared.graph, corpus)
    known = await read_runs(shared.graph, corpus)
    second = require_run(known, corpus, other) if other else ""
    whole, rest = ([one.name for one in some if one.name != second] for some in by_wholeness(known))
    first = require_run(known, corpus, run) if run else next(iter([*reversed(whole), *reversed(rest)]), "")
    second = second or next((name for name in [*whole, *rest] if name != first), "")
    pairs, of_chains = [], None
    if first and second and first != second:
        chains, compared = await shared.of_runs(corpus, [first, second], compare_pair, first, second)
        pairs = pair_views(compared)
        of_chains = chain_sentence(chains) if chains else None
    return page(
        "compare.html",
        "Compare runs",
        corpus,
        "compare",
        runs=known,
        run=first,
        other=second,
        of_chains=of_chains,
        pair=pairs[0] if pairs else None,
        plot=figure("difference", pairs[0].plot) if pairs else None,
    )


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
