"""One run's part of a report as drawings and tables of the page."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from markupsafe import Markup

from kg.paths.walk import DEPTHS
from services.evaluate.matrix import Cell
from services.report import html_failures, html_matrix, html_runs, html_summary
from services.report.content import HopLoss, RunSection, Worst
from services.report.html_crossings import crossings_view
from services.report.html_values import TableView
from services.report.svg import figure
from services.report.svg_losses import loss_chart, loss_parts
from services.report.svg_rates import Point, Series, rate_chart


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
