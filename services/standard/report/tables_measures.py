"""Systems beside measures, as tables."""

from collections.abc import Sequence

from services.report.html_values import Column, Entry, Row, TableView, none, plural
from services.standard.analysis.content import MeasureRow, Results
from services.standard.protocol import MEASURE_NAMES
from services.standard.report.written import share, share_range


def measures_table(results: Results) -> TableView:
    """The mean of each measure by the first judge, and token F1, for each system."""
    judge = results.replication.judge
    rows = [one for one in results.measures if one.role in ("judge", "none")]
    return _side_by_side(f"Systems and measures, judged by {judge}", rows, folded=False)


def second_measures_table(results: Results) -> TableView:
    """The same by the second judge."""
    judge = results.replication.second_judge
    rows = [one for one in results.measures if one.role == "second_judge"]
    return _side_by_side(f"The same measures, judged by {judge}", rows, folded=True)


def effects_table(results: Results) -> TableView:
    """What clusters cost each figure, and the interval that ignores them."""
    columns = ("mean", "by cluster", "ignoring clusters (naive)", "clusters", "design effect", "worth")
    return TableView(
        "What the clusters cost",
        "measure, system",
        tuple(map(Column, columns)),
        tuple(
            Row(f"{MEASURE_NAMES[one.measure]}, {one.system}{_by(one)}", _effect(one))
            for one in results.measures
            if one.n
        ),
        (
            "The design effect is how many times larger the variance is than that of as many independent "
            "questions; worth is how many of those would say as much. The naive interval takes every "
            "question for independent; it is shown for comparison only.",
        ),
        folded=True,
    )


def _side_by_side(caption: str, rows: Sequence[MeasureRow], folded: bool) -> TableView:
    measures = list(dict.fromkeys(one.measure for one in rows))
    systems = list(dict.fromkeys(one.system for one in rows))
    found = {(one.system, one.measure): one for one in rows}
    return TableView(
        caption,
        "system",
        tuple(Column(MEASURE_NAMES[measure]) for measure in measures),
        tuple(
            Row(system, tuple(_mean(found[system, measure]) for measure in measures)) for system in systems
        ),
        (
            "Means with 95% intervals by cluster, over the questions where the measure is defined; the "
            "others are counted, and never stand as 0.",
        ),
        folded=folded,
    )


def _mean(one: MeasureRow) -> Entry:
    if one.mean is None:
        return none("nowhere defined")
    span = share_range(one.interval) if one.interval else f"no interval: {plural(one.clusters, 'cluster')}"
    undefined = f", {one.undefined:,} undefined" if one.undefined else ""
    return Entry(share(one.mean), (span, f"n {one.n:,}{undefined}"))


def _effect(one: MeasureRow) -> tuple[Entry, ...]:
    return (
        none("undefined") if one.mean is None else Entry(share(one.mean)),
        none("one cluster") if one.interval is None else Entry(share_range(one.interval)),
        none("undefined") if one.naive is None else Entry(share_range(one.naive)),
        Entry(f"{one.clusters:,}"),
        none("one cluster" if one.clusters < 2 else "all alike")
        if one.design_effect is None
        else Entry(f"{one.design_effect:.2f}"),
        none("undefined")
        if one.effective_n is None
        else Entry(f"{one.effective_n:,.0f}", (f"of {one.n:,}",)),
    )


def _by(one: MeasureRow) -> str:
    return ", second judge" if one.role == "second_judge" else ""
