"""The table of error rates by borders that the evidence of questions must cross."""

from collections.abc import Sequence

from services.evaluate.crossings import CrossingCell, CrossingTable
from services.evaluate.statistics.trend import Trend
from services.report.html_values import (
    Column,
    Entry,
    Row,
    TableView,
    none,
    p_text,
    percent,
    percent_range,
)


def crossings_view(tables: Sequence[CrossingTable]) -> TableView:
    """A row for each kind of border, a column for each number of crossings."""
    most = max(cell.crossings for one in tables for cell in one.cells)
    return TableView(
        "Error rate by borders that the evidence must cross",
        "borders",
        (
            *(Column(f"{number} crossed") for number in range(most + 1)),
            Column("trend p"),
            Column("at equal depth, p"),
        ),
        tuple(
            Row(one.border, (*_cells(one, most), _trend(one.trend), _trend(one.trend_at_depth)))
            for one in tables
        ),
        (
            "A question crosses a border where the evidence of one hop lies in another region, month, "
            "domain, article, cluster of claims or community than that of the hop before, whichever chunk "
            "shows it. In a cell: the share of wrong answers, of how many, its 95% interval by cluster of "
            "shared evidence, and the mean distance to the farthest evidence. The trend is tested over "
            "crossings (Cochran\u2013Armitage, p by cluster; z above 0 means more errors). Deeper questions "
            "have more hops that can cross, so part of a rise is depth: the last column tests it among "
            "questions with as many hops.",
        ),
    )


def _cells(table: CrossingTable, most: int) -> tuple[Entry, ...]:
    found = {cell.crossings: cell for cell in table.cells}
    return tuple(_entry(found.get(number)) for number in range(most + 1))


def _entry(cell: CrossingCell | None) -> Entry:
    if cell is None:
        return none("no answers")
    interval = cell.clustered or cell.interval
    notes = [f"{cell.errors:,} of {cell.n:,}"]
    if interval is not None:
        notes.append(percent_range(interval))
    return Entry(percent(cell.error_rate), (*notes, f"distance {cell.difficulty:.2f}"), small=cell.small)


def _trend(trend: Trend | None) -> Entry:
    if trend is None:
        return none("all alike")
    if trend.p_clustered is None:
        return none("too few clusters")
    return Entry(p_text(trend.p_clustered), (f"z {trend.z:+.2f}".replace("-", "\u2212"),))
