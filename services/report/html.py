"""A report as one page: a single file without scripts that opens anywhere and asks nothing of a network."""

from collections.abc import Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kg.paths.walk import DEPTHS
from services.evaluate.hop_aware.analyse import comparison_notes
from services.evaluate.matrix import BIN_NAMES, BINS, Cell
from services.report import html_failures, html_matrix, html_runs, html_soundness, html_summary
from services.report.content import Report, RunSection
from services.report.html_comparisons import pair_views
from services.report.html_environment import environment, style_hash, style_values
from services.report.html_hop_aware import analysis_tables
from services.report.html_matrix import crossings_view
from services.report.html_overview import Overview, overview
from services.report.html_values import TableView, name
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
)


@dataclass(frozen=True, slots=True)
class _RunView:
    """What the page shows of a run; `id` starts the ids of its parts."""

    id: str
    name: Markup
    section: RunSection
    facts: Markup
    sentences: tuple[Markup, ...]
    heat: Markup
    matrix: TableView
    all_cells: TableView
    by_depth: tuple[Markup, TableView]
    by_bin: tuple[Markup, TableView]
    associations: TableView
    ablation: TableView | None
    crossings: TableView | None
    kinds: TableView | None
    ceilings: TableView | None
    losses: tuple[Markup, TableView] | None
    loss_key: tuple[tuple[str, str], ...]
    retrieval: TableView | None
    recall: TableView | None
    grounds: tuple[TableView, ...]
    silences: tuple[TableView, ...]
    worst: tuple[TableView, ...]
    rebinned_overview: TableView | None
    rebinned: tuple[TableView, ...]
    agreements: TableView | None
    overview: Overview | None
    hops: tuple[TableView, ...]
    hop_grids: tuple[Markup, ...]
    hop_notes: tuple[str, ...]


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
            costs=html_soundness.cost_table(report.costs) if report.costs else None,
            repeats=html_soundness.repeats_table(report.repeats) if report.repeats else None,
            links=html_runs.links_table(report.links) if report.links else None,
            facts=html_runs.facts_table(report.runs) if report.runs else None,
        )
    )


def _title(report: Report) -> str:
    runs = ", ".join(run.facts.name for run in report.runs)
    return f"Report on {report.corpus}: {runs or 'no run'}"


def _run_view(number: int, run: RunSection, alone: bool) -> _RunView:
    id_, matrix = f"run-{number}", run.matrix
    facts = run.facts
    return _RunView(
        id=id_,
        name=name(facts.name),
        section=run,
        facts=html_summary.facts_sentence(run),
        sentences=tuple(html_summary.run_sentences(run)),
        heat=figure(f"{id_}-heat", heat_map(matrix, facts.name)),
        matrix=html_matrix.matrix_table(matrix, "Error rates by reasoning depth and retrieval distance"),
        all_cells=html_matrix.all_cells_table(matrix),
        by_depth=_accuracy(f"{id_}-depth", run, matrix.by_depth, "depth", [f"{d} hops" for d in DEPTHS]),
        by_bin=_accuracy(f"{id_}-bin", run, matrix.by_bin, "quartile", [BIN_NAMES[b] for b in BINS]),
        associations=html_matrix.association_table(matrix),
        ablation=html_matrix.ablation_table(run.ablation) if run.ablation else None,
        crossings=crossings_view(run.crossings) if run.crossings else None,
        kinds=html_runs.kinds_table(run.kinds) if run.kinds else None,
        ceilings=html_runs.ceilings_table(run.ceilings) if run.ceilings else None,
        losses=(
            (
                figure(f"{id_}-losses", loss_chart(run.losses, facts.name)),
                html_failures.loss_table(run.losses),
            )
            if run.losses
            else None
        ),
        loss_key=_loss_key(run),
        retrieval=html_runs.retrieval_table(run.retrieval) if run.retrieval else None,
        recall=_recall_table(run) if run.hop_recall else None,
        grounds=html_soundness.grounds_tables(run.grounds),
        silences=html_soundness.silence_tables(run.silences) if run.silences else (),
        worst=tuple(html_failures.worst_tables(run.worst)),
        rebinned_overview=html_matrix.rebinned_overview(matrix, run.rebinned) if run.rebinned else None,
        rebinned=tuple(html_matrix.rebinned_tables(run.rebinned)),
        agreements=html_runs.agreement_table(run.agreements) if run.agreements else None,
        # Several runs are at a glance side by side.
        overview=overview(f"{id_}-glance", [run.analysis]) if run.analysis and alone else None,
        hops=analysis_tables(run.analysis) if run.analysis and run.analysis.hops.total else (),
        hop_grids=grid_figures(f"{id_}-grid", run.analysis.hops) if run.analysis else (),
        hop_notes=run.analysis.hops.notes if run.analysis else (),
    )


def _accuracy(
    id_: str, run: RunSection, cells: Sequence[Cell], corner: str, labels: Sequence[str]
) -> tuple[Markup, TableView]:
    table = html_matrix.accuracy_table(cells, f"Accuracy by {corner}", corner, labels)
    told = "; ".join(
        f"{label} {row.entries[1].text} of {cell.n:,}"
        for label, cell, row in zip(labels, cells, table.rows, strict=True)
    )
    chart = rate_chart(f"Accuracy of {run.facts.name} by {corner}", f"{told}.", labels, [_series(run, cells)])
    return figure(id_, chart), table


def _series(run: RunSection, cells: Sequence[Cell]) -> Series:
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


def _recall_table(run: RunSection) -> TableView:
    return html_failures.rate_table(
        "Hops of which a supporting chunk was retrieved",
        "hop",
        run.hop_recall,
        ("Over all chain questions, answered rightly or not.",),
    )


def _loss_key(run: RunSection) -> tuple[tuple[str, str], ...]:
    longest = max(run.losses, key=lambda loss: len(loss.retrieval), default=None)
    if longest is None:
        return ()
    said = {
        "reasoning": "reasoning, evidence was there",
        "failed": "error of the system",
        "untold": "not known: the system keeps to itself what it retrieved",
    }
    untold = any(loss.untold for loss in run.losses)
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
        [_series(run, run.matrix.by_depth) for run in runs],
    )
    analyses = [run.analysis for run in runs if run.analysis is not None]
    tables = [html_runs.side_by_side_table(runs), html_runs.correlations_side_by_side(runs)]
    if any(run.grounds for run in runs):
        tables.append(html_soundness.grounds_side_by_side(runs))
    if any(run.kinds for run in runs):
        tables.append(html_runs.kinds_side_by_side(runs))
    if any(run.retrieval for run in runs):
        tables.append(html_runs.retrieval_side_by_side(runs))
    return {
        "chart": figure("all-runs", chart),
        "key": [
            (swatch(number, series_class(number)), name(run.facts.name)) for number, run in enumerate(runs)
        ],
        "hops": overview("hops-side", analyses),
        "hop_notes": comparison_notes([one.hops for one in analyses]),
        "tables": tables,
    }
