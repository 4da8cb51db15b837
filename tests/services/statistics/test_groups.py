"""Groups of questions that share evidence."""

from collections import Counter

import networkx as nx
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.statistics.groups import (
    count_components,
    draw_stratified,
    effective_groups,
    group_sizes,
    partition,
)


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
