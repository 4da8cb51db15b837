"""What came of the hypotheses, and of the pairs about which nothing was claimed, as tables."""

from dataclasses import replace

from services.evaluate.statistics.intervals import Interval
from services.report.html_values import MINUS, Column, Entry, Row, TableView, none, p_text, plural
from services.standard.analysis.content import HypothesisResult, Pair, Results, Tested
from services.standard.protocol import MEASURE_NAMES
from services.standard.report.written import (
    p_entry,
    points_entry,
    range_entry,
)

SIGNS = (
    "A difference is the mean of the first system less that of the second, in percentage points: + where the "
    "first is higher."
)
"""Which way differences go, for whoever reads only the table."""


def outcome_table(results: Results) -> TableView:
    """One row a hypothesis: difference, test, decision, and what the second judge says."""
    columns = (
        Column("difference, points"),
        Column("p after correction"),
        Column("decision", number=False),
        Column("second judge, points"),
        Column("survives both", number=False),
    )
    return TableView(
        "Hypotheses and decisions",
        "hypothesis",
        columns,
        tuple(Row(difference_name(one), _outcome(one, results.look.looks > 1)) for one in results.hypotheses),
        (
            f"{SIGNS} Intervals are 95%, by cluster. A hypothesis is supported where its p alone is at most "
            "what it had to reach among the others, and at this look. A p that is not small is no evidence "
            "of equality.",
        ),
    )


def naive_table(results: Results) -> TableView:
    """What would have been claimed if every question counted as independent."""
    columns = (
        Column("difference, points"),
        Column("by cluster"),
        Column("decision", number=False),
        Column("ignoring clusters (naive)"),
        Column("naive decision", number=False),
    )
    return TableView(
        "Cluster-aware and naive, side by side",
        "hypothesis",
        columns,
        tuple(
            Row(
                f"{difference_name(one)}{by_second(tested)}",
                _naive(tested),
            )
            for one in results.hypotheses
            for tested in one.by
        ),
        (
            "Naive figures take each question for independent (Student's paired t), with the same correction "
            "and the same level. They are shown to be seen through, not to be used. p is after correction.",
        ),
    )


def pairs_table(results: Results) -> TableView:
    """The pairs that no hypothesis is about."""
    columns = ("difference, points", "p, alone", "p after Holm over all of these", "naive p", "questions")
    return TableView(
        "Exploratory: pairs about which nothing was claimed beforehand",
        "difference of",
        tuple(map(Column, columns)),
        tuple(
            Row(f"{one.second} {MINUS} {one.first}, {MEASURE_NAMES[one.measure]}", _pair(one))
            for one in results.pairs
        ),
        (
            "None of these is a result. What stands out here is a reason to write a hypothesis for another "
            "run, on other questions. p is two-sided.",
        ),
        folded=True,
    )


def difference_name(one: HypothesisResult) -> str:
    """Which hypothesis, and what is taken from what in its difference."""
    return f"{one.id}: {one.system} {MINUS} {one.against}, {MEASURE_NAMES[one.measure]}"


def by_second(tested: Tested) -> str:
    """What a name has added where the figures are by the second judge."""
    return ", second judge" if tested.role == "second_judge" else ""


def lead(tested: Tested) -> Interval | None:
    """The interval that is shown where there is room for one."""
    return tested.t_interval


def _outcome(one: HypothesisResult, several_looks: bool) -> tuple[Entry, ...]:
    first = one.by[0]
    second = one.by[1] if len(one.by) > 1 else None
    return (
        points_entry(first.estimate, lead(first), "no question"),
        p_entry(first.p_holm, beside_p(first, several_looks), "too few clusters"),
        Entry(one.decision),
        none("needs no judge") if second is None else _second(second),
        none("no claim") if one.survives is None else Entry("yes" if one.survives else "no"),
    )


def _second(one: Tested) -> Entry:
    found = points_entry(one.estimate, lead(one), "no question")
    return Entry(found.text, (*found.notes, one.decision), undefined=found.undefined)


def beside_p(one: Tested, several_looks: bool) -> tuple[str, ...]:
    """p before correction beside what it had to reach, or p of the contrary where that is shown."""
    if one.p is None or one.level is None:
        return ()
    if one.decision == "contradicted" and one.p_opposite_holm is not None:
        return (f"of the contrary {p_text(one.p_opposite_holm)}",)
    early = f", shown at look {one.shown_at}" if one.shown_at and several_looks else ""
    return (f"alone {p_text(one.p)}, to reach {one.level:.2g}{early}",)


def _naive(one: Tested) -> tuple[Entry, ...]:
    refuted = one.decision == "contradicted"
    p = _p_note(one.p_opposite_holm, "p of the contrary") if refuted else _p_note(one.p_holm, "p")
    # The contrary has a naive test of its own, whose p is not kept.
    naive_p = () if one.naive_decision == "contradicted" else _p_note(one.naive_p_holm, "p")
    return (
        points_entry(one.estimate, why="no question"),
        _with_notes(range_entry(lead(one), "too few clusters"), p),
        Entry(one.decision),
        _with_notes(range_entry(one.naive_interval), naive_p),
        Entry(one.naive_decision),
    )


def _p_note(p: float | None, what: str) -> tuple[str, ...]:
    return () if p is None else (f"{what} {p_text(p)}",)


def _with_notes(entry: Entry, notes: tuple[str, ...]) -> Entry:
    return entry if entry.undefined else replace(entry, notes=notes)


def _pair(one: Pair) -> tuple[Entry, ...]:
    return (
        points_entry(one.estimate, one.interval),
        p_entry(one.p),
        p_entry(one.p_holm),
        p_entry(one.naive_p),
        Entry(f"{one.n:,}", (plural(one.clusters, "cluster"),)),
    )
