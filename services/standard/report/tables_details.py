"""All figures behind the decisions on the hypotheses, as tables: intervals, and tests."""

from collections.abc import Callable, Iterator

from services.evaluate.statistics.few_clusters import LEAST_TO_RESAMPLE
from services.report.html_values import Column, Entry, Row, TableView, none, plural, points
from services.standard.analysis.content import Results, Role, Tested
from services.standard.report.tables_hypotheses import SIGNS, beside_p, difference_name
from services.standard.report.written import p_entry, points_entry, range_entry, share


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
