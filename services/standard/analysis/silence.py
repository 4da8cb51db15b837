"""What unanswered questions do to the errors of a judge: a silence is never taken for a right answer.

A judge of specificity q calls a share 1 - q of wrong answers right, and no abstention. So of two systems that
are equally good the one that answers more often seems better, by (1 - q) times the difference of their
silence.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import replace

from services.standard.analysis.content import Adjusted, HypothesisResult, SystemFacts
from services.standard.analysis.judge_errors import JUDGED
from services.standard.calibration.figures import CalibrationFigures

UNEQUAL = 0.02
"""Systems whose silence differs by more than this share of the questions are not silent alike."""
TOLD = 0.001
"""A smaller shift of a difference than this is not told."""


def silence_of(system: SystemFacts) -> float:
    """The share of the questions that a system left without an answer."""
    asked = system.answers + system.missing
    return (system.abstained + system.errors + system.missing) / asked if asked else 0.0


def without_adjustment(
    results: Sequence[HypothesisResult], systems: Sequence[SystemFacts]
) -> tuple[HypothesisResult, ...]:
    """The results, without the adjusted differences of systems that are not silent alike.

    The adjustment divides a difference by the judge's discernment, which is right only where his errors touch
    both systems alike.
    """
    silent = {system.name: silence_of(system) for system in systems}
    none = Adjusted(None, None, "the systems leave different numbers of questions unanswered")
    return tuple(
        one
        if one.measure != JUDGED or abs(silent[one.system] - silent[one.against]) <= UNEQUAL
        else replace(one, by=tuple(replace(by, adjusted=none) for by in one.by))
        for one in results
    )


def silence_limits(
    results: Sequence[HypothesisResult],
    systems: Sequence[SystemFacts],
    judges: Collection[CalibrationFigures],
) -> Iterator[str]:
    """By how much a judge who errs favours a system that answers more often, for each hypothesis."""
    silent = {system.name: silence_of(system) for system in systems}
    for one in results:
        shifts = {
            figures.judge: 100 * (1 - figures.specificity.value) * (silent[one.against] - silent[one.system])
            for figures in judges
            if one.measure == JUDGED and figures.specificity is not None
        }
        told = {judge: shift for judge, shift in shifts.items() if abs(shift) >= 100 * TOLD}
        if told:
            by = " and ".join(f"{abs(shift):.1f} points by {judge}" for judge, shift in told.items())
            ahead = one.system if silent[one.system] < silent[one.against] else one.against
            yield (
                f"{one.id}: {one.system} leaves {100 * silent[one.system]:.0f}% of the questions "
                f"unanswered, {one.against} {100 * silent[one.against]:.0f}%. A judge who takes some wrong "
                f"answers for right never takes a silence for one, which alone favours {ahead} by up to {by}."
            )
