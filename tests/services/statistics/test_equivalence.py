"""Two one-sided tests over clusters: by scipy's t test, by hand, and at their level."""

from math import atan, pi

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import ttest_1samp

from services.statistics.clustered_means import clustered_means, equivalence
from services.statistics.groups import Floats, Partition
from services.statistics.intervals import Interval
from tests.services.statistics.correlated_verdicts import correlated_differences, uneven_clusters


def lone(values: Floats) -> Partition:
    return Partition(np.arange(len(values)), len(values))


def test_worked_example() -> None:
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
