"""What a judge's errors make of what he found: by hand and by simulation."""

import numpy as np
import pytest

from services.evaluate.statistics.judge_error import JudgeError, corrected_difference, corrected_share

JUDGE = JudgeError(sensitivity=0.9, right=50, specificity=0.8, wrong=50)


def test_worked_example() -> None:
    # (.6 + .8 - 1) / .7 = .5714; with v1 = (46/52)(6/52)/52 = .001963, v2 = (41/52)(11/52)/52 = .003208:
    # .0009 + .5714² v1 + .4286² v2 = .002130; root / .7 = .0659.
    found = corrected_share(0.6, 0.03, JUDGE)
    assert found is not None
    assert found.value == pytest.approx(0.5714, abs=1e-4)
    assert found.standard_error == pytest.approx(0.0659, abs=1e-4)
    assert found.interval.low == pytest.approx(0.5714 - 1.96 * 0.0659, abs=2e-4)
    apart = corrected_difference(0.07, 0.02, JUDGE)
    assert apart is not None
    assert apart.value == pytest.approx(0.1)
    assert apart.standard_error == pytest.approx((0.02**2 + 0.01 * 0.005171) ** 0.5 / 0.7, abs=1e-5)


def test_a_perfect_judge_changes_the_value_by_nothing_but_is_not_taken_to_be_certain() -> None:
    found = corrected_share(0.4, 0.05, JudgeError(1.0, 40, 1.0, 40))
    assert found is not None
    assert found.value == pytest.approx(0.4)
    assert 0.05 < found.standard_error < 0.06


def test_a_judge_who_throws_a_coin_says_nothing() -> None:
    for judge in (JudgeError(0.5, 50, 0.5, 50), JudgeError(0.2, 50, 0.6, 50)):
        assert corrected_share(0.5, 0.1, judge) is None
        assert corrected_difference(0.1, 0.1, judge) is None


def test_what_leaves_the_range_is_cut() -> None:
    found = corrected_share(0.1, 0.02, JUDGE)
    assert found is not None
    assert found.value == found.interval.low == 0.0
    wide = corrected_difference(0.65, 0.2, JUDGE, freedom=4)
    assert wide is not None
    assert wide.interval.high == 1.0


def test_simulated_judges_are_corrected_to_the_truth_and_their_intervals_hold_it() -> None:
    rng = np.random.default_rng(0)
    true, other, n, calibrated = 0.7, 0.55, 400, 80
    held = shares = differences = 0
    for _ in range(1_000):
        judge = JudgeError(
            rng.binomial(calibrated, 0.9) / calibrated,
            calibrated,
            rng.binomial(calibrated, 0.8) / calibrated,
            calibrated,
        )
        first, second = ((rng.random(n) < np.where(rng.random(n) < rate, 0.9, 0.2)) for rate in (true, other))
        share = corrected_share(first.mean(), (first.mean() * (1 - first.mean()) / n) ** 0.5, judge)
        gained = first.astype(float) - second
        apart = corrected_difference(gained.mean(), gained.std(ddof=1) / n**0.5, judge)
        assert share is not None
        assert apart is not None
        shares += share.interval.low <= true <= share.interval.high
        differences += apart.interval.low <= true - other <= apart.interval.high
        held += 1
    assert 0.93 <= shares / held <= 0.98
    assert 0.93 <= differences / held <= 0.97
