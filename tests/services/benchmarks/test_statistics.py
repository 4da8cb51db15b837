"""Intervals and tests over clusters of questions."""

import pytest

from services.statistics.rankings import difference_of, mean_of, question_clusters


def test_questions_that_share_a_passage_are_one_cluster_and_so_on() -> None:
    gold = [["a", "b"], ["b", "c"], ["c"], ["d"], [], ["e"]]
    first, second, third, fourth, fifth, _ = question_clusters(gold)
    assert first == second == third
    assert len({first, fourth, fifth}) == 3


def test_where_all_hang_together_the_most_asked_passage_decides() -> None:
    gold = [["a", "b"], ["b", "c"], ["c", "d"], ["d", "e"], ["b", "x"]]
    clusters = question_clusters(gold)
    assert clusters[0] == clusters[1] == clusters[4] == "b"
    assert clusters[2] == "c"
    assert clusters[3] == "d"


def test_a_mean_of_copies_is_less_sure_than_one_of_independent_questions() -> None:
    values = [1.0, 0.0] * 20
    alone = mean_of(values, [str(place) for place in range(40)])
    copied = mean_of(values, [str(place % 4) for place in range(40)])
    assert alone is not None
    assert copied is not None
    assert alone.value == copied.value == 0.5
    assert alone.interval is not None
    assert copied.interval is not None
    assert copied.interval.high - copied.interval.low > alone.interval.high - alone.interval.low


def test_a_difference_that_one_cluster_makes_is_no_finding() -> None:
    base, other = [0.0] * 12, [1.0] * 10 + [0.0] * 2
    found = difference_of(base, other, ["same"] * 10 + ["b", "c"])
    assert found is not None
    assert found.value == pytest.approx(10 / 12)
    assert found.p_value == 1
    assert found.naive_p == pytest.approx(2 / 2**10)


def test_without_questions_there_is_no_mean() -> None:
    assert mean_of([], []) is None
    assert difference_of([], [], []) is None
