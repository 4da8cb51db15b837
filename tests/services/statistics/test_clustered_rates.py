"""Score intervals of rates over clusters: Wilson's own, those of reports, and on verdicts of a known rate."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.statistics.clustered_means import clustered_means, rate_intervals
from services.statistics.groups import Partition, partition
from services.statistics.intervals import wilson
from tests.services.statistics.correlated_verdicts import correlated_verdicts, uneven_clusters


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
