"""The runs of a corpus, one of them in full, and two compared."""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import Response

from services.api.resources import Shared
from services.evaluate.run_analysis import analyse_traces
from services.page.known import read_runs, require_known, require_run
from services.page.parameters import CorpusName, Id
from services.page.rendering import page
from services.page.route import PageRoute
from services.page.run_sections import run_section
from services.report.collect import collect_report
from services.report.comparisons import compare_named
from services.report.html_attribution import failure_tables
from services.report.html_comparisons import pair_views
from services.report.html_goals import goal_tables
from services.report.html_hop_aware import hop_tables
from services.report.html_overview import overview
from services.report.svg import figure
from services.report.svg_steps import grid_figures

router = APIRouter(route_class=PageRoute, include_in_schema=False)

SEED = 0
"""Of the bootstrap and of sign-flips, as in the reports."""


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
