"""Correlations, against scipy's and by hand."""

import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from scipy.stats import pearsonr, pointbiserialr

from services.statistics.trend import pearson, point_biserial

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


def test_lengths_must_agree() -> None:
    with pytest.raises(ValueError, match="2 values"):
        pearson([1, 2], [1])
