"""What unanswered questions do to the verdicts of a judge who errs, told for each hypothesis."""

from collections.abc import Collection, Iterator, Sequence

from services.standard.analysis.content import HypothesisResult, SystemFacts
from services.standard.analysis.implied import UNEQUAL
from services.standard.analysis.measures_table import JUDGED
from services.standard.calibration.figures import CalibrationFigures


def silence_of(system: SystemFacts) -> float:
    """The share of the questions that a system left without an answer."""
    asked = system.answers + system.missing
    return (system.abstained + system.errors + system.missing) / asked if asked else 0.0


def silence_limits(
    results: Sequence[HypothesisResult],
    systems: Sequence[SystemFacts],
    judges: Collection[CalibrationFigures],
) -> Iterator[str]:
    """By how much a judge who errs favours a system that answers more often, for each hypothesis."""
    silent = {system.name: silence_of(system) for system in systems}
    for one in results:
        shifts = {
            figures.judge: (1 - figures.specificity.value) * (silent[one.against] - silent[one.system])
            for figures in judges
            if one.measure == JUDGED and figures.specificity is not None
        }
        told = {judge: shift for judge, shift in shifts.items() if abs(shift) >= UNEQUAL}
        if told:
            by = " and ".join(f"{100 * abs(shift):.1f} points by {judge}" for judge, shift in told.items())
            ahead = one.system if silent[one.system] < silent[one.against] else one.against
            yield (
                f"{one.id}: {one.system} leaves {100 * silent[one.system]:.0f}% of the questions "
                f"unanswered, {one.against} {100 * silent[one.against]:.0f}%. A judge who takes some wrong "
                f"answers for right never takes a silence for one, which alone favours {ahead} by {by}. Its "
                "tests and its adjusted difference allow for that; the difference itself does not."
            )
