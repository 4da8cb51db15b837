"""Retrieval difficulty and its quartiles."""

from collections import Counter
from random import Random
from typing import cast

import pandas as pd
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import pmean

from kg.errors import SettingsError, UserError
from services.questions.difficulty import (
    Aggregate,
    bin_of,
    cut_points,
    difficulties,
    difficulty,
    difficulty_properties,
    quartile_bins,
)

THREE_HOPS = [[0.8, 0.6], [0.5, 0.7], [0.9]]
COSINE = st.floats(-1, 1)
HOPS = st.lists(st.lists(COSINE, min_size=1, max_size=4), min_size=1, max_size=5)
AGGREGATES: list[Aggregate] = ["min", "mean", "power"]


def test_worked_example() -> None:
    # Hop similarities .8, .7, .9. Their -3rd powers: 1.953125, 2.915452, 1.371742; mean 2.080106; the cube
    # root of its inverse: .783378.
    assert difficulty(THREE_HOPS) == pytest.approx(0.3)
    assert difficulty(THREE_HOPS, "mean") == pytest.approx(0.2)
    assert difficulty(THREE_HOPS, "power") == pytest.approx(1 - 0.783378, abs=1e-6)


def test_all_three_from_the_chunks_of_each_hop_in_any_order() -> None:
    found = difficulties([(2, 0.5), (1, 0.25), (1, 1.0)])
    # By hand: the hops' similarities are 1 and 1/2; the power mean is ((1 + 8) / 2) ** (-1/3).
    assert found == {"min": 0.5, "mean": 0.25, "power": round(1 - 4.5 ** (-1 / 3), 6)}
    assert difficulties([]) == {}
    assert difficulty_properties([{"hop": 1, "chunk": "c", "similarity": 0.75}]) == {
        "difficulty_min": 0.25,
        "difficulty_mean": 0.25,
        "difficulty_power": 0.25,
    }


def test_one_good_chunk_is_enough_for_its_hop_but_not_for_the_next() -> None:
    assert difficulty([[0.1, 0.9], [0.9]]) == pytest.approx(0.1)
    assert difficulty([[0.1], [0.9]]) == pytest.approx(0.9)


@settings(deadline=None)
@given(st.lists(st.floats(0.001, 1), min_size=1, max_size=5))
def test_power_mean_is_scipys(similarities: list[float]) -> None:
    expected = 1 - float(pmean(similarities, -3))
    assert difficulty([[s] for s in similarities], "power") == pytest.approx(expected, abs=1e-9)


@pytest.mark.parametrize("weakest", [0.0, -0.4, 1e-300, 5e-324])
def test_power_mean_reaches_one_without_a_jump(weakest: float) -> None:
    assert difficulty([[weakest], [0.9]], "power") == pytest.approx(1.0)


@settings(deadline=None)
@given(HOPS, st.data())
def test_raising_a_similarity_never_makes_a_question_harder(
    hops: list[list[float]], data: st.DataObject
) -> None:
    hop = data.draw(st.integers(0, len(hops) - 1))
    chunk = data.draw(st.integers(0, len(hops[hop]) - 1))
    raised = [list(chunks) for chunks in hops]
    raised[hop][chunk] = data.draw(st.floats(hops[hop][chunk], 1))
    for aggregate in AGGREGATES:
        assert difficulty(raised, aggregate) <= difficulty(hops, aggregate) + 1e-12


@settings(deadline=None)
@given(HOPS)
def test_min_is_never_below_power_and_power_never_below_mean_of_positive_hops(
    hops: list[list[float]],
) -> None:
    by_min, by_mean = difficulty(hops, "min"), difficulty(hops, "mean")
    assert -1e-12 <= by_mean <= by_min + 1e-12 <= 2 + 2e-12
    if all(max(chunks) > 0 for chunks in hops):
        assert by_mean - 1e-12 <= difficulty(hops, "power") <= by_min + 1e-12


def test_rounding_of_float32_cosines_gives_no_negative_difficulty() -> None:
    assert difficulty([[1.0000002]]) == 0.0
    assert difficulty([[1.0000002]], "power") == 0.0


def test_a_hop_without_a_chunk_is_named() -> None:
    with pytest.raises(UserError, match="Hop 2 has no supporting chunk"):
        difficulty([[0.5], []])


def test_a_question_without_hops_is_refused() -> None:
    with pytest.raises(UserError, match="without hops"):
        difficulty([])


@pytest.mark.parametrize("value", [12.5, -1.01, float("nan"), float("inf")])
def test_what_is_no_cosine_is_refused(value: float) -> None:
    with pytest.raises(UserError, match="Hop 1 has similarity"):
        difficulty([[0.2, value, 0.3]])


def test_an_unknown_aggregate_is_refused_with_the_choices() -> None:
    with pytest.raises(SettingsError, match="min, mean, power"):
        difficulty(THREE_HOPS, cast(Aggregate, "median"))


def test_quartiles_are_cut_within_each_depth() -> None:
    values = [0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.7, 0.8]
    assert quartile_bins(values, [2, 2, 2, 2, 3, 3, 3, 3]) == [1, 2, 3, 4, 1, 2, 3, 4]
    assert quartile_bins(values, None) == [1, 1, 2, 2, 3, 3, 4, 4]


@given(st.integers(1, 20), st.randoms(use_true_random=False))
def test_quartiles_of_distinct_values_are_pandas(quarter: int, random: Random) -> None:
    values = [float(value) for value in random.sample(range(1_000), 4 * quarter)]
    expected = [int(code) + 1 for code in pd.qcut(values, 4, labels=False)]
    assert quartile_bins(values, None) == expected


def test_ties_go_where_their_middle_lies() -> None:
    # Ranks 1-3 of 8 are tied: their middle, 1.5 of 8, is in the first quarter; the next five fill the rest.
    assert quartile_bins([0.1, 0.1, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6], None) == [1, 1, 1, 2, 3, 3, 4, 4]
    # Ranks 1-6 of 8 are tied: the middle, 3 of 8, is in the second quarter.
    assert quartile_bins([0.1] * 6 + [0.2, 0.3], None) == [2] * 6 + [4, 4]


@pytest.mark.parametrize(
    ("values", "bins"),
    [([], []), ([0.5], [2]), ([0.5] * 9, [2] * 9), ([0.1, 0.9], [1, 3]), ([0.9, 0.5, 0.1], [4, 2, 1])],
)
def test_too_few_values_leave_bins_empty(values: list[float], bins: list[int]) -> None:
    assert quartile_bins(values, None) == bins


@settings(deadline=None)
@given(st.lists(st.floats(0, 2), unique=True, min_size=1, max_size=60))
def test_bins_of_distinct_values_are_balanced(values: list[float]) -> None:
    sizes = Counter(quartile_bins(values, None))
    counts = [sizes[number] for number in (1, 2, 3, 4)]
    assert sum(counts) == len(values)
    assert max(counts) - min(counts) <= 1


@settings(deadline=None)
@given(st.lists(st.tuples(st.sampled_from([0.1, 0.25, 0.5, 0.6, 0.9]), st.integers(2, 3)), max_size=40))
def test_bins_keep_ties_together_and_the_order(rows: list[tuple[float, int]]) -> None:
    bins = quartile_bins([value for value, _ in rows], [group for _, group in rows])
    assert all(1 <= number <= 4 for number in bins)
    for group in (2, 3):
        inside = sorted((value, number) for (value, g), number in zip(rows, bins, strict=True) if g == group)
        assert [number for _, number in inside] == sorted(number for _, number in inside)
        assert len(set(inside)) == len({value for value, _ in inside})


def test_values_without_a_place_are_refused() -> None:
    with pytest.raises(ValueError, match="not a number"):
        quartile_bins([0.1, float("nan")], None)
    with pytest.raises(ValueError, match="2 values and 1 groups"):
        quartile_bins([0.1, 0.2], [2])


@settings(deadline=None)
@given(st.lists(st.floats(0, 2), min_size=1, max_size=40), st.floats(0, 2))
def test_bins_by_frozen_cuts_are_those_that_were_cut(values: list[float], later: float) -> None:
    bounds = cut_points(values)
    assert [bin_of(value, bounds) for value in values] == quartile_bins(values, None)
    found = bin_of(later, bounds)
    assert found is not None
    assert 1 <= found <= 4
    neighbours = [bin_of(value, bounds) for value in values if value <= later]
    assert found >= max((one for one in neighbours if one is not None), default=1)


def test_a_group_without_questions_has_no_bins() -> None:
    assert cut_points([]) == ()
    assert bin_of(0.4, ()) is None
    # Ten values: bins of 3, 2, 3, 2; a later one goes where its neighbour above is.
    bounds = cut_points([number / 10 for number in range(10)])
    assert bounds == (0.2, 0.4, 0.7)
    assert [bin_of(value, bounds) for value in (0.15, 0.25, 0.4, 0.45, 0.71, 1.9)] == [1, 2, 2, 3, 4, 4]
