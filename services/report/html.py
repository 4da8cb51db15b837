"""A report as one page: a single file without scripts that opens anywhere and asks nothing of a network.

Hop-aware analysis of runs as a page by itself, which opens anywhere and asks nothing of a network.
"""

from collections.abc import Sequence

from markupsafe import Markup

from kg import __version__
from kg.paths.protocol import DEPTHS
from services.evaluate.hop_aware import ALL, CHAINED, HopAware, comparison_notes
from services.evaluate.matrix import SMALL, Cell
from services.evaluate.run_analysis import RunAnalysis
from services.report import html_matrix, html_summary, svg
from services.report.content import HopLoss, Report, RunSection
from services.report.html_comparisons import pair_views
from services.report.html_environment import environment, style_hash, style_values
from services.report.html_hop_aware import failure_tables, goal_tables, kind_lines, tables_of
from services.report.html_overview import overview
from services.report.html_runs import closing_tables, run_tables, side_by_side_tables
from services.report.html_values import TableView, name
from services.report.run_facts import matrix_notes
from services.report.svg import figure, swatch
from services.report.svg_charts import (
    Point,
    Series,
    grid_figures,
    heat_map,
    loss_chart,
    loss_parts,
    rate_chart,
    series_class,
    steps_grid,
)


def render_analysis(corpus: str, analyses: Sequence[RunAnalysis]) -> str:
    """The analysis of these runs as an HTML document in UTF-8; the same analysis gives the same text."""
    hops = [one.hops for one in analyses]
    runs = ", ".join(one.run for one in hops)
    return (
        environment()
        .get_template("analysis.html")
        .render(
            **style_values(),
            style_hash=style_hash(),
            title=f"Hop by hop, {corpus}: {runs}",
            version=__version__,
            corpus=name(corpus),
            runs=analyses,
            sections=kind_sections(hops),
            failures=[
                (name(one.hops.run), (*failure_tables(one.failures), *goal_tables(one.goals)))
                for one in analyses
            ],
            overview=overview("glance", analyses),
            notes=[*comparison_notes(hops), *(note for one in hops for note in one.notes)],
            small=SMALL,
        )
    )


def kind_sections(analyses: Sequence[HopAware]) -> list[dict[str, object]]:
    """A section for each kind of question, and one for all together, by the names of their template.

    It has a drawing for each run that has steps, and tables. Those of kinds that are no chains of hops are
    `folded`: there is less to learn from them.
    """
    return [
        {
            "number": number,
            "heading": name(label),
            "grids": tuple(_grids(number, label, analyses)),
            "tables": tables_of(lines, "run, depth" if len(analyses) > 1 else "depth", f": {label}"),
            "folded": label != ALL and not any(one.group.kind in CHAINED for _, one in lines),
        }
        for number, (label, lines) in enumerate(kind_lines(analyses), start=1)
    ]


def _grids(section: int, label: str, analyses: Sequence[HopAware]) -> list[tuple[Markup, Markup]]:
    grids = []
    for number, run in enumerate(analyses, start=1):
        rows = [one for one in run.groups if one.group.label == label and one.group.hops is not None]
        if any(one.group.kind in CHAINED and one.steps.by_count for one in rows):
            drawing = steps_grid(rows, f"Searches of {run.run} for a question, by depth: {label}")
            grids.append((name(run.run), svg.figure(f"grid-{section}-{number}", drawing)))
    return grids


def render_html(report: Report) -> str:
    """The report as an HTML document in UTF-8; the same report gives the same text."""
    return (
        environment()
        .get_template("report.html")
        .render(
            report=report,
            **style_values(),
            style_hash=style_hash(),
            version=report.version,
            title=_title(report),
            corpus=name(report.corpus),
            headline=html_summary.headline(report),
            decided=html_summary.decided_sentences(report),
            cautions=html_summary.cautions(report),
            runs=[
                _run_view(number, run, alone=len(report.runs) == 1)
                for number, run in enumerate(report.runs, start=1)
            ],
            side_by_side=_side_by_side(report.runs) if len(report.runs) > 1 else None,
            pairs=[
                (pair, figure(f"pair-{number}-plot", pair.plot))
                for number, pair in enumerate(pair_views(report.comparisons), start=1)
            ],
            closing=closing_tables(report),
            notes=_notes_to_end(report),
        )
    )


def _notes_to_end(report: Report) -> list[str]:
    """The notes but those that the page begins with, as what not to conclude."""
    first = set(matrix_notes(report.runs))
    return [note for note in report.notes if note not in first]


def _title(report: Report) -> str:
    runs = ", ".join(run.facts.name for run in report.runs)
    return f"Report on {report.corpus}: {runs or 'no run'}"


def _run_view(number: int, run: RunSection, alone: bool) -> dict[str, object]:
    """What the page shows of a run, by the names of its template; `id` starts the ids of its parts."""
    id_, facts, tables = f"run-{number}", run.facts, run_tables(run)
    return {
        "id": id_,
        "name": name(facts.name),
        "facts": html_summary.facts_sentence(run),
        "sentences": tuple(html_summary.run_sentences(run)),
        "heat": figure(f"{id_}-heat", heat_map(run.matrix, facts.name)),
        "depth_chart": _accuracy(f"{id_}-depth", run, run.matrix.by_depth, *tables["by_depth"]),
        "bin_chart": _accuracy(f"{id_}-bin", run, run.matrix.by_bin, *tables["by_bin"]),
        "loss_chart": figure(f"{id_}-losses", loss_chart(run.losses, facts.name)) if run.losses else None,
        "loss_key": loss_key(run.losses),
        "tables": tables,
        # Several runs are at a glance side by side.
        "overview": overview(f"{id_}-glance", [run.analysis]) if run.analysis and alone else None,
        "hop_grids": grid_figures(f"{id_}-grid", run.analysis.hops) if run.analysis else (),
        "hop_notes": run.analysis.hops.notes if run.analysis else (),
    }


def _accuracy(id_: str, run: RunSection, cells: Sequence[Cell], table: TableView) -> Markup:
    labels = [str(row.header) for row in table.rows]
    text = "; ".join(
        f"{label} {row.entries[1].text} of {cell.n:,}"
        for label, cell, row in zip(labels, cells, table.rows, strict=True)
    )
    title = f"Accuracy of {run.facts.name} by {table.corner}"
    return figure(id_, rate_chart(title, f"{text}.", labels, [accuracy_series(run, cells)]))


def accuracy_series(run: RunSection, cells: Sequence[Cell]) -> Series:
    """The accuracies of a run in these cells, as a chart draws them."""
    return Series(
        run.facts.name,
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


def loss_key(losses: Sequence[HopLoss]) -> tuple[tuple[str, str], ...]:
    """The classes of the bars' parts with what they say, for the longest chain."""
    longest = max(losses, key=lambda loss: len(loss.retrieval), default=None)
    if longest is None:
        return ()
    said = {
        "reasoning": "reasoning, evidence was there",
        "failed": "error of the system",
        "untold": "not known: the system keeps to itself what it retrieved",
    }
    untold = any(loss.untold for loss in losses)
    return tuple(
        (class_, said.get(class_, f"evidence lost at {label}"))
        for class_, label, _ in loss_parts(longest)
        if untold or class_ != "untold"
    )


def _side_by_side(runs: Sequence[RunSection]) -> dict[str, object]:
    labels = [f"{depth} hops" for depth in DEPTHS]
    chart = rate_chart(
        "Accuracy of all runs by reasoning depth",
        "The figures are in the table on error rates by depth below.",
        labels,
        [accuracy_series(run, run.matrix.by_depth) for run in runs],
    )
    analyses = [run.analysis for run in runs if run.analysis is not None]
    return {
        "chart": figure("all-runs", chart),
        "key": [
            (swatch(number, series_class(number)), name(run.facts.name)) for number, run in enumerate(runs)
        ],
        "hops": overview("hops-side", analyses),
        "hop_notes": comparison_notes([one.hops for one in analyses]),
        "tables": side_by_side_tables(runs),
    }
