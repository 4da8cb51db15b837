"""What a judge's errors make of what he found: by hand and by simulation."""

import numpy as np
import pytest

from services.statistics.clustered_means import clustered_means
from services.statistics.groups import Partition
from services.statistics.several_tests import JudgeError, MeanDifference, corrected_difference, implied_truth

JUDGE = JudgeError(sensitivity=0.9, right=50, specificity=0.8, wrong=50)
COIN = JudgeError(0.5, 50, 0.5, 50)


def test_worked_example() -> None:
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
