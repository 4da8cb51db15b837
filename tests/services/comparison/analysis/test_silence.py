"""Systems that leave different numbers of questions unanswered, before a judge who takes wrong for right."""

from dataclasses import replace

import numpy as np
import pytest

from benchmarks.lenient_judges import CONTRAST, HIGHER, Trial, run_trial, with_silence
from benchmarks.made_comparison import PlantedEffects, made_comparison
from services.comparison.analysis import hypotheses
from services.comparison.analysis.analyse import analyse
from services.comparison.analysis.content import Results
from services.comparison.analysis.contrasts import Contrasted, contrast_all
from services.comparison.analysis.measures_table import measure_table
from services.comparison.judging.calibration import CalibrationFigures, calibration_figures
from services.statistics.several_tests import JudgeError
from tests.services.comparison.analysis.planted_protocol import planted_protocol

pytestmark = pytest.mark.campaign

ROUNDS = 40


def rounds(silent: float, errs: float) -> list[Trial]:
    return [run_trial(with_silence(silent, errs, seed)) for seed in range(ROUNDS)]


def analysed(planted: PlantedEffects) -> Results:
    return analyse(made_comparison(planted_protocol(), planted))


def test_what_a_lenient_judge_makes_of_silence_is_not_taken_for_a_difference() -> None:
    unequal = rounds(silent=0.4, errs=0.2)
    assert sum(one.plain.value <= 0.05 for one in unequal) > 20
    assert sum(one.tested.value <= 0.05 for one in unequal) <= 5
    assert np.mean([one.found for one in unequal]) > 0.06
    assert np.mean([one.implied for one in unequal]) == pytest.approx(0, abs=0.03)


def test_where_systems_are_silent_alike_the_verdicts_themselves_are_tested() -> None:
    one = run_trial(with_silence(silent=0.0, errs=0.2, seed=1))
    assert one.tested == one.plain
    # The judge's errors make every difference smaller.
    assert abs(one.implied) > abs(one.found)


def test_unequal_silence_is_told_with_its_size() -> None:
    results = analysed(with_silence(silent=0.4, errs=0.2, seed=0))
    specificity = results.calibration["judge"].specificity
    assert specificity is not None
    told = next(limit for limit in results.limits if limit.startswith("better: genetic leaves 0%"))
    assert "top-k 40%" in told
    assert f"favours genetic by {40 * (1 - specificity.value):.1f} points by " in told
    adjusted = next(by for by in results.hypotheses[0].by if by.role == "judge").adjusted
    assert adjusted.interval is not None
    assert adjusted.interval.low < 0 < adjusted.interval.high


def test_of_equal_silence_nothing_is_told() -> None:
    assert not [limit for limit in analysed(with_silence(0.0, 0.2, 0)).limits if "unanswered" in limit]


def right_silence(seed: int, sensitivity: float, specificity: float) -> tuple[Contrasted, CalibrationFigures]:
    """genetic is rightly silent on 30% of the questions, which top-k answers; both are right on 58%."""
    comparison = made_comparison(planted_protocol(), with_silence(0.0, 0.0, seed))
    table, rng = measure_table(comparison), np.random.default_rng(seed)
    n, (ours, theirs) = len(table.questions), (table.systems.index(name) for name in ("genetic", "top-k"))
    unanswerable = rng.random(n) < 0.3
    values, silent = table.values["judge", "accuracy"].copy(), np.zeros_like(table.silent)
    silent[:, ours] = unanswerable
    for column, rate in ((ours, 0.4), (theirs, 0.58 / 0.7)):
        right = ~unanswerable & (rng.random(n) < rate)
        values[:, column] = rng.random(n) < np.where(right, sensitivity, 1 - specificity)
    values[unanswerable, ours] = 1.0
    made = replace(table, values={**table.values, ("judge", "accuracy"): values}, silent=silent)
    protocol = comparison.protocol
    judge = calibration_figures(protocol.judge, comparison.calibration["judge"], protocol.calibration)
    error = JudgeError(sensitivity, 80, specificity, 120)
    (found,) = contrast_all(made, [CONTRAST], 1_000, 0, {"judge": error})
    return found, judge


@pytest.mark.parametrize(("sensitivity", "specificity"), [(0.8, 1.0), (0.8, 0.95), (0.85, 0.85)])
def test_a_silence_that_is_right_is_not_taken_for_a_difference(
    sensitivity: float, specificity: float
) -> None:
    alarms = plain = 0
    for seed in range(60):
        found, judge = right_silence(seed, sensitivity, specificity)
        tested = hypotheses.tests_of(HIGHER, found, judge).claimed
        verdicts = hypotheses.tests_of(HIGHER, replace(found, implied=None), judge).claimed
        assert tested is not None
        assert verdicts is not None
        alarms, plain = alarms + (tested.value <= 0.05), plain + (verdicts.value <= 0.05)
    assert alarms <= 8
    if specificity == 1.0:
        assert plain > 15


def test_where_nothing_was_weighed_and_nothing_varies_the_verdicts_alone_are_tested() -> None:
    table = measure_table(made_comparison(planted_protocol(), with_silence(0.0, 0.0, 0)))
    values = np.zeros_like(table.values["judge", "accuracy"])
    values[:, table.systems.index("genetic")] = 1.0  # rightly silent, where top-k failed
    made = replace(
        table,
        values={**table.values, ("judge", "accuracy"): values},
        silent=np.ones_like(table.silent),
    )
    (found,) = contrast_all(made, [CONTRAST], 1_000, 0, {"judge": JudgeError(0.8, 80, 0.9, 120)})
    assert found.implied is not None
    assert found.implied.shift == pytest.approx(0.3)
    test = found.test("greater")
    tested = hypotheses.flipped(found, "greater")
    assert test is not None
    assert tested is not None
    assert tested.value == test.p_value


def test_an_equivalence_holds_for_the_verdicts_and_for_what_they_imply() -> None:
    same = HIGHER.model_copy(update={"direction": "equivalent", "smallest": 0.2})
    found, judge = right_silence(seed=3, sensitivity=0.8, specificity=0.95)
    both, verdicts = (
        hypotheses.tests_of(same, found, judge),
        hypotheses.tests_of(same, replace(found, implied=None), judge),
    )
    for one, plain in ((both.claimed, verdicts.claimed), (both.contrary, verdicts.contrary)):
        assert one is not None
        assert plain is not None
        assert one.value >= plain.value
