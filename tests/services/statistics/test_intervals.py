"""Intervals of an error rate, for independent questions and for clusters of them.

Groups of questions that share evidence.
"""

from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from services.statistics.clustered_means import cluster_interval
from services.statistics.intervals import (
    count_components,
    draw_stratified,
    effective_groups,
    group_sizes,
    partition,
    score_size,
    wilson,
)

VERDICTS = st.lists(st.tuples(st.booleans(), st.sampled_from("abcdefgh")), min_size=1, max_size=60)


@settings(deadline=None)
@given(st.integers(1, 300), st.data())
def test_wilson_is_scipys(n: int, data: st.DataObject) -> None:
    errors = data.draw(st.integers(0, n))
    level = data.draw(st.sampled_from([0.8, 0.95, 0.99]))
    expected = binomtest(errors, n).proportion_ci(level, method="wilson")
    interval = wilson(errors, n, level)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((expected.low, expected.high), abs=1e-9)
    assert score_size(errors / n, interval.high - interval.low, level) == pytest.approx(n)
    assert 0 <= interval.low <= errors / n <= interval.high <= 1


def test_wilson_by_hand() -> None:
    # z² = 3.8415: the middle is (2 + z² / 2) / (10 + z²), the half z √(10 · .2 · .8 + z² / 4) / (10 + z²).
    interval = wilson(2, 10)
    assert interval is not None
    assert (interval.low, interval.high) == pytest.approx((0.28326 - 0.22658, 0.28326 + 0.22658), abs=1e-5)


def test_wilson_of_nothing_is_undefined() -> None:
    assert wilson(0, 0) is None


def test_what_is_no_share_is_refused() -> None:
    with pytest.raises(ValueError, match="3 errors among 2"):
        wilson(3, 2)
    with pytest.raises(ValueError, match="level"):
        wilson(1, 2, level=95)
    with pytest.raises(ValueError, match="1 verdicts and 0 clusters"):
        cluster_interval([True], [])


def test_cluster_interval_worked_example() -> None:
    # p = 1/2; e = 1, -1, 0; v = 3/2 * 2/36 = 1/12; d = 1/12 * 5 / (1/4) = 5/3; 6 / d = 3.6 questions.
    # t quantiles: 2.57058 on 5 and 4.30265 on 2 degrees; n* = 3.6 * .356936 = 1.28497; z² = 3.841459.
    # half = sqrt(3.841459 (.25 / 1.28497 + 3.841459 / (4 * 1.651148))) / (1 + 2.989532) = .432822
    interval = cluster_interval([True, True, False, False, True, False], list("aabbcc"))
    assert interval is not None
    assert interval.clusters == 3
    assert interval.design_effect == pytest.approx(5 / 3)
    assert interval.effective_n == pytest.approx(3.6)
    assert interval.low == pytest.approx(0.5 - 0.432822, abs=1e-5)
    assert interval.high == pytest.approx(0.5 + 0.432822, abs=1e-5)


def test_design_effect_is_the_variance_of_cluster_means_over_that_of_questions() -> None:
    wrong = np.random.default_rng(3).random((12, 5)) < 0.3
    of_means = np.var(wrong.mean(axis=1), ddof=1) / 12
    of_questions = np.var(wrong, ddof=1) / 60
    interval = cluster_interval([bool(w) for w in wrong.ravel()], [str(i // 5) for i in range(60)])
    assert interval is not None
    assert interval.design_effect == pytest.approx(of_means / of_questions)


@settings(deadline=None)
@given(VERDICTS)
def test_cluster_interval_holds_wilsons(rows: list[tuple[bool, str]]) -> None:
    wrong, clusters = [w for w, _ in rows], [c for _, c in rows]
    plain, grouped = wilson(sum(wrong), len(wrong)), cluster_interval(wrong, clusters)
    assert plain is not None
    if len(set(clusters)) < 2:
        assert grouped is None
        return
    assert grouped is not None
    assert 0 <= grouped.low <= plain.low + 1e-12
    assert plain.high - 1e-12 <= grouped.high <= 1
    assert 0 < grouped.effective_n <= len(wrong) + 1e-9


@settings(deadline=None)
@given(st.lists(st.booleans(), min_size=2, max_size=60))
def test_lone_questions_have_wilsons_interval(wrong: list[bool]) -> None:
    plain = wilson(sum(wrong), len(wrong))
    grouped = cluster_interval(wrong, [str(i) for i in range(len(wrong))])
    assert plain is not None
    assert grouped is not None
    assert (grouped.low, grouped.high) == pytest.approx((plain.low, plain.high))


@settings(deadline=None)
@given(VERDICTS)
def test_cluster_interval_does_not_depend_on_order(rows: list[tuple[bool, str]]) -> None:
    assume(len({c for _, c in rows}) > 1)
    shuffled = sorted(rows)
    one = cluster_interval([w for w, _ in rows], [c for _, c in rows])
    other = cluster_interval([w for w, _ in shuffled], [c for _, c in shuffled])
    assert one is not None
    assert other is not None
    assert (one.low, one.high) == pytest.approx((other.low, other.high))


def test_copies_of_ten_verdicts_say_no_more_than_ten() -> None:
    wrong = [i < 4 for i in range(10) for _ in range(30)]
    interval = cluster_interval(wrong, [str(i) for i in range(10) for _ in range(30)])
    plain_of_300 = wilson(120, 300)
    plain_of_10 = wilson(4, 10)
    assert interval is not None
    assert plain_of_300 is not None
    assert plain_of_10 is not None
    assert interval.effective_n == pytest.approx(9, abs=0.1)
    assert interval.high - interval.low >= plain_of_10.high - plain_of_10.low
    assert interval.high - interval.low > 4 * (plain_of_300.high - plain_of_300.low)


def test_all_right_in_few_clusters_is_no_proof() -> None:
    interval = cluster_interval([False] * 40, [str(i % 4) for i in range(40)])
    plain = wilson(0, 40)
    assert interval is not None
    assert plain is not None
    assert interval.design_effect is None
    assert interval.effective_n == pytest.approx(4)
    assert interval.low == 0
    assert plain.high < 0.1
    assert interval.high > 0.5


def test_cluster_interval_covers_the_rate_where_wilson_does_not() -> None:
    rng = np.random.default_rng(11)
    clusters, size, rate, correlation = 20, 5, 0.3, 0.4
    spread = (1 - correlation) / correlation
    ids = [str(i // size) for i in range(clusters * size)]
    plain_hits = grouped_hits = 0
    for _ in range(400):
        rates = np.repeat(rng.beta(rate * spread, (1 - rate) * spread, clusters), size)
        wrong = [bool(w) for w in rng.random(clusters * size) < rates]
        plain, grouped = wilson(sum(wrong), len(wrong)), cluster_interval(wrong, ids)
        assert plain is not None
        assert grouped is not None
        plain_hits += plain.low <= rate <= plain.high
        grouped_hits += grouped.low <= rate <= grouped.high
    assert plain_hits / 400 < 0.85
    assert 0.92 <= grouped_hits / 400 <= 0.99


def test_a_giant_group_is_worth_one() -> None:
    groups = {f"q{i}": "giant" for i in range(290)} | {f"r{i}": f"r{i}" for i in range(10)}
    sizes = group_sizes(groups)
    assert (sizes.questions, sizes.groups, sizes.largest) == (300, 11, 290)
    assert sizes.effective == pytest.approx(300**2 / (290**2 + 10))
    assert round(sizes.effective, 2) == 1.07


def test_no_questions() -> None:
    sizes = group_sizes({})
    assert (sizes.questions, sizes.groups, sizes.largest, sizes.effective) == (0, 0, 0, 0.0)


@settings(deadline=None)
@given(st.lists(st.integers(1, 50), min_size=1, max_size=30))
def test_effective_groups_are_at_most_the_groups(sizes: list[int]) -> None:
    assert 1 <= effective_groups(sizes) <= len(sizes) + 1e-9


def test_one_partition_has_sizes_and_sums() -> None:
    parts = partition(["b", "a", "b", "c"])
    assert parts.size == 3
    assert parts.sizes.tolist() == [2, 1, 1]
    assert parts.sums([1.0, 0.5, 2.0, True]).tolist() == [3.0, 0.5, 1.0]
    assert partition([]).sums([]).tolist() == []


def test_components_join_what_shares_an_article() -> None:
    # q1 and q2 share b, q3 and q4 share d through q4's other article; the last two have none.
    assert count_components([["a", "b"], ["b", "c"], ["d"], ["e", "d"], [], []]) == 4
    assert count_components([]) == 0
    sizes = group_sizes({"q1": "a", "q2": "b"}, [["a", "x"], ["b", "x"]])
    assert (sizes.groups, sizes.components) == (2, 1)


@given(st.lists(st.lists(st.sampled_from("abcdefghij"), max_size=4), max_size=15))
def test_components_are_networkx(held: list[list[str]]) -> None:
    graph: nx.Graph[int | str] = nx.Graph()
    for number, articles in enumerate(held):
        graph.add_node(number)
        graph.add_edges_from((number, article) for article in articles)
    assert count_components(held) == nx.number_connected_components(graph)


def test_each_stratum_has_its_share_of_the_sample() -> None:
    """Of five from 6, 3 and 1 the shares are 3, 1.5 and 0.5: the fifth goes to the larger of two strata."""
    strata = [("chain", 2, True)] * 6 + [("chain", 2, False)] * 3 + [("null", 0, False)]
    drawn = draw_stratified(strata, 5, 0)
    assert Counter(strata[at] for at in drawn) == {strata[0]: 3, strata[6]: 2}
    assert draw_stratified(strata, 5, 0) == drawn != draw_stratified(strata, 5, 1)
    assert sorted(draw_stratified(strata, 99, 0)) == list(range(10))
    assert draw_stratified([], 5, 0) == []
