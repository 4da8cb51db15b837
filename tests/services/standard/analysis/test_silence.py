"""Systems that leave different numbers of questions unanswered."""

from dataclasses import replace

import pytest

from benchmarks.made_comparison import Planted, made_comparison
from services.standard.analysis.analyse import analyse
from services.standard.analysis.content import Results
from services.standard.analysis.silence import silence_limits, silence_of, without_adjustment
from services.standard.archive import ROLES
from tests.services.standard.analysis.planted_protocol import planted_protocol


@pytest.fixture(scope="module")
def results() -> Results:
    planted = Planted(trial_errors={"judge": 0.1, "second_judge": 0.0})
    return analyse(made_comparison(planted_protocol(), planted))


def test_systems_that_are_silent_alike_keep_their_adjusted_differences(results: Results) -> None:
    assert without_adjustment(results.hypotheses, results.systems) == results.hypotheses
    assert not list(silence_limits(results.hypotheses, results.systems, results.calibration.values()))


def test_unequal_silence_is_told_and_the_adjustment_withheld(results: Results) -> None:
    first = results.hypotheses[0]
    assert (first.measure, first.system) == ("accuracy", "genetic")
    systems = [
        replace(one, abstained=one.answers * 3 // 10) if one.name == first.against else one
        for one in results.systems
    ]
    against = next(one for one in systems if one.name == first.against)
    assert silence_of(against) == pytest.approx(0.3)
    changed = without_adjustment(results.hypotheses, systems)[0]
    assert all(by.adjusted.estimate is None for by in changed.by)
    assert "unanswered" in changed.by[0].adjusted.why
    judge = results.calibration[ROLES[0]]
    assert judge.specificity is not None
    shift = 100 * (1 - judge.specificity.value) * 0.3
    told = next(iter(silence_limits(results.hypotheses, systems, results.calibration.values())))
    assert f"favours genetic by up to {shift:.1f} points by {judge.judge}" in told
