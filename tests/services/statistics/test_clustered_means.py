"""Means over clusters: by hand, by matrices as the papers write them, and what must hold for any.

Score intervals of rates over clusters: Wilson's own, those of reports, and on verdicts of a known rate.

Two one-sided tests over clusters: by scipy's t test, by hand, and at their level.

Runs that repeat each other: two crossed factors, by hand and by simulation.
"""

from math import atan, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.linalg import inv, sqrtm
from scipy.stats import ttest_1samp

from services.statistics.clustered_means import (
    ClusteredMean,
    clustered_means,
    equivalence,
    rate_intervals,
    repeated_mean,
)
from services.statistics.intervals import (
    Floats,
    Interval,
    Partition,
    degrees_of_freedom,
    expanded_tails,
    partition,
    wilson,
)
from tests.services.statistics.correlated_verdicts import (
    correlated_differences,
    correlated_verdicts,
    uneven_clusters,
)

ROWS = st.lists(
    st.tuples(st.sampled_from([-1.0, 0.0, 0.25, 1.0, float("nan")]), st.sampled_from("abcdefg")), min_size=1
)


def told(values: list[float], clusters: str, least: float = -1.0) -> ClusteredMean:
    return clustered_means(np.array(values), partition(list(clusters)), least).column(0)


def by_matrices(values: Floats, parts: Partition) -> tuple[float, float]:
    """CR2's standard error and degrees of freedom as Bell and McCaffrey (2002) write them for matrices."""
    n = len(values)
    ones = np.ones((n, 1))
    annihilator = np.eye(n) - ones @ ones.T / n
    residuals = annihilator @ values
    total, rows = 0.0, []
    for cluster in range(parts.size):
        inside = np.flatnonzero(parts.codes == cluster)
        root = np.real(inv(sqrtm(annihilator[np.ix_(inside, inside)])))
        total += float(ones[inside, 0] @ root @ residuals[inside]) ** 2
        rows.append(annihilator[inside].T @ root @ ones[inside] / n)
    across = np.column_stack(rows)
    eigenvalues = np.linalg.eigvalsh(across.T @ across)
    return total**0.5 / n, float(eigenvalues.sum() ** 2 / (eigenvalues**2).sum())


def test_worked_example() -> None:
    # a: 1, 1; b: 1, 0; c: 0, 0. Mean 1/2, residuals 1, 0, -1: v = 2 / (1 - 1/3) / 36 = 1/12, 2 degrees.
    # t(.975; 2) = 4.3027: half width 1.24, cut at 0 and 1. s² = 6 * .25 / 5 = .3, naive v = .05.
    # B = 2 (.25 + 0 + .25) / 2 = .5, W = .5 / 3: r = (1/2 - 1/6) / (1/2 + 1/6) = 1/2. Effect 1/12 / .05.
    found = told([1, 1, 1, 0, 0, 0], "aabbcc", least=0.0)
    assert (found.n, found.clusters, found.mean) == (6, 3, 0.5)
    assert found.standard_error == pytest.approx((1 / 12) ** 0.5)
    assert found.freedom == pytest.approx(2)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (0.0, 1.0)
    assert found.intra_cluster == pytest.approx(0.5)
    assert found.design_effect == pytest.approx(5 / 3)
    assert found.effective_n == pytest.approx(3.6)
    assert found.naive_error == pytest.approx(0.05**0.5)
    assert found.naive_interval is not None
    assert found.naive_interval.low == pytest.approx(0.5 - 1.959964 * 0.05**0.5)


def test_uneven_clusters_are_corrected_as_by_matrices() -> None:
    rng = np.random.default_rng(0)
    parts = uneven_clusters(rng, 7)
    values = rng.normal(size=len(parts.codes)) + rng.normal(size=7)[parts.codes]
    found = clustered_means(values, parts, -10, 10).column(0)
    error, freedom = by_matrices(values, parts)
    assert found.standard_error == pytest.approx(error)
    assert found.freedom == pytest.approx(freedom)
    assert freedom < 6


def test_equal_clusters_have_the_usual_sandwich_and_one_degree_less_than_clusters() -> None:
    values = np.random.default_rng(1).normal(size=40)
    parts = Partition(np.repeat(np.arange(8), 5), 8)
    found = clustered_means(values, parts, -10, 10).column(0)
    residuals = parts.sums(values - values.mean())
    assert found.standard_error == pytest.approx((8 / 7 * residuals @ residuals) ** 0.5 / 40)
    assert found.freedom == pytest.approx(7)
    assert expanded_tails(np.array([7.0]))[0] == pytest.approx(
        expanded_tails(np.array([7.0001]))[0], abs=1e-4
    )


def test_lone_questions_have_students_interval() -> None:
    values = np.random.default_rng(2).uniform(-1, 1, 25)
    found = clustered_means(values, Partition(np.arange(25), 25)).column(0)
    expected = ttest_1samp(values, 0).confidence_interval(0.95)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((expected.low, expected.high))
    assert found.intra_cluster is None
    assert found.design_effect == pytest.approx(1)
    assert found.standard_error == pytest.approx(found.naive_error)


def test_values_all_alike_leave_room_for_what_was_not_seen() -> None:
    # Ten lone questions, all right: .025^(1/10) = .6915 is the least share that shows that in 2.5 %.
    found = told([1.0] * 10, "abcdefghij", least=0.0)
    assert found.interval is not None
    assert found.interval.low == pytest.approx(0.6915, abs=1e-4)
    assert found.interval.high == 1.0
    assert (found.standard_error, found.design_effect, found.effective_n) == (0.0, None, 10.0)
    # The same in two clusters of five are worth two: .025^(1/2) = .158.
    paired = told([1.0] * 10, "aaaaabbbbb", least=0.0)
    assert paired.interval is not None
    assert paired.interval.low == pytest.approx(0.158, abs=1e-3)


def test_clusters_that_cancel_have_no_interval() -> None:
    found = told([1, -1, 1, -1], "aabb")
    assert (found.mean, found.standard_error, found.interval) == (0.0, 0.0, None)
    assert found.naive_interval is not None


def test_undefined_values_are_left_out() -> None:
    nan = float("nan")
    parts = partition(list("abab"))
    table = np.array([[1, nan, nan], [0, nan, 1], [nan, nan, nan], [1, nan, nan]])
    found = clustered_means(table, parts)
    assert found.column(0) == told([1, 0, 1], "abb")
    nothing = found.column(1)
    assert (nothing.n, nothing.clusters, nothing.mean, nothing.interval) == (0, 0, None, None)
    one = found.column(2)
    assert (one.n, one.mean, one.standard_error, one.interval, one.naive_interval) == (
        1,
        1.0,
        None,
        None,
        None,
    )


def test_the_correlation_that_was_put_in_comes_out() -> None:
    rng = np.random.default_rng(3)
    parts = uneven_clusters(rng, 400)
    for correlation in (0.0, 0.2, 0.5):
        found = clustered_means(correlated_differences(rng, parts, 0.1, correlation, 20), parts)
        assert found.intra_cluster.mean() == pytest.approx(correlation, abs=0.02)


@settings(deadline=None)
@given(ROWS)
def test_what_holds_for_any(rows: list[tuple[float, str]]) -> None:
    values, clusters = np.array([value for value, _ in rows]), [name for _, name in rows]
    found = clustered_means(values, partition(clusters)).column(0)
    again = clustered_means(values[::-1], partition([f"x{name}" for name in clusters[::-1]])).column(0)
    assert again.mean == pytest.approx(found.mean)
    assert again.standard_error == pytest.approx(found.standard_error)
    assert again.intra_cluster == pytest.approx(found.intra_cluster)
    if found.clusters < 2:
        assert (found.standard_error, found.interval, found.design_effect) == (None, None, None)
    elif found.interval is not None and found.mean is not None and found.freedom is not None:
        assert -1 <= found.interval.low <= found.mean <= found.interval.high <= 1
        assert 1 - 1e-9 <= found.freedom <= found.clusters - 1 + 1e-9
    if found.intra_cluster is not None:
        assert 0 <= found.intra_cluster <= 1


def test_one_large_cluster_leaves_one_degree_of_freedom() -> None:
    assert degrees_of_freedom(np.array([[290.0], [5.0], [5.0]]))[0] == pytest.approx(1, abs=0.1)
    assert np.isnan(degrees_of_freedom(np.array([[290.0], [0.0]]))[0])


def test_it_covers_where_the_naive_interval_does_not() -> None:
    rng = np.random.default_rng(5)
    parts = uneven_clusters(rng, 10)
    found = clustered_means(correlated_differences(rng, parts, 0.1, 0.5, 800), parts)
    assert 0.92 <= np.mean((found.low <= 0.1) & (found.high >= 0.1)) <= 0.98
    assert np.mean((found.naive_low <= 0.1) & (found.naive_high >= 0.1)) < 0.8


def bounds(values: list[float], clusters: list[str]) -> tuple[float, float, float, float]:
    column = np.array(values)[:, None]
    found = rate_intervals(clustered_means(column, partition(clusters), least=0.0)).column(0)
    assert found.interval is not None
    assert found.naive_interval is not None
    naive = found.naive_interval
    return found.interval.low, found.interval.high, naive.low, naive.high


@pytest.mark.parametrize("right", [0, 1, 7, 19, 20])
def test_lone_questions_have_wilsons_interval(right: int) -> None:
    expected = wilson(right, 20)
    assert expected is not None
    found = bounds([1.0] * right + [0.0] * (20 - right), [str(number) for number in range(20)])
    assert found == pytest.approx((expected.low, expected.high) * 2)


@given(
    st.lists(st.floats(0, 1, width=16), min_size=2, max_size=20),
    st.lists(st.integers(0, 4), min_size=20, max_size=20),
)
def test_it_holds_the_mean_and_stays_within_the_range(values: list[float], groups: list[int]) -> None:
    parts = partition([str(group) for group in groups[: len(values)]])
    means = clustered_means(np.array(values)[:, None], parts, least=0.0)
    found, mean = rate_intervals(means).column(0), float(np.mean(values))
    if parts.size < 2:
        assert found.interval is None
        return
    for interval in filter(None, (found.interval, found.naive_interval)):
        assert 0 <= interval.low <= mean + 1e-9
        assert mean - 1e-9 <= interval.high <= 1


def test_fractions_that_spread_less_than_verdicts_have_shorter_intervals() -> None:
    names = [str(number) for number in range(40)]
    halves, verdicts = bounds([0.25, 0.75] * 20, names), bounds([0.0, 1.0] * 20, names)
    assert halves[1] - halves[0] < 0.6 * (verdicts[1] - verdicts[0])


@pytest.mark.parametrize("value", [0.5, 1 / 3, 0.1, 0.7])
def test_where_all_are_the_same_fraction_the_interval_is_not_made_up(value: float) -> None:
    means = clustered_means(np.full((12, 1), value), Partition(np.arange(12) // 2, 6), least=0.0)
    assert rate_intervals(means).column(0).interval == means.column(0).interval


@pytest.mark.parametrize(("rate", "correlation"), [(0.5, 0.3), (0.95, 0.0), (0.98, 0.2)])
def test_near_an_end_it_holds_the_rate_more_often_than_students(rate: float, correlation: float) -> None:
    rng = np.random.default_rng(1)
    student, score = [], []
    for _ in range(30):
        parts = uneven_clusters(rng, 40)
        means = clustered_means(correlated_verdicts(rng, parts, rate, correlation, 50), parts, least=0.0)
        found = rate_intervals(means)
        student.append(np.mean((means.low <= rate) & (rate <= means.high)))
        score.append(np.mean((found.low <= rate) & (rate <= found.high)))
    assert 0.93 <= np.mean(score) <= 0.985
    if rate > 0.9:
        assert np.mean(score) > np.mean(student) + 0.01


def lone(values: Floats) -> Partition:
    return Partition(np.arange(len(values)), len(values))


def test_worked_example_of_equivalence() -> None:
    # Mean 0 and standard error √(.04 / 3 / 4) = .2 / √12: either test has t = √12 on 3 degrees of freedom.
    values = np.array([0.1, -0.1, 0.1, -0.1])
    found = equivalence(clustered_means(values, lone(values)).column(0), 0.2)
    assert found is not None
    assert found.p_value == pytest.approx(0.5 - (2 / 5 + atan(2)) / pi)
    assert found.equivalent


def test_lone_differences_have_the_two_one_sided_t_tests_of_scipy() -> None:
    values = np.random.default_rng(0).uniform(-1, 1, 80) * 0.3 + 0.02
    found = equivalence(clustered_means(values, lone(values)).column(0), 0.08)
    above = ttest_1samp(values, -0.08, alternative="greater")
    below = ttest_1samp(values, 0.08, alternative="less")
    assert found is not None
    assert found.p_value == pytest.approx(max(above.pvalue, below.pvalue))
    expected = ttest_1samp(values, 0).confidence_interval(0.9)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((expected.low, expected.high))


@settings(deadline=None, max_examples=40)
@given(st.integers(0, 10_000), st.sampled_from([0.02, 0.1, 0.3]), st.sampled_from([0.01, 0.05, 0.2]))
def test_it_says_so_just_where_the_interval_lies_within_the_margins(
    seed: int, margin: float, alpha: float
) -> None:
    rng = np.random.default_rng(seed)
    parts = uneven_clusters(rng, 30)
    difference = clustered_means(correlated_differences(rng, parts, 0.0, 0.1, 1), parts).column(0)
    found = equivalence(difference, margin, alpha)
    assert found is not None
    assert found.interval is not None
    assert found.equivalent == (-margin <= found.interval.low and found.interval.high <= margin)


def test_systems_that_never_differ_are_equivalent_once_enough_was_seen() -> None:
    # To differ by .05 on average they must differ on a share of .05: none in 59 has chance .95^59 = .0485.
    enough, short = np.zeros(59), np.zeros(58)
    found = equivalence(clustered_means(enough, lone(enough)).column(0), 0.05)
    assert found is not None
    assert found.p_value == pytest.approx(0.0485, abs=1e-4)
    assert found.equivalent
    assert found.interval is None
    less = equivalence(clustered_means(short, lone(short)).column(0), 0.05)
    assert less is not None
    assert not less.equivalent


def test_a_difference_beyond_the_margin_is_never_equivalent() -> None:
    values = np.full(500, 0.2)
    found = equivalence(clustered_means(values, lone(values)).column(0), 0.1)
    assert found is not None
    assert found.p_value == 1.0


def test_it_tells_whether_the_bootstrap_agrees() -> None:
    values = np.random.default_rng(1).normal(0, 0.1, 200)
    difference = clustered_means(values, lone(values)).column(0)
    for bootstrap, agrees in ((Interval(-0.02, 0.03), True), (Interval(-0.02, 0.06), False), (None, None)):
        found = equivalence(difference, 0.05, bootstrap=bootstrap)
        assert found is not None
        assert found.equivalent
        assert found.bootstrap_agrees is agrees


def test_one_cluster_gives_no_claim_and_a_margin_of_0_no_test() -> None:
    one = clustered_means(np.array([0.0, 1.0, -1.0]), Partition(np.zeros(3, np.intp), 1)).column(0)
    assert equivalence(one, 0.5) is None
    with pytest.raises(ValueError, match="margin"):
        equivalence(one, 0.0)


def test_a_difference_at_the_margin_is_called_equivalent_in_five_percent() -> None:
    rng = np.random.default_rng(2)
    parts = uneven_clusters(rng, 60)
    means = clustered_means(correlated_differences(rng, parts, 0.2, 0.2, 1_000), parts)
    called = [equivalence(means.column(column), 0.2) for column in range(1_000)]
    assert 0.03 <= np.mean([one is not None and one.equivalent for one in called]) <= 0.07


def test_rare_differences_one_way_are_called_equivalent_in_five_percent_at_most() -> None:
    # One of two systems is ahead on 5 % of the questions and never behind: the margin itself.
    rng, calls, plain = np.random.default_rng(3), 0, 0
    for _ in range(1_000):
        values = (rng.random(100) < 0.05).astype(float)
        difference = clustered_means(values, lone(values)).column(0)
        found, without = equivalence(difference, 0.05, verdicts=True), equivalence(difference, 0.05)
        assert found is not None
        assert without is not None
        assert found.p_value >= without.p_value
        calls += found.equivalent
        plain += without.equivalent
    assert calls / 1_000 <= 0.065
    assert plain / 1_000 > 0.08


CLUSTERS = ["a", "a", "b", "c"]


def test_what_runs_add_to_questions_by_hand() -> None:
    # The second run is right on two more questions than the first, the third on one more.
    table = np.array([[1, 1, 1], [0, 1, 1], [0, 1, 0], [0, 0, 0]], np.float64)
    found = repeated_mean(table, CLUSTERS)
    assert found.means == (1 / 4, 3 / 4, 2 / 4)
    assert (found.mean, found.n, found.clusters) == (1 / 2, 4, 3)
    assert found.spread == pytest.approx(1 / 4)
    # By run, squared: (1/16 + 1/16 + 0) / 6. Of cluster a the second question deviates by -2/3, 1/3, 1/3, of
    # b by -1/3, 2/3, -1/3, of c by none: (4 + 1 + 1 + 1 + 4 + 1) / 9 over 16 and 6.
    by_run, by_chance = (1 / 8) / 6, (12 / 9) / 16 / 6
    assert found.run_error == pytest.approx((by_run - by_chance) ** 0.5)
    questions = clustered_means(table.mean(axis=1, keepdims=True), partition(CLUSTERS), least=0.0).column(0)
    assert found.cluster_error == questions.standard_error
    assert questions.standard_error is not None
    assert questions.freedom is not None
    total = questions.standard_error**2 + by_run - by_chance
    assert found.standard_error == pytest.approx(total**0.5)
    assert found.freedom == pytest.approx(
        total**2 / (questions.standard_error**4 / questions.freedom + (by_run - by_chance) ** 2 / 2)
    )


def test_runs_that_are_alike_leave_the_interval_by_cluster() -> None:
    alike = np.repeat([[1.0], [0.0], [1.0], [0.0]], 3, axis=1)
    found = repeated_mean(alike, CLUSTERS)
    lone = clustered_means(alike[:, :1], partition(CLUSTERS), least=0.0).column(0)
    assert (found.spread, found.run_error) == (0, 0)
    assert (found.standard_error, found.interval) == (lone.standard_error, lone.interval)


@pytest.mark.parametrize("shift", [0.0, 0.1])
def test_the_variance_is_that_of_other_questions_and_other_runs(shift: float) -> None:
    dice = np.random.default_rng(11)
    clusters = [f"c{place // 4}" for place in range(160)]
    means, variances = [], []
    for _ in range(400):
        common = np.repeat(dice.normal(0, 0.15, 40), 4)[:, None] + dice.normal(0, shift, (1, 4))
        rows = (dice.random((160, 4)) < np.clip(0.5 + common, 0, 1)).astype(np.float64)
        found = repeated_mean(rows, clusters)
        assert found.standard_error is not None
        means.append(found.mean)
        variances.append(found.standard_error**2)
    assert np.mean(variances) == pytest.approx(np.var(means, ddof=1), rel=0.2)


def test_one_run_is_no_repetition() -> None:
    with pytest.raises(ValueError, match="no repeated runs"):
        repeated_mean([[1.0], [0.0]], ["a", "b"])
