"""Every table of a report on runs, by where it stands: pages and written reports take them from here."""

from collections.abc import Sequence
from typing import TypeAlias

from kg.paths.walk import DEPTHS
from services.evaluate.matrix import BIN_NAMES, BINS
from services.report import html_matrix, html_runs, html_soundness
from services.report.content import Report, RunSection
from services.report.html_hop_aware import analysis_tables
from services.report.html_values import TableView

Tables: TypeAlias = dict[str, tuple[TableView, ...]]
"""Tables by the part of a report that they belong to, in its order; a part may have none."""


def run_tables(run: RunSection) -> Tables:
    """The tables about one run; those that compare runs at a glance are `html_overview`'s."""
    matrix = run.matrix
    depths, quartiles = [f"{depth} hops" for depth in DEPTHS], [BIN_NAMES[quartile] for quartile in BINS]
    return {
        "matrix": (
            html_matrix.matrix_table(matrix, "Error rates by reasoning depth and retrieval distance"),
        ),
        "all_cells": (html_matrix.all_cells_table(matrix),),
        "by_depth": (html_matrix.accuracy_table(matrix.by_depth, "Accuracy by depth", "depth", depths),),
        "by_bin": (html_matrix.accuracy_table(matrix.by_bin, "Accuracy by quartile", "quartile", quartiles),),
        "associations": (html_matrix.association_table(matrix),),
        "ablation": (html_matrix.ablation_table(run.ablation),) if run.ablation else (),
        "crossings": (html_matrix.crossings_view(run.crossings),) if run.crossings else (),
        "kinds": (html_runs.kinds_table(run.kinds),) if run.kinds else (),
        "ceilings": (html_runs.ceilings_table(run.ceilings),) if run.ceilings else (),
        "retrieval": (html_runs.retrieval_table(run.retrieval),) if run.retrieval else (),
        "losses": (html_soundness.loss_table(run.losses),) if run.losses else (),
        "recall": (html_soundness.recall_table(run.hop_recall),) if run.hop_recall else (),
        "grounds": html_soundness.grounds_tables(run.grounds),
        "silences": html_soundness.silence_tables(run.silences) if run.silences else (),
        "hops": analysis_tables(run.analysis) if run.analysis and run.analysis.hops.total else (),
        "worst": tuple(html_soundness.worst_tables(run.worst)),
        "rebinned": html_matrix.rebinned_tables(matrix, run.rebinned) if run.rebinned else (),
        "agreements": (html_runs.agreement_table(run.agreements),) if run.agreements else (),
    }


def side_by_side_tables(runs: Sequence[RunSection]) -> tuple[TableView, ...]:
    """The tables with a line for each run, none for a run alone."""
    if len(runs) < 2:
        return ()
    tables = [html_runs.side_by_side_table(runs), html_runs.correlations_side_by_side(runs)]
    if any(run.grounds for run in runs):
        tables.append(html_soundness.grounds_side_by_side(runs))
    if any(run.kinds for run in runs):
        tables.append(html_runs.kinds_side_by_side(runs))
    if any(run.retrieval for run in runs):
        tables.append(html_runs.retrieval_side_by_side(runs))
    return tuple(tables)


def closing_tables(report: Report) -> Tables:
    """The tables about all runs that stand after them, by their headings."""
    return {
        "From run to run": (html_soundness.repeats_table(report.repeats),) if report.repeats else (),
        "Cost against accuracy": (html_soundness.cost_table(report.costs),) if report.costs else (),
        "Missing links": (html_runs.links_table(report.links),) if report.links else (),
        "How it was made": (html_runs.facts_table(report.runs),) if report.runs else (),
    }
