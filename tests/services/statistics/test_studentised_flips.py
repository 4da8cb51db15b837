"""Sign-flips of Student's statistic by cluster: against every pattern tried one by one, and their level."""

from itertools import product

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from services.statistics.groups import Floats
from services.statistics.intervals import adjusted_variances
from services.statistics.resampling import cluster_totals, sign_flips
from services.statistics.sign_flips import drawn_hits, exact_p_values
from tests.services.statistics.correlated_verdicts import correlated_differences, uneven_clusters

CLUSTERS = st.lists(st.tuples(st.integers(-4, 4), st.integers(4, 12)), min_size=2, max_size=8)


def statistic(sums: Floats, sizes: Floats) -> float:
    """Mean over CR2 standard error, of whole numbers, rounded so that ties are ties."""
    mean = sums.sum() / sizes.sum()
    variance = float(adjusted_variances((sums - sizes * mean)[:, None], sizes[:, None])[0])
    if abs(mean) < 1e-12:
        return 0.0
    return float(np.sign(mean) * np.inf) if variance < 1e-15 else round(float(mean / variance**0.5), 7)


@settings(deadline=None, max_examples=80)
@given(CLUSTERS)
def test_exact_p_values_are_those_of_all_patterns_one_by_one(clusters: list[tuple[int, int]]) -> None:
    sums, sizes = (np.array(part, np.float64) for part in zip(*clusters, strict=True))
    observed = statistic(sums, sizes)
    every = [statistic(sums * signs, sizes) for signs in product((1, -1), repeat=len(sums))]
    greater, less, different = exact_p_values(sums, sizes)
    assert greater == pytest.approx(np.mean([t >= observed for t in every]))
    assert less == pytest.approx(np.mean([t <= observed for t in every]))
    assert different == pytest.approx(np.mean([abs(t) >= abs(observed) for t in every]))


def test_worked_example_where_the_sums_tie_and_the_errors_do_not() -> None:
    # Sums 2, 2, -1, -1 of 2, 4, 4, 2 questions: of 16 patterns, |total| is 6 in 2, 4 in 4 and 2 in 6. These
    # six, the observed one among them, differ in how far clusters' means lie from the whole one: 4 reach it.
    sums, sizes = np.array([2.0, 2.0, -1.0, -1.0]), np.array([2.0, 4.0, 4.0, 2.0])
    by_total = np.mean([abs(sums @ signs) >= 2 for signs in product((1, -1), repeat=4)])
    assert by_total == 12 / 16
    assert exact_p_values(sums, sizes)[2] == pytest.approx(10 / 16)


def test_drawn_patterns_come_close_to_all_of_them() -> None:
    rng = np.random.default_rng(3)
    sizes = rng.integers(1, 12, (15, 4)).astype(np.float64)
    sums = np.round(rng.normal(0.1, 0.4, (15, 4)) * sizes)
    sums[sums == 0] = 1.0
    sums[:, 3] = -sums[:, 0]
    sizes[:, 3] = sizes[:, 0]
    shares = drawn_hits(sums, sizes, 4, 40_000) / 40_000
    for column in range(4):
        assert shares[:, column] == pytest.approx(
            exact_p_values(sums[:, column], sizes[:, column]), abs=0.012
        )


def test_ten_clusters_err_as_often_as_they_may() -> None:
    """A small cut of benchmarks/clustered_truth.py: the total alone errs in some 3 % with 10 clusters."""
    alarms = []
    for seed in range(40):
        rng = np.random.default_rng([10, seed])
        parts = uneven_clusters(rng, 10)
        null = cluster_totals(correlated_differences(rng, parts, 0.0, 0.2, 40), parts)
        alarms.append(np.mean(sign_flips(null, rng).different <= 0.05))
    assert 0.035 <= np.mean(alarms) <= 0.065
