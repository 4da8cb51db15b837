"""What came of the hypotheses, and of the pairs about which nothing was claimed, as tables.

All figures behind the decisions on the hypotheses, as tables: intervals, and tests.
"""

from collections.abc import Callable, Iterator
from dataclasses import replace

from services.comparison.analysis.content import HypothesisResult, MeasureRow, Pair, Results, Role, Tested
from services.comparison.protocol import MEASURE_NAMES
from services.report.html_values import (
    MINUS,
    Column,
    Entry,
    Row,
    TableView,
    none,
    p_text,
    plural,
    points,
    points_range,
    whole,
)
from services.statistics.intervals import LEAST_TO_RESAMPLE, Interval

JUDGE_WORDS = {"judge": "judge", "second_judge": "second judge", "none": "no judge"}
"""How a role is called in the report."""


def share(value: float) -> str:
    """A share in per cent with one decimal place."""
    return f"{100 * value:.1f}%"


def share_range(interval: Interval) -> str:
    """An interval of a share."""
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}%"


def share_entry(value: float | None, notes: tuple[str, ...] = ()) -> Entry:
    """A share in a table, undefined where there is none."""
    return none("undefined") if value is None else Entry(share(value), notes)


def points_entry(value: float | None, interval: Interval | None = None, why: str = "undefined") -> Entry:
    """A difference in percentage points with its interval, or why there is none."""
    if value is None:
        return none(why)
    return Entry(points(value), () if interval is None else (points_range(interval),))


def range_entry(interval: Interval | None, why: str = "undefined") -> Entry:
    """An interval of a difference in percentage points, or why there is none."""
    return none(why) if interval is None else Entry(points_range(interval))


def p_entry(p: float | None, notes: tuple[str, ...] = (), why: str = "undefined") -> Entry:
    """A p-value in a table, or why there is none."""
    return none(why) if p is None else Entry(p_text(p), notes)


def count_entry(number: float | None) -> Entry:
    """A count in a table, undefined where there is none."""
    return none("undefined") if number is None else Entry(whole(number))


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
        tuple(Row(difference_name(one), _outcome(one, results)) for one in results.hypotheses),
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


def by_second(tested: Tested | MeasureRow) -> str:
    """What a name has added where the figures are by the second judge."""
    return ", second judge" if tested.role == "second_judge" else ""


def lead(tested: Tested) -> Interval | None:
    """The interval that is shown where there is room for one."""
    return tested.t_interval


def _outcome(one: HypothesisResult, results: Results) -> tuple[Entry, ...]:
    first = one.by[0]
    second = one.by[1] if len(one.by) > 1 else None
    claimed = second is not None and one.decision in ("supported", "contradicted")
    return (
        points_entry(first.estimate, lead(first), "no question"),
        p_entry(first.p_holm, beside_p(first, results.look.looks > 1), "too few clusters"),
        Entry(one.decision),
        none("needs no judge") if second is None else _second(second),
        none("judges share code" if claimed and results.replication.share_code else "no claim")
        if one.survives is None
        else Entry("yes" if one.survives else "no"),
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


def detail_tables(results: Results) -> tuple[TableView, ...]:
    """The intervals and the tests by the first judge, then those by the second; without rows, no table."""
    return tuple(table for table in _tables(results) if table.rows)


def _tables(results: Results) -> Iterator[TableView]:
    told = results.replication
    roles: tuple[tuple[str, tuple[Role, ...]], ...] = (
        (f"by the judge, {told.judge}", ("judge", "none")),
        (f"by the second judge, {told.second_judge}", ("second_judge",)),
    )
    several = results.look.looks > 1
    for by_whom, chosen in roles:
        yield _table(
            f"Intervals {by_whom}",
            ("means", "difference, Student's t", "percentile", "BCa", "design effect", "detectable"),
            _rows(results, chosen, _intervals),
            f"{SIGNS} Three 95% intervals by cluster: Student's t, and the bootstrap's percentile and BCa "
            f"(bias-corrected and accelerated), which fewer than {LEAST_TO_RESAMPLE} clusters don't get. The "
            "design effect is how many times larger the variance is than that of as many independent "
            "questions, and how many of those these are worth. Detectable: the smallest difference that "
            "would have been seen with a chance of 80%, at the level that p had to reach.",
        )
        yield _table(
            f"Tests {by_whom}",
            ("p", "after correction", "of the contrary", "within the smallest", "allowing for the judge"),
            _rows(results, chosen, lambda one: _tests(one, several)),
            "p is of a sign flip of whole clusters, \u00b1 its Monte Carlo error: one-sided where a "
            "hypothesis says higher or lower, two-sided where it says that systems differ; of an "
            "equivalence, the larger of two one-sided t tests. Where the judge errs and the systems leave "
            "different numbers of questions unanswered, it is that of the difference that his verdicts "
            "imply, by Student's test, if that is larger. Of the contrary: corrected too. Within the "
            "smallest: p that the difference is less than the smallest one of interest, either way. "
            "Allowing for the judge: the difference of true accuracies, in points, that the judge's errors "
            "in the calibration imply.",
        )


def _table(caption: str, columns: tuple[str, ...], rows: tuple[Row, ...], note: str) -> TableView:
    return TableView(caption, "hypothesis", tuple(map(Column, columns)), rows, (note,), folded=True)


def _rows(
    results: Results, roles: tuple[Role, ...], entries: Callable[[Tested], tuple[Entry, ...]]
) -> tuple[Row, ...]:
    return tuple(
        Row(difference_name(one), entries(tested))
        for one in results.hypotheses
        for tested in one.by
        if tested.role in roles
    )


def _intervals(one: Tested) -> tuple[Entry, ...]:
    few = "too few clusters"
    why = few if one.clusters < 2 else "no spread"
    resampled = few if one.clusters < LEAST_TO_RESAMPLE else "no spread"
    return (
        none("no question")
        if one.mean is None or one.mean_against is None
        else Entry(f"{share(one.mean)}, {share(one.mean_against)}", _counts(one)),
        points_entry(one.estimate, one.t_interval, "no question"),
        range_entry(one.percentile, resampled),
        range_entry(one.bca, resampled),
        none(why)
        if one.design_effect is None
        else Entry(
            f"{one.design_effect:.2f}",
            () if one.effective_n is None else (f"worth {one.effective_n:,.0f}",),
        ),
        none("undefined") if one.detectable is None else Entry(points(one.detectable).lstrip("+")),
    )


def _tests(one: Tested, several_looks: bool) -> tuple[Entry, ...]:
    error = (f"\u00b1 {one.p_error:.4f}",) if one.p_error else (("exact",) if one.exact else ())
    return (
        p_entry(one.p, error),
        p_entry(one.p_holm, beside_p(one, several_looks)),
        p_entry(one.p_opposite_holm),
        p_entry(one.equivalence_p),
        points_entry(one.adjusted.estimate, one.adjusted.interval, one.adjusted.why or "undefined"),
    )


def _counts(one: Tested) -> tuple[str, ...]:
    undefined = (f"{one.undefined:,} undefined",) if one.undefined else ()
    return (f"n {one.n:,} in {plural(one.clusters, 'cluster')}", *undefined)
