"""Systems that leave different numbers of questions unanswered, before a judge who takes wrong for right."""

import numpy as np
import pytest

from benchmarks.lenient_judges import Tried, tried, with_silence
from benchmarks.made_comparison import Planted, made_comparison
from services.standard.analysis.analyse import analyse
from services.standard.analysis.content import Results
from tests.services.standard.analysis.planted_protocol import planted_protocol

ROUNDS = 40


def rounds(silent: float, errs: float) -> list[Tried]:
    return [tried(with_silence(silent, errs, seed)) for seed in range(ROUNDS)]


def analysed(planted: Planted) -> Results:
    return analyse(made_comparison(planted_protocol(), planted))


def test_what_a_lenient_judge_makes_of_silence_is_not_taken_for_a_difference() -> None:
    unequal = rounds(silent=0.4, errs=0.2)
    assert sum(one.plain.value <= 0.05 for one in unequal) > 20
    assert sum(one.tested.value <= 0.05 for one in unequal) <= 5
    assert np.mean([one.found for one in unequal]) > 0.06
    assert np.mean([one.implied for one in unequal]) == pytest.approx(0, abs=0.03)


def test_where_systems_are_silent_alike_the_verdicts_themselves_are_tested() -> None:
    one = tried(with_silence(silent=0.0, errs=0.2, seed=1))
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
