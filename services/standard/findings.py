"""What a check of a protocol finds.

breach     a run would be refused, or not begin
warning    it can run, and may show less than is hoped, or be refused later
note       what there is to know
"""

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

FindingKind = Literal["breach", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found at a place of the protocol ("pool.hash"), as a sentence."""

    kind: FindingKind
    place: str
    text: str


def breach(place: str, text: str) -> Finding:
    """What a run would be refused for."""
    return Finding("breach", place, text)


def warning(place: str, text: str) -> Finding:
    """What may be had less of than is hoped."""
    return Finding("warning", place, text)


def in_a_line(findings: Iterable[Finding]) -> str:
    """Findings with their places, as the middle of a sentence."""
    return "; ".join(f"{one.place}: {one.text.rstrip('.')}" for one in findings)


def note(place: str, text: str) -> Finding:
    """What there is to know."""
    return Finding("note", place, text)
