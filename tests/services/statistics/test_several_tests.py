"""Holm's adjustment of several p-values.

Holm's method at several looks: by hand, as Holm's with one look, and at its level under simulation.

Alpha spending: published boundaries, what must hold for any, and simulated looks.

What a judge's errors make of what he found: by hand and by simulation.
"""

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.special import ndtr

from services.statistics.clustered_means import clustered_means
from services.statistics.intervals import Partition
from services.statistics.several_tests import (
    HolmOutcome,
    JudgeError,
    MeanDifference,
    Spending,
    corrected_difference,
    holm,
    implied_truth,
    level_at,
    looks,
    sequential_holm,
    spent_at,
)

HOLM_P_VALUES = st.lists(st.floats(0, 1), min_size=1, max_size=12)


def test_worked_example_of_holm() -> None:
    # Sorted .005, .01, .03, .04: 4 x .005, 3 x .01, 2 x .03, then .04, which may not be below .06.
    assert holm([0.01, 0.04, 0.03, 0.005]) == pytest.approx([0.03, 0.06, 0.06, 0.02])
    assert holm([0.5, 0.6]) == [1.0, 1.0]
    assert holm([]) == []


def test_no_test_is_no_member_of_the_family() -> None:
    assert holm([None, 0.02, None, 0.04]) == [None, 0.04, None, 0.04]


@given(HOLM_P_VALUES)
def test_it_keeps_the_order_and_lies_between_p_and_bonferroni(p_values: list[float]) -> None:
    adjusted = [p for p in holm(p_values) if p is not None]
    assert len(adjusted) == len(p_values)
    for p, found in zip(p_values, adjusted, strict=True):
        assert p <= found <= min(1.0, len(p_values) * p) + 1e-12
    ranked = sorted(zip(p_values, adjusted, strict=True))
    assert [found for _, found in ranked] == sorted(adjusted)


P_VALUES = st.lists(st.one_of(st.none(), st.floats(0, 1)), min_size=1, max_size=8)


@given(P_VALUES)
def test_with_one_look_it_is_holms(p_values: list[float | None]) -> None:
    found = sequential_holm([p_values], [True] * len(p_values))
    # One without a test has its part in the family, as if it showed nothing.
    adjusted_all = holm([1.0 if p is None else p for p in p_values])
    for p_value, held, adjusted in zip(p_values, found, adjusted_all, strict=True):
        assert adjusted is not None
        if p_value is None:
            assert held == HolmOutcome(None, None)
        elif abs(adjusted - 0.05) > 1e-9:
            assert (held.shown_at == 1) == (adjusted < 0.05)


def test_worked_example() -> None:
    # Three at .05: .01 reaches .05 / 3, then .02 reaches .05 / 2, then .06 does not reach .05.
    found = sequential_holm([[0.02, 0.06, 0.01]], [True, False, True])
    assert [held.shown_at for held in found] == [1, None, 1]
    assert [held.level for held in found] == pytest.approx([0.05 / 2, 0.05, 0.05 / 3])


def test_what_one_had_goes_to_the_other_at_a_later_look() -> None:
    looks = (0.5, 1.0)
    # At half, .0006 is below the level for .025 (.0008) and .002 is not below that for .05 (.0031): it is.
    first, both = level_at(looks, 1, 0.025), level_at(looks, 1, 0.05)
    assert first < 0.002 < both
    found = sequential_holm([[first / 2, 0.002]], [True, True], looks)
    assert [held.shown_at for held in found] == [1, 1]
    # One that falls between is shown at the end, where it gets all of alpha.
    last = level_at(looks, 2, 0.05)
    later = sequential_holm([[first / 2, 0.2], [0.9, last * 0.99]], [True, True], looks)
    assert later == [HolmOutcome(first, 1), HolmOutcome(last, 2)]
    never = sequential_holm([[0.2, 0.2], [0.9, last * 0.99]], [True, True], looks)
    assert [held.shown_at for held in never] == [None, None]


def test_what_was_shown_stays_shown_and_without_correction_each_has_all_of_alpha() -> None:
    found = sequential_holm([[1e-9], [0.9]], [False], (0.5, 1.0))
    assert found[0].shown_at == 1
    plain = sequential_holm([[0.04, 0.045, None]], [True] * 3, correct=False)
    assert [held.shown_at for held in plain] == [1, 1, None]


def test_a_claim_stands_when_another_hypothesis_gets_its_first_test_later() -> None:
    looks = (0.5, 1.0)
    first = sequential_holm([[0.014, None]], [False] * 2, looks, spending="pocock")
    later = sequential_holm([[0.014, None], [0.2, 0.2]], [False] * 2, looks, spending="pocock")
    assert (first[0].shown_at, later[0].shown_at) == (1, 1)
    # Alone it would have had all of alpha; as one of two it has half, from the first look on.
    alone = level_at(looks, 1, 0.05, "pocock")
    between = sequential_holm([[alone * 0.9, None]], [False] * 2, looks, spending="pocock")
    assert between[0].shown_at is None


def test_rows_must_fit() -> None:
    with pytest.raises(ValueError, match="one p-value a hypothesis"):
        sequential_holm([[0.1]], [True, True])
    with pytest.raises(ValueError, match="no more rows"):
        sequential_holm([[0.1], [0.1]], [True])


def test_over_looks_and_hypotheses_false_claims_stay_at_alpha() -> None:
    rng = np.random.default_rng(0)
    shares = (0.4, 1.0)
    steps = np.sqrt(np.diff(shares, prepend=0.0))[:, None]
    false = naive = 0
    runs = 3_000
    for _ in range(runs):
        z = np.cumsum(rng.normal(size=(2, 3)) * steps, axis=0) / np.sqrt(shares)[:, None]
        p_values = (2 * ndtr(-np.abs(z))).tolist()
        false += any(
            held.shown_at for held in sequential_holm(p_values, [True] * 3, shares, spending="pocock")
        )
        naive += bool((np.array(p_values) <= 0.05).any())
    assert 0.03 <= false / runs <= 0.062
    assert naive / runs > 0.15


# Two-sided alpha .05, equally spaced looks: the bounds of Lan and DeMets' program (Reboussin et al. 2000), as
# in Jennison and Turnbull (2000, section 7.2) and in the R packages ldbounds and gsDesign.
PUBLISHED: dict[tuple[Spending, int], list[float]] = {
    ("obrien-fleming", 2): [2.963, 1.969],
    ("obrien-fleming", 3): [3.710, 2.511, 1.993],
    ("obrien-fleming", 4): [4.333, 2.963, 2.359, 2.014],
    ("obrien-fleming", 5): [4.877, 3.357, 2.680, 2.290, 2.031],
    ("pocock", 2): [2.157, 2.201],
    ("pocock", 3): [2.279, 2.295, 2.296],
    ("pocock", 5): [2.438, 2.427, 2.410, 2.397, 2.386],
}

SHARES = st.lists(st.integers(1, 99), max_size=4, unique=True).map(
    lambda drawn: (*(share / 100 for share in sorted(drawn)), 1.0)
)


@pytest.mark.parametrize(("spending", "number"), PUBLISHED)
def test_bounds_are_the_published_ones(spending: Spending, number: int) -> None:
    shares = tuple((look + 1) / number for look in range(number))
    found = [look.bound for look in looks(shares, 0.05, spending)]
    assert found == pytest.approx(PUBLISHED[spending, number], abs=6e-4)
    # One side of half the alpha has the same bounds: crossing both in one trial is next to impossible.
    one_sided = [look.bound for look in looks(shares, 0.025, spending, two_sided=False)]
    assert one_sided == pytest.approx(PUBLISHED[spending, number], abs=6e-4)


def test_a_single_look_has_alpha_itself() -> None:
    for two_sided in (True, False):
        (only,) = looks((1.0,), 0.05, two_sided=two_sided)
        assert (only.level, only.spent) == (0.05, 0.05)
    assert looks((1.0,), 0.05)[0].bound == pytest.approx(1.959964, abs=1e-6)


def test_spending_by_hand() -> None:
    # 2 - 2 Φ(1.95996 / .70711) at half the information for a one-sided .05; .05 ln(1.85914).
    assert spent_at(0.5, 0.05) == pytest.approx(0.00557, abs=1e-5)
    assert spent_at(0.5, 0.05, "pocock") == pytest.approx(0.05 * 0.620115, abs=1e-6)


@settings(deadline=None, max_examples=15)
@given(SHARES, st.sampled_from([0.001, 0.01, 0.05, 0.2]), st.booleans())
def test_what_holds_for_any_looks(shares: tuple[float, ...], alpha: float, two_sided: bool) -> None:
    for spending in ("obrien-fleming", "pocock"):
        found = looks(shares, alpha, spending, two_sided)
        assert found[-1].spent == pytest.approx(alpha)
        assert all(0 <= look.level <= look.spent + 1e-9 for look in found)
        assert [look.spent for look in found] == sorted(look.spent for look in found)
        half = looks(shares, alpha / 2, spending, two_sided)
        assert all(less.level <= more.level for less, more in zip(half, found, strict=True))


@pytest.mark.parametrize("spending", ["obrien-fleming", "pocock"])
def test_simulated_looks_cross_in_alpha_of_all_cases(spending: Spending) -> None:
    rng = np.random.default_rng(0)
    shares = np.array([0.2, 0.5, 0.6, 1.0])
    steps = np.sqrt(np.diff(shares, prepend=0.0))
    z = np.cumsum(rng.normal(size=(200_000, 4)) * steps, axis=1) / np.sqrt(shares)
    bounds = [look.bound for look in looks(tuple(shares.tolist()), 0.05, spending)]
    assert np.mean((np.abs(z) >= bounds).any(axis=1)) == pytest.approx(0.05, abs=0.0016)
    # Looking as often with the level of a single look would be wrong twice as often.
    assert np.mean((np.abs(z) >= 1.96).any(axis=1)) > 0.1


def test_many_looks_are_no_trouble_and_one_too_early_shows_nothing() -> None:
    many = looks(tuple((look + 1) / 50 for look in range(50)), 0.05)
    assert many[0].level == 0.0
    assert many[-1].bound == pytest.approx(2.1636, abs=1e-3)
    assert level_at((0.5, 1.0), 2, 0.05) == looks((0.5, 1.0), 0.05)[1].level


@pytest.mark.parametrize("shares", [(), (0.5,), (0.0, 1.0), (0.6, 0.4, 1.0), (0.5, 0.5, 1.0)])
def test_looks_that_do_not_grow_to_the_end_are_refused(shares: tuple[float, ...]) -> None:
    with pytest.raises(ValueError, match="growing shares"):
        looks(shares, 0.05)


JUDGE = JudgeError(sensitivity=0.9, right=50, specificity=0.8, wrong=50)
COIN = JudgeError(0.5, 50, 0.5, 50)


def test_worked_example_of_a_judge() -> None:
    # v1 = (46/52)(6/52)/52 = .001963, v2 = (41/52)(11/52)/52 = .003208; the judge has J = .7.
    found = corrected_difference(MeanDifference(0.1, 0.02), JUDGE)
    assert found.value == pytest.approx(0.1)
    # .1² (v1 + v2) / .7² = .0001055.
    assert found.standard_error == pytest.approx((0.02**2 + 0.0001055) ** 0.5, abs=1e-5)
    assert found.interval.low == pytest.approx(0.1 - 1.96 * found.standard_error, abs=1e-4)
    # Of .1, .02 come from questions without an answer; .3 more were answered by the one system:
    # (.08² v1 + (.3 - .08)² v2) / .49 = .0003425.
    unlike = corrected_difference(MeanDifference(0.1, 0.02, answered=0.3, unweighed=0.02), JUDGE)
    assert unlike.value == found.value
    assert unlike.standard_error == pytest.approx((0.02**2 + 0.0003425) ** 0.5, abs=1e-5)


def test_a_verdict_says_on_average_what_is_true_and_a_silence_says_it_itself() -> None:
    verdicts = np.array([1.0, 0.0, 1.0, 0.0, np.nan])
    truth = implied_truth(verdicts, np.array([False, False, True, True, False]), JUDGE)
    # (1 - .2) / .7 and (0 - .2) / .7
    assert truth[:4] == pytest.approx([0.8 / 0.7, -0.2 / 0.7, 1.0, 0.0])
    assert np.isnan(truth[4])
    right = 0.9 * truth[0] + 0.1 * truth[1]
    wrong = 0.2 * truth[0] + 0.8 * truth[1]
    assert (right, wrong) == pytest.approx((1.0, 0.0))


def test_a_perfect_judge_changes_the_value_by_nothing_but_is_not_taken_to_be_certain() -> None:
    perfect = JudgeError(1.0, 40, 1.0, 40)
    assert implied_truth(np.array([0.0, 1.0]), np.array([False, False]), perfect) == pytest.approx([0, 1])
    found = corrected_difference(MeanDifference(0.4, 0.05), perfect)
    assert found.value == pytest.approx(0.4)
    assert 0.05 < found.standard_error < 0.06


@pytest.mark.parametrize("judge", [COIN, JudgeError(0.2, 50, 0.6, 50)])
def test_a_judge_who_throws_a_coin_says_nothing(judge: JudgeError) -> None:
    with pytest.raises(ValueError, match="no better than chance"):
        implied_truth(np.array([1.0]), np.array([False]), judge)
    with pytest.raises(ValueError, match="no better than chance"):
        corrected_difference(MeanDifference(0.1, 0.1), judge)


def test_what_leaves_the_range_is_cut() -> None:
    wide = corrected_difference(MeanDifference(0.9, 0.2, freedom=4), JUDGE)
    assert wide.interval.high == 1.0
    assert corrected_difference(MeanDifference(1.2, 0.02), JUDGE).value == 1.0


@pytest.mark.parametrize(("answers", "other_answers"), [(1.0, 1.0), (0.95, 0.6), (0.5, 0.9)])
def test_simulated_judges_are_corrected_to_the_truth_and_their_intervals_hold_it(
    answers: float, other_answers: float
) -> None:
    rng = np.random.default_rng(0)
    true, other, n, calibrated, repetitions = 0.45, 0.4, 400, 80, 1_000
    alone = Partition(np.arange(n), n)
    held, total = 0, 0.0
    for _ in range(repetitions):
        judge = JudgeError(
            rng.binomial(calibrated, 0.9) / calibrated,
            calibrated,
            rng.binomial(calibrated, 0.8) / calibrated,
            calibrated,
        )
        silent = rng.random((n, 2)) >= (answers, other_answers)
        right = ~silent & (rng.random((n, 2)) < (true / answers, other / other_answers))
        verdicts = (~silent & (rng.random((n, 2)) < np.where(right, 0.9, 0.2))).astype(float)
        truth = implied_truth(verdicts, silent, judge)
        mean = clustered_means((truth[:, 0] - truth[:, 1])[:, None], alone).column(0)
        assert mean.mean is not None
        assert mean.standard_error is not None
        apart = float(silent[:, 1].mean() - silent[:, 0].mean())
        found = corrected_difference(MeanDifference(mean.mean, mean.standard_error, answered=apart), judge)
        held += found.interval.low <= true - other <= found.interval.high
        total += found.value
    assert total / repetitions == pytest.approx(true - other, abs=0.01)
    assert 0.93 <= held / repetitions <= 0.975
