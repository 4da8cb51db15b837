"""Means and shares with intervals by cluster."""

from math import sqrt

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import t

from services.evaluate.hop_aware.content import mean, share


def test_an_interval_by_hand() -> None:
    # Two clusters of two: means 2, deviations of their sums -2 and 2, v = 2 / 1 * 8 / 16 = 1.
    found = mean([1, 1, 3, 3], ["a", "a", "b", "b"])
    half = float(t.ppf(0.975, 1))
    assert (found.n, found.value) == (4, 2.0)
    assert found.interval is not None
    assert found.interval.low == 0.0  # 2 - 12.7 is cut
    assert found.interval.high == pytest.approx(2 + half)


def test_lone_answers_give_the_interval_of_a_plain_mean() -> None:
    values = [0.0, 1.0, 2.0, 5.0, 7.0, 3.0]
    found = mean(values, [str(number) for number in range(6)], low=-100)
    half = float(t.ppf(0.975, 5)) * float(np.std(values, ddof=1)) / sqrt(6)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == pytest.approx((3 - half, 3 + half))


def test_answers_that_stand_and_fall_together_say_less() -> None:
    values = [1.0, 1.0, 1.0, 3.0, 3.0, 3.0, 2.0, 2.0, 2.0]
    together = mean(values, list("aaabbbccc"))
    alone = mean(values, list("abcdefghi"))
    assert together.interval is not None
    assert alone.interval is not None
    assert together.interval.high - together.interval.low > alone.interval.high - alone.interval.low


def test_nothing_is_made_up_without_values_or_with_one_cluster() -> None:
    assert (mean([], []).value, mean([], []).interval) == (None, None)
    assert mean([1, 2], ["a", "a"]).interval is None
    assert share([], []).value is None


def test_few_answers_are_marked() -> None:
    assert share([True] * 19, ["a"] * 19).small
    assert not share([True] * 20, ["a"] * 20).small


@given(
    st.lists(st.tuples(st.floats(0, 1), st.sampled_from("abcde")), min_size=1, max_size=30),
)
def test_an_interval_holds_its_mean_within_the_bounds(pairs: list[tuple[float, str]]) -> None:
    found = mean([value for value, _ in pairs], [cluster for _, cluster in pairs], high=1.0)
    assert found.value is not None
    if found.interval is not None:
        assert 0 <= found.interval.low <= found.value + 1e-9
        assert found.value - 1e-9 <= found.interval.high <= 1
