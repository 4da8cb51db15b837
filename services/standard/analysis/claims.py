"""What a hypothesis says, and what its tests come to, in words."""

from dataclasses import dataclass

from services.standard.analysis.content import Adjusted, Decision
from services.standard.analysis.contrasts import Contrasted
from services.standard.calibration.figures import CalibrationFigures
from services.standard.protocol import MEASURE_NAMES, Hypothesis


@dataclass(frozen=True, slots=True)
class Verdict:
    """What was shown of a hypothesis: itself, its contrary, or neither; `possible` if it could be at all."""

    claimed: bool
    contrary: bool
    possible: bool


def claim(one: Hypothesis) -> str:
    """The hypothesis as a sentence without its full stop."""
    measure, margin = MEASURE_NAMES[one.measure], f"{100 * one.smallest:g} points"
    match one.direction:
        case "greater":
            return f"{one.system} has a higher {measure} than {one.against}"
        case "less":
            return f"{one.system} has a lower {measure} than {one.against}"
        case "different":
            return f"{one.system} and {one.against} differ in {measure}"
    return f"{one.system} and {one.against} differ in {measure} by less than {margin}"


def decide(verdict: Verdict, found: Contrasted, judge: CalibrationFigures | None) -> Decision:
    """The decision by one judge; `judge` is None where the measure needs none."""
    if not found.clustered.n:
        return "no questions"
    if judge is not None and judge.verdict == "rejected":
        return "judge rejected"
    if verdict.claimed:
        return "supported"
    if verdict.contrary:
        return "contradicted"
    return "not supported" if verdict.possible else "too few clusters to say"


def reason(
    decision: Decision,
    one: Hypothesis,
    found: Contrasted,
    adjusted: Adjusted,
    detectable: float | None,
    judge: str,
) -> str:
    """What stands behind a decision, in a sentence; nothing where the figures say it all."""
    clusters = found.clustered.clusters
    return {
        "no questions": "There is no question where both systems have a value.",
        "judge rejected": f"{judge} failed the calibration, so nothing is claimed by that judge.",
        "too few clusters to say": (
            f"With {clusters} {'cluster' if clusters == 1 else 'clusters'} no difference whatever could have "
            "been claimed."
        ),
        "supported": _size(one, found, adjusted),
        "contradicted": "",
        "not supported": _blunt(one, detectable),
    }[decision]


def _blunt(one: Hypothesis, detectable: float | None) -> str:
    if detectable is None or detectable <= one.smallest:
        return ""
    return (
        f"With a chance of 80% these questions show a difference of {100 * detectable:.1f} points, and not "
        f"one of {100 * one.smallest:g}, the smallest of interest."
    )


def _size(one: Hypothesis, found: Contrasted, adjusted: Adjusted) -> str:
    margin = f"{100 * one.smallest:g} points"
    interval = found.clustered.interval
    if interval is None or one.direction == "equivalent":
        return ""
    # What is left once the judge's errors are allowed for must lie beyond it too.
    intervals = [interval] if adjusted.interval is None else [interval, adjusted.interval]
    low, high = min(each.low for each in intervals), max(each.high for each in intervals)
    least = {"greater": low, "less": -high, "different": max(low, -high)}[one.direction]
    if least >= one.smallest:
        return f"All of the interval lies beyond {margin}, the smallest difference of interest."
    return f"The difference may be below {margin}, the smallest of interest."
