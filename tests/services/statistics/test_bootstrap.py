"""The cluster bootstrap, against the plain way of drawing and against scipy's."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap

from services.statistics.resampling import cluster_bootstrap, expanded_tail


def test_it_is_that_of_drawing_clusters_one_by_one() -> None:
    rng = np.random.default_rng(2)
    sizes = rng.integers(1, 9, 30).astype(np.float64)
    sums = np.round(sizes * rng.uniform(-0.4, 0.6, 30))
    drawn = rng.integers(30, size=(40_000, 30))
    ratios = sums[drawn].sum(axis=1) / sizes[drawn].sum(axis=1)
    found = cluster_bootstrap(sums, sizes, np.random.default_rng(0), draws=40_000)
    assert found is not None
    assert (found.low, found.high) == pytest.approx(
        tuple(np.quantile(ratios, (expanded_tail(30), 1 - expanded_tail(30)))), abs=0.01
    )


def test_lone_questions_have_scipys_percentile_interval() -> None:
    values = np.repeat([-1.0, 0.0, 1.0], (12, 60, 28))
    expected = bootstrap(
        (values,),
        np.mean,
        method="percentile",
        confidence_level=1 - 2 * expanded_tail(100),
        n_resamples=20_000,
        rng=np.random.default_rng(1),
    ).confidence_interval
    found = cluster_bootstrap(values, np.ones(100), np.random.default_rng(0), draws=20_000)
    assert found is not None
    assert (found.low, found.high) == pytest.approx((expected.low, expected.high), abs=0.011)


def test_tails_are_students_and_widen_as_clusters_become_few() -> None:
    # t on 9 degrees of freedom is 2.26216; sqrt(10 / 9) times it 2.38452; the normal tail beyond that .0086.
    assert expanded_tail(10) == pytest.approx(0.00855, abs=1e-5)
    assert expanded_tail(100_000) == pytest.approx(0.025, abs=1e-5)
    assert expanded_tail(3) < expanded_tail(10) < expanded_tail(50) < 0.025


def test_a_seed_repeats_it() -> None:
    sums, sizes = np.arange(40.0), np.full(40, 50.0)
    one, again = (cluster_bootstrap(sums, sizes, np.random.default_rng(3)) for _ in range(2))
    other = cluster_bootstrap(sums, sizes, np.random.default_rng(4))
    assert one == again
    assert one != other


def test_one_cluster_shows_no_spread() -> None:
    assert cluster_bootstrap(np.array([3.0]), np.array([9.0]), np.random.default_rng(0)) is None
    with pytest.raises(ValueError, match="2 sums and 1 sizes"):
        cluster_bootstrap(np.zeros(2), np.ones(1), np.random.default_rng(0))


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(5, 9)), min_size=2, max_size=20))
def test_it_lies_between_the_lowest_and_the_highest_cluster(rows: list[tuple[int, int]]) -> None:
    sums, sizes = (np.array(column, np.float64) for column in zip(*rows, strict=True))
    found = cluster_bootstrap(sums, sizes, np.random.default_rng(0), draws=500)
    assert found is not None
    means = sums / sizes
    assert means.min() - 1e-9 <= found.low <= found.high <= means.max() + 1e-9
