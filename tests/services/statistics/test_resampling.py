"""Bootstrap and sign-flips of many columns: as for one, as scipy's, and whatever the clusters are called.

The sign-flip test over clusters of one size, against scipy's and against the exact distribution.

Sign-flips of Student's statistic by cluster: against every pattern tried one by one, and their level.
"""

from itertools import product
from random import Random
from typing import Literal

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import bootstrap, permutation_test

from services.statistics.intervals import (
    Floats,
    Interval,
    Partition,
    adjusted_variances,
    expanded_tails,
    partition,
)
from services.statistics.resampling import (
    ClusterTotals,
    SignFlip,
    SignFlips,
    cluster_bootstraps,
    cluster_totals,
    count_hits,
    exact_p_values,
    sign_flips,
)
from tests.services.statistics.correlated_verdicts import correlated_differences, uneven_clusters

ROWS = st.lists(
    st.tuples(st.sampled_from([-1.0, 0.0, 0.5, 1.0, float("nan")]), st.sampled_from("abcdefg")), min_size=2
)


def alone(values: Floats) -> ClusterTotals:
    """Every value a cluster of its own."""
    return cluster_totals(values, Partition(np.arange(len(values)), len(values)))


def rng(seed: int = 0) -> np.random.Generator:
    return np.random.default_rng(seed)


def ends(interval: Interval | None) -> tuple[float, float]:
    assert interval is not None
    return interval.low, interval.high


def tail_of(clusters: int) -> float:
    """What each side of an interval over so many equal clusters leaves out."""
    return float(expanded_tails(np.array([clusters - 1.0]))[0])


def test_totals_by_hand() -> None:
    # a: 1, nan; b: 0, 1; c: nan; d: 0, nan. Column 2 has nothing undefined.
    values = np.array([[1.0, 1], [0, 2], [np.nan, 3], [1, 4], [np.nan, 5], [0, 0], [np.nan, 0]])
    totals = cluster_totals(values, partition(["a", "b", "a", "b", "c", "d", "d"]))
    # A column has its own order: sums other than 0 from the smallest on, then 0, then nothing at all.
    assert totals.sums.T.tolist() == [[1.0, 1.0, 0.0, 0.0], [4.0, 5.0, 6.0, 0.0]]
    assert totals.sizes.T.tolist() == [[1.0, 2.0, 1.0, 0.0], [2.0, 1.0, 2.0, 2.0]]
    assert totals.means == pytest.approx([2 / 4, 15 / 7])
    assert totals.clusters.tolist() == [3, 4]


def test_lone_values_have_scipys_bca_interval() -> None:
    values = rng(1).exponential(size=60)
    expected = bootstrap(
        (values,),
        np.mean,
        method="BCa",
        confidence_level=1 - 2 * tail_of(60),
        n_resamples=60_000,
        rng=rng(2),
    ).confidence_interval
    found = cluster_bootstraps(alone(values), rng(3), draws=60_000)
    assert ends(found.bca(0)) == pytest.approx((expected.low, expected.high), abs=0.012)
    plain = bootstrap(
        (values,),
        np.mean,
        method="percentile",
        confidence_level=1 - 2 * tail_of(60),
        n_resamples=60_000,
        rng=rng(4),
    ).confidence_interval
    assert ends(found.percentile(0)) == pytest.approx((plain.low, plain.high), abs=0.012)
    # Skewed to the right, so BCa lies further right than percentiles do.
    assert found.bca_low[0] > found.low[0] + 0.012
    assert found.bca_high[0] > found.high[0] + 0.012


def test_each_column_has_the_interval_that_it_has_alone() -> None:
    parts = uneven_clusters(rng(5), 40)
    values = correlated_differences(rng(6), parts, 0.1, 0.3, 5)
    values[rng(7).random(values.shape) < 0.1] = np.nan
    values[parts.codes == 7, 2] = np.nan
    together = cluster_bootstraps(cluster_totals(values, parts), rng(8), draws=2_000)
    flips = sign_flips(cluster_totals(values, parts), rng(9), draws=3_000)
    assert not flips.exact.any()
    for column in range(5):
        lone = cluster_totals(values[:, [column]], parts)
        alone_ = cluster_bootstraps(lone, rng(8), draws=2_000)
        assert ends(together.percentile(column)) == pytest.approx(ends(alone_.percentile(0)))
        assert ends(together.bca(column)) == pytest.approx(ends(alone_.bca(0)))
        for alternative in ("greater", "less", "different"):
            one = sign_flips(lone, rng(9), draws=3_000).test(0, alternative)
            assert flips.test(column, alternative) == one


def test_two_systems_have_one_p_whichever_comes_first() -> None:
    parts = uneven_clusters(rng(20), 60)
    differences = correlated_differences(rng(21), parts, 0.05, 0.3, 1)
    there, back = (sign_flips(cluster_totals(each, parts), rng(22)) for each in (differences, -differences))
    assert not there.exact[0]
    assert there.test(0) == back.test(0)


def test_tails_are_students_and_widen_as_clusters_become_few() -> None:
    # t on 9 degrees of freedom is 2.26216; sqrt(10 / 9) times it 2.38452; the normal tail beyond that .0086.
    assert tail_of(10) == pytest.approx(0.00855, abs=1e-5)
    assert tail_of(100_000) == pytest.approx(0.025, abs=1e-5)
    assert tail_of(3) < tail_of(10) < tail_of(50) < 0.025


@settings(deadline=None, max_examples=50)
@given(st.lists(st.tuples(st.integers(-5, 5), st.integers(5, 9)), min_size=6, max_size=20))
def test_an_interval_lies_between_the_lowest_and_the_highest_cluster(rows: list[tuple[int, int]]) -> None:
    sums, sizes = (np.array(column, np.float64)[:, None] for column in zip(*rows, strict=True))
    found = cluster_bootstraps(ClusterTotals(sums, sizes), rng(), draws=500).percentile(0)
    means = sums / sizes
    if found is None:
        assert np.ptp(means) < 1e-9
        return
    assert means.min() - 1e-9 <= found.low <= found.high <= means.max() + 1e-9


def test_blocks_of_columns_and_of_draws_change_nothing(monkeypatch: pytest.MonkeyPatch) -> None:
    parts = uneven_clusters(rng(10), 30)
    totals = cluster_totals(correlated_differences(rng(11), parts, 0.0, 0.2, 7), parts)
    whole = cluster_bootstraps(totals, rng(12), draws=1_000)
    monkeypatch.setattr("services.statistics.resampling._RATIOS_AT_ONCE", 2_000)
    monkeypatch.setattr("services.statistics.resampling._NUMBERS_AT_ONCE", 700)
    cut = cluster_bootstraps(totals, rng(12), draws=1_000)
    assert cut.low == pytest.approx(whole.low)
    assert cut.bca_high == pytest.approx(whole.bca_high)


@settings(deadline=None, max_examples=60)
@given(ROWS, st.randoms(use_true_random=False))
def test_names_of_clusters_and_order_of_questions_change_nothing(
    rows: list[tuple[float, str]], random: Random
) -> None:
    shuffled = random.sample(rows, len(rows))
    renamed = dict(zip("abcdefg", random.sample("qrstuvw", 7), strict=True))
    one, other = (
        cluster_totals(np.array([value for value, _ in drawn]), partition([name for _, name in drawn]))
        for drawn in (rows, [(value, renamed[name]) for value, name in shuffled])
    )
    here, there = (cluster_bootstraps(totals, rng(), draws=200) for totals in (one, other))
    assert here.percentile(0) == there.percentile(0)
    assert here.bca(0) == there.bca(0)
    assert sign_flips(one, rng()).test(0) == sign_flips(other, rng()).test(0)
    if one.clusters[0] < 2:
        assert here.percentile(0) is None
        assert sign_flips(one, rng()).test(0) is None


def test_one_cluster_or_nothing_that_varies_gives_no_claim() -> None:
    lone = cluster_totals(np.array([1.0, 0.0, 1.0]), partition(["a", "a", "a"]))
    found = cluster_bootstraps(lone, rng())
    assert (found.percentile(0), found.bca(0), sign_flips(lone, rng()).test(0)) == (None, None, None)
    few = alone(np.arange(5.0))
    assert (cluster_bootstraps(few, rng()).percentile(0), cluster_bootstraps(few, rng()).bca(0)) == (
        None,
        None,
    )
    assert cluster_bootstraps(alone(np.arange(6.0)), rng()).percentile(0) is not None
    same = alone(np.ones(30))
    assert cluster_bootstraps(same, rng()).percentile(0) is None
    empty = alone(np.full(4, np.nan))
    assert np.isnan(empty.means[0])
    assert cluster_bootstraps(empty, rng()).bca(0) is None
    with pytest.raises(ValueError, match="3 rows of values and 2 clusters"):
        cluster_totals(np.zeros(3), partition(["a", "b"]))


@pytest.mark.parametrize("alternative", ["greater", "less"])
def test_one_sided_flips_are_scipys(alternative: Literal["greater", "less"]) -> None:
    sums = np.array([2.0, -1.0, 3.0, 1.0, 1.0, -2.0, 4.0, 1.5])
    expected = permutation_test(
        [sums, np.zeros(8)],
        lambda x, y: np.sum(x - y),
        permutation_type="samples",
        n_resamples=2**8,
        alternative=alternative,
    )
    found = sign_flips(alone(sums), rng())
    assert getattr(found, alternative)[0] == pytest.approx(expected.pvalue)


def test_twenty_clusters_are_exact_and_more_stay_within_their_stated_error() -> None:
    sums = rng(13).integers(-3, 5, 20).astype(np.float64)
    sums[sums == 0] = 1.0
    exact = sign_flips(alone(sums), rng())
    chances = _distribution(sums)
    total = round(sums.sum())
    assert exact.exact[0]
    assert exact.greater[0] == pytest.approx(sum(c for s, c in chances.items() if s >= total))
    assert exact.less[0] == pytest.approx(sum(c for s, c in chances.items() if s <= total))
    more = np.concatenate((sums, sums))
    drawn = sign_flips(alone(np.tile(more[:, None], 2)), rng(14), draws=20_000)
    assert not drawn.exact[0]
    expected = sum(c for s, c in _distribution(more).items() if s >= 2 * total)
    found = drawn.test(0, "greater")
    assert found is not None
    assert 0 < found.standard_error < 0.004
    assert found.p_value == pytest.approx(expected, abs=4 * found.standard_error + 1e-4)
    assert drawn.greater[0] == drawn.greater[1]


def test_a_column_with_few_bearing_clusters_is_exact_beside_one_with_many() -> None:
    values = np.zeros((60, 2))
    values[:5, 0] = 1.0
    values[:, 1] = np.tile([1.0, -1.0, 1.0], 20)
    found = sign_flips(alone(values), rng(), draws=500)
    assert isinstance(found, SignFlips)
    assert found.exact.tolist() == [True, False]
    assert found.greater[0] == pytest.approx(1 / 32)
    assert found.different[0] == pytest.approx(2 / 32)


def test_on_correlated_data_bootstraps_cover_and_flips_keep_their_level() -> None:
    """A small cut of benchmarks/clustered_truth.py; the naive ones fail there by far more than chance."""
    parts = uneven_clusters(rng(15), 40)
    found = cluster_totals(correlated_differences(rng(16), parts, 0.1, 0.3, 600), parts)
    drawn = cluster_bootstraps(found, rng(17), draws=1_000)
    for low, high in ((drawn.low, drawn.high), (drawn.bca_low, drawn.bca_high)):
        assert 0.92 <= np.mean((low <= 0.1) & (high >= 0.1)) <= 0.98
    null = cluster_totals(correlated_differences(rng(18), parts, 0.0, 0.3, 600), parts)
    tests = sign_flips(null, rng(19), draws=1_000)
    for p_values in (tests.different, tests.greater, tests.less):
        assert 0.02 <= np.mean(p_values <= 0.05) <= 0.08


def _distribution(sums: Floats) -> dict[int, float]:
    chances = {0: 1.0}
    for size in np.abs(sums).astype(int).tolist():
        after: dict[int, float] = {}
        for total, chance in chances.items():
            for end in (total - size, total + size):
                after[end] = after.get(end, 0.0) + chance / 2
        chances = after
    return chances


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
    shares = count_hits(sums, sizes, 4, 40_000) / 40_000
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
