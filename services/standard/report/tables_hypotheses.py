"""What came of the hypotheses, and of the pairs about which nothing was claimed, as tables."""

from services.evaluate.statistics.intervals import Interval
from services.report.html_values import Column, Entry, Row, TableView, none, p_text, plural, points
from services.standard.analysis.content import HypothesisResult, Pair, Results, Role, Tested
from services.standard.report.written import (
    MEASURE_WORDS,
    p_entry,
    points_entry,
    range_entry,
    share,
)


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
        "What came of the hypotheses",
        "hypothesis",
        columns,
        tuple(Row(one.id, _outcome(one, results.look.looks > 1)) for one in results.hypotheses),
        (
            "Differences are in percentage points with 95% intervals by cluster. A hypothesis is supported "
            "where p alone is at most what it had to reach among the others, and at this look. A p that is "
            "not "
            "small is no evidence of equality.",
        ),
    )


def detail_tables(results: Results) -> tuple[TableView, ...]:
    """All figures behind the decisions, a table for each judge."""
    tables: tuple[tuple[str, tuple[Role, ...]], ...] = (
        (f"Figures by the judge, {results.replication.judge}", ("judge", "none")),
        (f"Figures by the second judge, {results.replication.second_judge}", ("second_judge",)),
    )
    made = (_detail(results, caption, roles) for caption, roles in tables)
    return tuple(table for table in made if table.rows)


def naive_table(results: Results) -> TableView:
    """What would have been claimed if every question counted as independent."""
    columns = (
        Column("difference, points"),
        Column("by cluster"),
        Column("p"),
        Column("decision", number=False),
        Column("ignoring clusters (naive)"),
        Column("naive p"),
        Column("naive decision", number=False),
    )
    return TableView(
        "Cluster-aware and naive, side by side",
        "hypothesis",
        columns,
        tuple(
            Row(
                one.id if tested.role != "second_judge" else f"{one.id}, second judge",
                _naive(tested, results.look.looks > 1),
            )
            for one in results.hypotheses
            for tested in one.by
        ),
        (
            "Naive figures take each question for independent (Student's paired t), with the same correction "
            "and the same level. They are shown to be seen through, not to be used.",
        ),
    )


def pairs_table(results: Results) -> TableView:
    """The pairs that no hypothesis is about."""
    columns = ("difference, points", "p, alone", "p after Holm over all of these", "naive p", "questions")
    return TableView(
        "Exploratory: pairs about which nothing was claimed beforehand",
        "measure, systems",
        tuple(map(Column, columns)),
        tuple(
            Row(f"{MEASURE_WORDS[one.measure]}, {one.second} less {one.first}", _pair(one))
            for one in results.pairs
        ),
        (
            "None of these is a result. What stands out here is a reason to write a hypothesis for another "
            "run, "
            "on other questions.",
        ),
        folded=True,
    )


def lead(tested: Tested) -> Interval | None:
    """The interval that is shown where there is room for one."""
    return tested.t_interval


def _outcome(one: HypothesisResult, several_looks: bool) -> tuple[Entry, ...]:
    first = one.by[0]
    second = one.by[1] if len(one.by) > 1 else None
    return (
        points_entry(first.estimate, lead(first), "no question"),
        p_entry(first.p_holm, _alone(first, several_looks), "too few clusters"),
        Entry(one.decision),
        none("needs no judge") if second is None else _second(second),
        none("no claim") if one.survives is None else Entry("yes" if one.survives else "no"),
    )


def _second(one: Tested) -> Entry:
    found = points_entry(one.estimate, lead(one), "no question")
    return Entry(found.text, (*found.notes, one.decision), undefined=found.undefined)


def _detail(results: Results, caption: str, roles: tuple[Role, ...]) -> TableView:
    columns = (
        "means",
        "difference",
        "Student's t",
        "percentile",
        "BCa",
        "p",
        "after correction",
        "of the contrary",
        "within the smallest",
        "detectable",
        "design effect",
        "allowing for the judge",
    )
    return TableView(
        caption,
        "hypothesis",
        tuple(map(Column, columns)),
        tuple(
            Row(one.id, _figures(tested, results.look.looks > 1))
            for one in results.hypotheses
            for tested in one.by
            if tested.role in roles
        ),
        (
            "Three 95% intervals by cluster: Student's t, and the bootstrap's percentile and BCa. p is of a "
            "sign flip of whole clusters, ± its Monte Carlo error; of an equivalence, the larger of two t "
            "tests. Within the smallest: p that the difference is less than the smallest one of interest, "
            "either way. Detectable: what would have been seen with a chance of 80%. Allowing for the judge: "
            "the difference of true accuracies that the judge's errors in the calibration imply.",
        ),
        folded=True,
    )


def _figures(one: Tested, several_looks: bool) -> tuple[Entry, ...]:
    error = (f"\u00b1 {one.p_error:.4f}",) if one.p_error else (("exact",) if one.exact else ())
    return (
        none("no question")
        if one.mean is None or one.mean_against is None
        else Entry(f"{share(one.mean)}, {share(one.mean_against)}", (_counts(one),)),
        points_entry(one.estimate),
        range_entry(one.t_interval, "too few clusters"),
        range_entry(one.percentile, "no spread"),
        range_entry(one.bca, "no spread"),
        p_entry(one.p, error),
        p_entry(one.p_holm, _alone(one, several_looks)),
        p_entry(one.p_opposite_holm),
        p_entry(one.equivalence_p),
        none("undefined") if one.detectable is None else Entry(points(one.detectable).lstrip("+")),
        none("all alike")
        if one.design_effect is None
        else Entry(
            f"{one.design_effect:.2f}",
            () if one.effective_n is None else (f"worth {one.effective_n:,.0f}",),
        ),
        points_entry(one.adjusted.estimate, one.adjusted.interval, one.adjusted.why or "undefined"),
    )


def _alone(one: Tested, several_looks: bool) -> tuple[str, ...]:
    """p before correction beside what it had to reach, or p of the contrary where that is shown."""
    if one.p is None or one.level is None:
        return ()
    if one.decision == "contradicted" and one.p_opposite_holm is not None:
        return (f"of the contrary {p_text(one.p_opposite_holm)}",)
    early = f", shown at look {one.shown_at}" if one.shown_at and several_looks else ""
    return (f"alone {p_text(one.p)}, to reach {p_text(one.level)}{early}",)


def _counts(one: Tested) -> str:
    undefined = f", {one.undefined:,} undefined" if one.undefined else ""
    return f"n {one.n:,} in {plural(one.clusters, 'cluster')}{undefined}"


def _naive(one: Tested, several_looks: bool) -> tuple[Entry, ...]:
    return (
        points_entry(one.estimate),
        range_entry(lead(one), "too few clusters"),
        p_entry(one.p_holm, _alone(one, several_looks)),
        Entry(one.decision),
        range_entry(one.naive_interval),
        p_entry(one.naive_p_holm),
        Entry(one.naive_decision),
    )


def _pair(one: Pair) -> tuple[Entry, ...]:
    return (
        points_entry(one.estimate, one.interval),
        p_entry(one.p),
        p_entry(one.p_holm),
        p_entry(one.naive_p),
        Entry(f"{one.n:,}", (plural(one.clusters, "cluster"),)),
    )
