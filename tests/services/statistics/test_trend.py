"""The trend test, against published examples and against the tests that it is made of.

Correlations, against scipy's and by hand.
"""

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, pointbiserialr, ttest_1samp

from services.statistics.trend import Trend, pearson, point_biserial, trend_test

ROWS = st.lists(
    st.tuples(st.integers(1, 4), st.booleans(), st.sampled_from("abcde")), min_size=4, max_size=40
)


def _trend(table: list[tuple[float, int, int]]) -> Trend:
    """The trend of (score, errors, n) with every question in a cluster of its own."""
    scores = [score for score, _, n in table for _ in range(n)]
    wrong = [i < errors for _, errors, n in table for i in range(n)]
    trend = trend_test(scores, wrong, [str(i) for i in range(len(scores))])
    assert trend is not None
    return trend


def test_smokers_of_fleiss() -> None:
    # Fleiss (1981), p. 139, the example of R's prop.trend.test: X² = 8.2249, p = .004132.
    trend = _trend([(1, 83, 86), (2, 90, 93), (3, 129, 136), (4, 70, 82)])
    assert trend.z == pytest.approx(-(8.2249**0.5), abs=1e-4)
    assert trend.p_value == pytest.approx(0.004132, abs=1e-6)


def test_hand_example() -> None:
    # Scores 1, 2, 3, 4 of two questions each, errors 0, 1, 1, 2: p = 1/2, U = 1.5 + 1.5 = 3 (the middle bins
    # cancel), Σ (s - 2.5)² = 10, z = 3 / sqrt(2.5).
    trend = _trend([(1, 0, 2), (2, 1, 2), (3, 1, 2), (4, 2, 2)])
    assert trend.z == pytest.approx(3 / 2.5**0.5)


@settings(deadline=None)
@given(ROWS)
def test_z_and_p_by_cluster_are_scipys(rows: list[tuple[int, bool, str]]) -> None:
    scores, wrong, clusters = (
        [float(s) for s, _, _ in rows],
        [w for _, w, _ in rows],
        [c for _, _, c in rows],
    )
    trend = trend_test(scores, wrong, clusters)
    if len(set(scores)) < 2 or len(set(wrong)) < 2:
        assert trend is None
        return
    assert trend is not None
    r = pearsonr(scores, [float(w) for w in wrong]).statistic
    assert trend.z == pytest.approx(r * len(rows) ** 0.5, abs=1e-9)
    deviations = (np.array(scores) - np.mean(scores)) * (np.array(wrong) - np.mean(wrong))
    parts = [deviations[np.array(clusters) == c].sum() for c in sorted(set(clusters))]
    if trend.p_clustered is not None:
        assert trend.clusters == len(parts) >= 2
        assert trend.p_clustered == pytest.approx(ttest_1samp(parts, 0).pvalue, abs=1e-6)


def test_strata_by_hand() -> None:
    # Stratum a: scores 0, 1, 2, 3, errors 0, 0, 1, 1: U = 2, p(1-p) Σ d² = 1/4 * 5.
    # Stratum b: scores 10, 12, errors 1, 0: U = -1, 1/4 * 2. z = 1 / sqrt(1.75).
    # All scores of c and all answers of d are alike: neither tells anything.
    scores = [0.0, 1.0, 2.0, 3.0, 10.0, 12.0, 5.0, 5.0, 1.0, 9.0]
    wrong = [False, False, True, True, True, False, True, False, True, True]
    trend = trend_test(scores, wrong, list("uvwxyzklmn"), list("aaaabbccdd"))
    assert trend is not None
    assert trend.z == pytest.approx(1 / 1.75**0.5)
    assert (trend.n, trend.clusters) == (6, 6)
    parts = [0.75, 0.25, 0.25, 0.75, -0.5, -0.5]
    assert trend.p_clustered == pytest.approx(ttest_1samp(parts, 0).pvalue)


@settings(deadline=None)
@given(ROWS, st.floats(-1e3, 1e3))
def test_a_shift_of_a_stratum_changes_nothing(rows: list[tuple[int, bool, str]], shift: float) -> None:
    wrong, clusters = [w for _, w, _ in rows], [c for _, _, c in rows]
    strata = [n % 2 for n in range(len(rows))]
    plain = trend_test([float(s) for s, _, _ in rows], wrong, clusters, strata)
    moved = trend_test([s + shift * (n % 2) for n, (s, _, _) in enumerate(rows)], wrong, clusters, strata)
    assert (plain is None) == (moved is None)
    if plain is not None and moved is not None:
        assert moved.z == pytest.approx(plain.z, abs=1e-6)


def test_strata_without_contrast_leave_nothing_to_test() -> None:
    assert trend_test([1, 1, 2, 2], [False, True, False, True], list("abcd"), [1, 1, 2, 2]) is None


def test_one_cluster_has_no_clustered_p() -> None:
    trend = trend_test([1, 2, 3, 4], [False, False, True, True], ["a"] * 4)
    assert trend is not None
    assert trend.p_clustered is None
    assert trend.clusters == 1


def test_clusters_that_bear_alike_have_no_clustered_p() -> None:
    trend = trend_test([1, 4, 1, 4], [False, True, False, True], list("aabb"))
    assert trend is not None
    assert trend.p_clustered is None


def test_clusters_that_bear_nothing_have_no_clustered_p_made_of_rounding() -> None:
    # One error in three at every score: each cluster's part is 0 but for rounding.
    scores = [score for score in (0.1, 0.73, 0.2, 0.9, 0.31, 0.33, 0.6, 0.61) for _ in range(3)]
    trend = trend_test(scores, [True, False, False] * 8, [str(i // 6) for i in range(24)])
    assert trend is not None
    assert trend.z == pytest.approx(0, abs=1e-9)
    assert trend.p_clustered is None


def test_copies_make_the_plain_test_sure_and_not_the_clustered_one() -> None:
    scores = [1.0, 2.0, 3.0, 4.0, 1.0, 2.0]
    wrong = [False, False, True, True, True, False]
    ids = [str(i) for i in range(6)]
    once = trend_test(scores, wrong, ids)
    often = trend_test(scores * 30, wrong * 30, ids * 30)
    assert once is not None
    assert often is not None
    assert once.p_value > 0.2
    assert often.p_value < 0.001
    assert once.p_clustered is not None
    assert often.p_clustered == pytest.approx(once.p_clustered)


def test_clustered_test_keeps_its_level_where_the_plain_one_does_not() -> None:
    rng = np.random.default_rng(5)
    ids = np.repeat(np.arange(12), 10)
    plain = clustered = 0
    for _ in range(400):
        scores = [float(s) for s in rng.integers(1, 5, 12)[ids]]
        wrong = [bool(w) for w in rng.random(120) < rng.beta(1.2, 1.8, 12)[ids]]
        trend = trend_test(scores, wrong, [str(i) for i in ids])
        assert trend is not None
        assert trend.p_clustered is not None
        plain += trend.p_value < 0.05
        clustered += trend.p_clustered < 0.05
    assert plain / 400 > 0.2
    assert clustered / 400 < 0.09


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="2 scores, 1 verdicts"):
        trend_test([1, 2], [True], ["a", "b"])


PAIRS = st.lists(st.tuples(st.integers(-1000, 1000), st.integers(-1000, 1000)), min_size=3, max_size=30)


def test_worked_example() -> None:
    # Deviations -1.5, -.5, .5, 1.5 and -.15, -.05, -.05, .25: products sum to .6, squares to 5 and .09.
    correlation = pearson([1, 2, 3, 4], [0.2, 0.3, 0.3, 0.6])
    assert correlation is not None
    assert correlation.r == pytest.approx(0.6 / (5 * 0.09) ** 0.5)
    assert correlation.n == 4
    assert correlation.p_clustered is None


@settings(deadline=None)
@given(PAIRS)
def test_pearson_is_scipys(pairs: list[tuple[int, int]]) -> None:
    xs, ys = [x / 7 for x, _ in pairs], [y / 7 for _, y in pairs]
    correlation = pearson(xs, ys)
    if len(set(xs)) == 1 or len(set(ys)) == 1:
        assert correlation is None
        return
    assert correlation is not None
    expected = pearsonr(xs, ys)
    assert correlation.r == pytest.approx(expected.statistic, abs=1e-9)
    assert -1 <= correlation.r <= 1
    assert 0 <= correlation.p_value <= 1
    assert correlation.p_value == pytest.approx(expected.pvalue, abs=1e-6)


def test_point_biserial_by_hand() -> None:
    # Means 1.5 and 3.5, spread √1.25: r = 2 / √1.25 · 1/2 = 2 / √5, t² = 8 on 2 degrees of freedom.
    found = point_biserial([1, 2, 3, 4], [False, False, True, True], list("abcd"))
    assert found is not None
    assert found.r == pytest.approx(2 / 5**0.5)
    assert found.p_value == pytest.approx(1 - (8 / 10) ** 0.5)


@settings(deadline=None)
@given(st.lists(st.tuples(st.floats(0, 2), st.booleans()), min_size=3, max_size=40))
def test_point_biserial_is_scipys(rows: list[tuple[float, bool]]) -> None:
    difficulties, wrong = [d for d, _ in rows], [w for _, w in rows]
    assume(max(difficulties) - min(difficulties) > 1e-6)
    correlation = point_biserial(difficulties, wrong, [str(i) for i in range(len(rows))])
    if len(set(wrong)) == 1:
        assert correlation is None
        return
    assert correlation is not None
    expected = pointbiserialr(wrong, difficulties)
    assert correlation.r == pytest.approx(expected.statistic, abs=1e-9)
    assert correlation.p_value == pytest.approx(expected.pvalue, abs=1e-6)


def test_point_biserial_says_what_clusters_leave_of_it() -> None:
    difficulties = [0.1, 0.5, 0.2, 0.6, 0.3, 0.4] * 10
    wrong = [False, True, False, True, True, False] * 10
    alone = point_biserial(difficulties, wrong, [str(i) for i in range(60)])
    copied = point_biserial(difficulties, wrong, [str(i % 6) for i in range(60)])
    one = point_biserial(difficulties, wrong, ["a"] * 60)
    assert alone is not None
    assert copied is not None
    assert one is not None
    assert alone.p_clustered is not None
    assert copied.p_clustered is not None
    assert alone.p_clustered < 0.001
    assert copied.p_clustered > 0.05
    assert one.p_clustered is None
    assert one.p_value == copied.p_value < 0.001


@pytest.mark.parametrize(
    ("xs", "ys"),
    [([], []), ([1], [1]), ([1, 2], [1, 2]), ([1, 1, 1], [1, 2, 3]), ([1, 2, 3], [0.3, 0.1 + 0.2, 0.3])],
)
def test_undefined(xs: list[float], ys: list[float]) -> None:
    assert pearson(xs, ys) is None


def test_a_straight_line_is_certain() -> None:
    rising, falling = pearson([1, 2, 3, 4], [0.1, 0.2, 0.3, 0.4]), pearson([1, 2, 3], [3, 2, 1])
    assert rising is not None
    assert falling is not None
    assert rising.r == pytest.approx(1)
    assert rising.p_value == pytest.approx(0, abs=1e-6)
    assert falling.r == pytest.approx(-1)


def test_tiny_differences_do_not_vanish() -> None:
    correlation = pearson([1e-200, 2e-200, 3e-200], [1, 2, 4])
    assert correlation is not None
    assert correlation.r == pytest.approx(pearsonr([1, 2, 3], [1, 2, 4]).statistic)
    tiny = point_biserial([0, 1e-200, 2e-200, 3e-200], [False, False, True, True], list("abcd"))
    large = point_biserial([0, 1, 2, 3], [False, False, True, True], list("abcd"))
    assert tiny is not None
    assert large is not None
    assert (tiny.r, tiny.p_clustered) == pytest.approx((large.r, large.p_clustered))


def test_lengths_of_correlated_values_must_agree() -> None:
    with pytest.raises(ValueError, match="2 values"):
        pearson([1, 2], [1])
