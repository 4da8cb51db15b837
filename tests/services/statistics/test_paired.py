"""Two systems on the same questions: by hand, by scipy, and on simulated clusters."""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.stats import binomtest

from services.statistics.paired import Paired, compare_paired, mcnemar
from tests.services.statistics.clustered_pairs import clustered_pairs

ROWS = st.lists(st.tuples(st.booleans(), st.booleans(), st.sampled_from("abcdefgh")), min_size=1, max_size=60)


def compared(rows: list[tuple[bool, bool, str]], seed: int = 0, draws: int = 500) -> Paired:
    found = compare_paired(
        [row[0] for row in rows],
        [row[1] for row in rows],
        [row[2] for row in rows],
        seed,
        draws,
    )
    assert found is not None
    return found


def test_worked_example() -> None:
    # Differences 1, 1 in a; 0, 0 in b; -1, 1 in c: mean 1/3, cluster sums 2, 0, 0.
    # e = 2 - 2/3, -2/3, -2/3: v = 3/2 (16/9 + 4/9 + 4/9) / 36 = 1/9; s² = (4 - 6/9) / 5 = 2/3.
    # Design effect: 1/9 * 6 / (2/3) = 1. Student's t on 2 degrees: 1/3 ± 4.3 / 3, cut at -1 and 1.
    rows = [
        (False, True, "a"), (False, True, "a"), (True, True, "b"), (False, False, "b"),
        (True, False, "c"), (False, True, "c"),
    ]  # fmt: skip
    found = compared(rows)
    assert (found.n, found.clusters) == (6, 3)
    assert found.difference == pytest.approx(1 / 3)
    assert found.standard_error == pytest.approx(1 / 3)
    assert found.design_effect == pytest.approx(1)
    assert found.effective_n == pytest.approx(6)
    assert found.test is not None
    assert found.test.p_value == 1.0
    assert found.naive_p == pytest.approx(2 * 5 / 16)
    half = 1.959964 * (2 / 3 / 6) ** 0.5
    assert found.naive_interval is not None
    assert found.naive_interval.low == pytest.approx(1 / 3 - half, abs=1e-6)
    assert found.naive_interval.high == pytest.approx(1 / 3 + half, abs=1e-6)
    assert found.interval is not None
    assert (found.interval.low, found.interval.high) == (-1.0, 1.0)


@pytest.mark.parametrize(("gained", "lost"), [(0, 0), (3, 3), (8, 1), (0, 12), (40, 61)])
def test_mcnemar_is_the_binomial_test(gained: int, lost: int) -> None:
    expected = binomtest(gained, gained + lost).pvalue if gained + lost else 1.0
    assert mcnemar(gained, lost) == pytest.approx(expected)
    if gained + lost:
        assert mcnemar(gained, lost, "greater") == pytest.approx(
            binomtest(gained, gained + lost, alternative="greater").pvalue
        )
        assert mcnemar(gained, lost, "less") == pytest.approx(
            binomtest(gained, gained + lost, alternative="less").pvalue
        )


@settings(deadline=None)
@given(ROWS)
def test_swapping_the_systems_turns_the_sign_and_nothing_else(rows: list[tuple[bool, bool, str]]) -> None:
    one, other = compared(rows), compared([(second, first, name) for first, second, name in rows])
    assert other.difference == pytest.approx(-one.difference)
    assert other.naive_p == one.naive_p
    assert other.design_effect == pytest.approx(one.design_effect)
    assert other.test == one.test
    assert (one.test is None) == (one.clusters < 2)
    assert one.interval is None or one.clusters > 1
    if one.naive_interval is not None:
        assert one.naive_interval.low <= one.difference <= one.naive_interval.high
    if one.effective_n is not None:
        assert one.effective_n <= one.n + 1e-9


@settings(deadline=None)
@given(ROWS)
def test_alike_systems_do_not_differ(rows: list[tuple[bool, bool, str]]) -> None:
    found = compared([(first, first, name) for first, _, name in rows])
    assert (found.difference, found.naive_p, found.design_effect) == (0.0, 1.0, None)
    assert found.test is None or found.test.p_value == 1.0


def test_copies_of_a_question_prove_nothing_more() -> None:
    once = [(i % 5 == 0, i % 5 != 1, str(i)) for i in range(30)]
    copied = compared([row for row in once for _ in range(20)])
    alone = compared(once)
    assert copied.naive_p is not None
    assert copied.naive_p < 1e-6
    assert alone.test is not None
    assert copied.test is not None
    assert copied.test.p_value == pytest.approx(alone.test.p_value, abs=0.02)
    assert copied.effective_n == pytest.approx(30, rel=0.1)


def test_nothing_to_compare() -> None:
    assert compare_paired([], [], []) is None
    with pytest.raises(ValueError, match="1 and 2 values"):
        compare_paired([True], [True, False], ["a"])


def test_on_clustered_data_it_covers_and_keeps_its_level_where_the_naive_ones_do_not() -> None:
    rng = np.random.default_rng(17)
    runs, difference = 300, 0.1
    covered = naive_covered = rejected = naive_rejected = 0
    for _ in range(runs):
        found = compare_paired(*clustered_pairs(rng, 60, difference), draws=1_000)
        assert found is not None
        assert found.interval is not None
        assert found.naive_interval is not None
        covered += found.interval.low <= difference <= found.interval.high
        naive_covered += found.naive_interval.low <= difference <= found.naive_interval.high
        null = compare_paired(*clustered_pairs(rng, 60, 0.0), draws=1_000)
        assert null is not None
        assert null.test is not None
        assert null.naive_p is not None
        rejected += null.test.p_value < 0.05
        naive_rejected += null.naive_p < 0.05
    assert 0.91 <= covered / runs <= 0.98
    assert 0.02 <= rejected / runs <= 0.085
    assert naive_covered / runs < 0.85
    assert naive_rejected / runs > 0.12
