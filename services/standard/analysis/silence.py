"""What unanswered questions do to the verdicts of a judge who errs, told for each hypothesis."""

from collections.abc import Iterator, Sequence

from services.standard.analysis.content import HypothesisResult, SystemFacts
from services.standard.analysis.implied import UNEQUAL


def silence_of(system: SystemFacts) -> float:
    """The share of the questions that a system left without an answer."""
    asked = system.answers + system.missing
    return (system.abstained + system.errors + system.missing) / asked if asked else 0.0


def silence_limits(results: Sequence[HypothesisResult], systems: Sequence[SystemFacts]) -> Iterator[str]:
    """Whom the judges favour, and by how much, where the systems of a hypothesis are not silent alike."""
    silent = {system.name: silence_of(system) for system in systems}
    for one in results:
        favours = [
            f"{one.system if by.adjusted.shift > 0 else one.against} by {100 * abs(by.adjusted.shift):.1f} "
            f"points by {by.judge}"
            for by in one.by
            if abs(by.adjusted.shift) >= UNEQUAL
        ]
        if favours:
            yield (
                f"{one.id}: {one.system} leaves {100 * silent[one.system]:.0f}% of the questions "
                f"unanswered, {one.against} {100 * silent[one.against]:.0f}%. A silence is weighed by no "
                f"judge, so one who errs favours {' and '.join(favours)}. Its tests and its adjusted "
                "difference allow for that; the difference itself does not."
            )
