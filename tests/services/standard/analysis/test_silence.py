"""Systems that leave different numbers of questions unanswered, before a judge who takes wrong for right."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from benchmarks.made_comparison import Planted, made_comparison
from services.standard.analysis import hypothesis_tests
from services.standard.analysis.analyse import analyse
from services.standard.analysis.contrasts import Contrast, contrast_all
from services.standard.analysis.implied import judge_errors
from services.standard.analysis.measures_table import measure_table
from services.standard.archive import JudgeRole
from services.standard.calibration.figures import calibration_figures
from services.standard.protocol import Hypothesis
from tests.services.standard.analysis.planted_protocol import planted_protocol

ALIKE = {"top-k": 0.5, "mmr": 0.5, "genetic": 0.5, "graph": 0.5}
LENIENT: Mapping[JudgeRole, float] = {"judge": 0.2, "second_judge": 0.0}
TRIED: Mapping[JudgeRole, float] = {"judge": 0.3, "second_judge": 0.0}
"""Of the wrong answers of a trial a third are partly right, on which the planted judge never errs."""
UNEQUAL = Planted(accuracy=ALIKE, errors=LENIENT, trial_errors=TRIED, silent={"top-k": 0.4})
"""top-k says nothing where it would be wrong; a judge errs on one in five of the others' answers."""

CONTRAST = Contrast("genetic", "top-k", "accuracy", "judge")
HIGHER = Hypothesis(
    id="H1", system="genetic", against="top-k", measure="accuracy", direction="greater", smallest=0.05
)


def tried(planted: Planted) -> tuple[hypothesis_tests.PValue, hypothesis_tests.PValue, float, float]:
    """p of the judge's verdicts, p as it is tested, and the difference as it was found and as implied."""
    comparison = made_comparison(planted_protocol(), planted)
    protocol = comparison.protocol
    judge = calibration_figures(protocol.judge, comparison.calibration["judge"], protocol.calibration)
    table = measure_table(comparison)
    (found,) = contrast_all(table, [CONTRAST], 1_000, 0, judge_errors({"judge": judge}))
    plain = hypothesis_tests.tests_of(HIGHER, replace(found, implied=None), judge).found
    tested = hypothesis_tests.tests_of(HIGHER, found, judge).found
    assert plain is not None
    assert tested is not None
    assert found.implied is not None
    assert found.clustered.mean is not None
    assert found.implied.clustered.mean is not None
    return plain, tested, found.clustered.mean, found.implied.clustered.mean


def test_what_a_lenient_judge_makes_of_silence_is_not_taken_for_a_difference() -> None:
    rounds = [tried(replace(UNEQUAL, seed=seed)) for seed in range(40)]
    assert sum(plain.value <= 0.05 for plain, *_ in rounds) > 20
    assert sum(tested.value <= 0.05 for _, tested, *_ in rounds) <= 5
    assert sum(found for *_, found, _ in rounds) / 40 > 0.06
    assert sum(implied for *_, implied in rounds) / 40 == pytest.approx(0, abs=0.02)


def test_where_systems_are_silent_alike_the_verdicts_themselves_are_tested() -> None:
    plain, tested, found, implied = tried(replace(UNEQUAL, silent={"top-k": 0.2, "genetic": 0.2}))
    assert tested == plain
    # Both are right in half of the cases; the judge's errors make every difference smaller.
    assert abs(implied) > abs(found)


def test_unequal_silence_is_told_with_its_size() -> None:
    results = analyse(made_comparison(planted_protocol(), UNEQUAL))
    (judge, specificity) = ("judge", results.calibration["judge"].specificity)
    assert specificity is not None
    told = next(limit for limit in results.limits if limit.startswith("better: genetic leaves 0%"))
    assert "top-k 40%" in told
    assert f"favours genetic by {40 * (1 - specificity.value):.1f} points by " in told
    adjusted = next(by for by in results.hypotheses[0].by if by.role == judge).adjusted
    assert adjusted.interval is not None
    assert adjusted.interval.low < 0 < adjusted.interval.high


def test_of_equal_silence_nothing_is_told() -> None:
    results = analyse(made_comparison(planted_protocol(), replace(UNEQUAL, silent={})))
    assert not [limit for limit in results.limits if "unanswered" in limit]
