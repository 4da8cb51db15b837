"""The sign-flip test over clusters of one size, against scipy's and against the exact distribution."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import permutation_test

from services.statistics.groups import Floats, Partition
from services.statistics.resampling import ClusterTotals, cluster_totals, sign_flips
from services.statistics.sign_flips import SignFlip

SUMS = st.lists(st.integers(-4, 4), min_size=2, max_size=12).map(lambda drawn: np.array(drawn, np.float64))


def sign_flip(sums: Floats, generator: np.random.Generator) -> SignFlip | None:
    """The test of sums of clusters that all have five questions."""
    found = cluster_totals(sums, Partition(np.arange(len(sums)), len(sums)))
    return sign_flips(ClusterTotals(found.sums, np.full_like(found.sums, 5.0)), generator).test(0)


def exact_p(sums: Floats) -> float:
    """The p-value from the whole distribution of the total of whole numbers, one cluster after the other."""
    sizes = np.abs(sums).astype(int)
    chances = np.zeros(2 * sizes.sum() + 1)
    middle = sizes.sum()
    chances[middle] = 1.0
    for size in sizes:
        chances = (np.roll(chances, size) + np.roll(chances, -size)) / 2
    totals = np.arange(-middle, middle + 1)
    return float(chances[np.abs(totals) >= abs(sums.sum())].sum())


def test_worked_example() -> None:
    # |±3 ±1 ±1| is 5 twice and 3 four times, of eight; the observed total is 3.
    found = sign_flip(np.array([3.0, 1.0, -1.0]), np.random.default_rng(0))
    assert found is not None
    assert (found.p_value, found.exact, found.standard_error) == (6 / 8, True, 0.0)
    alike = sign_flip(np.array([1.0, 1.0, 2.0, 1.0, 1.0]), np.random.default_rng(0))
    assert alike is not None
    assert alike.p_value == 2 / 32


def test_it_is_scipys_permutation_of_pairs() -> None:
    sums = np.array([2.0, -1.0, 3.0, 1.0, 1.0, -2.0, 4.0, 1.0])
    expected = permutation_test(
        [sums, np.zeros(8)],
        lambda x, y: np.sum(x - y),
        permutation_type="samples",
        n_resamples=2**8,
        alternative="two-sided",
    )
    found = sign_flip(sums, np.random.default_rng(0))
    assert found is not None
    assert found.p_value == pytest.approx(expected.pvalue)


@settings(deadline=None)
@given(SUMS)
def test_up_to_twenty_clusters_it_is_exact(sums: Floats) -> None:
    found = sign_flip(sums, np.random.default_rng(0))
    assert found is not None
    assert found.exact
    assert found.p_value == pytest.approx(exact_p(sums))
    turned = sign_flip(-sums, np.random.default_rng(1))
    assert turned is not None
    assert turned.p_value == pytest.approx(found.p_value)


def test_beyond_twenty_it_stays_within_its_stated_error() -> None:
    rng = np.random.default_rng(4)
    misses = 0
    for seed in range(60):
        sums = rng.integers(-3, 5, 45).astype(np.float64)
        found = sign_flip(sums, np.random.default_rng(seed))
        assert found is not None
        assert not found.exact
        assert 0 < found.standard_error < 0.006
        misses += abs(found.p_value - exact_p(sums)) > 2 * found.standard_error + 1e-4
    assert misses <= 8


def test_clusters_without_a_difference_do_not_count() -> None:
    sums = np.array([3.0, 1.0, -1.0])
    padded = np.concatenate((sums, np.zeros(500)))
    few, many = (sign_flip(one, np.random.default_rng(0)) for one in (sums, padded))
    assert few == many


def test_nothing_can_be_told() -> None:
    assert sign_flip(np.array([7.0]), np.random.default_rng(0)) is None
    never = sign_flip(np.zeros(9), np.random.default_rng(0))
    assert never is not None
    assert never.p_value == 1.0
