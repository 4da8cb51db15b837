"""Whether a judge is taken: accepted, adjusted for his errors, or rejected, and for which reasons.

His errors in telling right from wrong can be allowed for as long as they are the same for every system
(Rogan and Gladen 1978). What sways him, such as length or order, may differ from system to system, so a
biased judge can't be mended by a formula and is rejected.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from services.standard.calibration.values import Bias, Figure, Verdict
from services.standard.protocol import Calibration

MOST_FAILED = 0.1
"""Above this share of answers without a verdict, a judge is rejected."""

GOOD_ENOUGH = 0.95
"""From this sensitivity and specificity on, nothing needs to be adjusted."""


def decide(
    bounds: Calibration,
    failed_share: float,
    discernment: Mapping[str, Figure | None],
    biases: Iterable[Bias],
    consistency: Figure | None,
    errors: tuple[Figure | None, Figure | None],
) -> tuple[Verdict, tuple[str, ...]]:
    """The verdict and its reasons, one sentence each.

    `discernment` has Youden's J by what is told apart, the answers first; `errors` are sensitivity and
    specificity. A bound is held against the figure, not against its interval; where the interval
    reaches beyond the bound, a reason says so.
    """
    found = [_judged_enough(failed_share)]
    for what, figure in discernment.items():
        found.append(_at_least(f"Discernment of {what} (Youden's J)", figure, bounds.least_discernment))
    found.append(_at_least("The share of scores that repeat", consistency, bounds.least_consistency))
    found += [_within(bias, bounds.most_bias) for bias in biases]
    if faults := tuple(one.sentence for one in found if one.is_fault):
        return "rejected", faults
    notes = tuple(one.sentence for one in found if one.sentence)
    if any(figure is None or figure.value < GOOD_ENOUGH for figure in errors):
        sensitivity, specificity = map(_two, errors)
        told = f"Sensitivity is {sensitivity} and specificity {specificity}: shares of right answers are "
        return "adjusted", (f"{told}also given adjusted for them.", *notes)
    return "accepted", ("Every bound is kept.", *notes)


@dataclass(frozen=True, slots=True)
class _Finding:
    """What a bound says of a judge; without a sentence there is nothing to say."""

    sentence: str = ""
    is_fault: bool = False


def _judged_enough(failed_share: float) -> _Finding:
    if failed_share <= MOST_FAILED:
        return _Finding()
    told = f"There is no verdict on {failed_share:.0%} of the answers; {MOST_FAILED:.0%} are allowed."
    return _Finding(told, is_fault=True)


def _at_least(what: str, figure: Figure | None, least: float) -> _Finding:
    if figure is None:
        return _Finding(f"{what} could not be measured.", is_fault=True)
    if figure.value < least:
        told = f"{what} is {figure.value:.2f}; at least {least:.2f} is wanted."
        return _Finding(told, is_fault=True)
    if figure.low < least:
        told = f"{what} is {figure.value:.2f}, but its interval begins below the bound, at {figure.low:.2f}."
        return _Finding(told)
    return _Finding()


def _within(bias: Bias, most: float) -> _Finding:
    name = bias.kind.capitalize() if bias.kind == "self-preference" else f"{bias.kind} bias".capitalize()
    if bias.worst is None:
        return _Finding(f"{name} was not measured: {bias.why}.")
    if abs(bias.worst) > most:
        kind = "right" if bias.right is not None and bias.worst == bias.right.value else "other"
        told = f"{name} changes the mean score of {kind} answers by {bias.worst:+.2f}; at most {most:.2f} "
        return _Finding(f"{told}either way is allowed.", is_fault=True)
    for one in (bias.right, bias.wrong):
        if one is not None and max(-one.low, one.high) > most:
            told = f"{name} is {one.value:+.2f}, but its interval from {one.low:+.2f} to {one.high:+.2f} "
            return _Finding(f"{told}reaches beyond the bound.")
    return _Finding()


def _two(figure: Figure | None) -> str:
    return "unknown" if figure is None else f"{figure.value:.2f}"
