"""How deep into its chain a system gets: the prefix questions that it answers right."""

from collections.abc import Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Depth:
    """`reached` is MaxD, the most hops of a prefix, or of the question itself, that is answered right;
    `unbroken` the most hops such that every prefix up to there is. Both are 0 where none is."""

    reached: int
    unbroken: int


def depth_of(hops: int, right: bool, prefixes: Mapping[int, bool]) -> Depth | None:
    """The depth on a question of so many hops, from whether each prefix question was answered right.

    MaxD is AgenticRAGTracer's (section 4.3): the highest of the shorter questions that is right; the whole
    question counts as the last of them, since its table 2 has means above hops - 1. None where a prefix
    question was not asked, and for a question of one hop.
    """
    if hops < 2 or any(depth not in prefixes for depth in range(1, hops)):
        return None
    verdicts = [*(prefixes[depth] for depth in range(1, hops)), right]
    reached = max((depth for depth, fits in enumerate(verdicts, start=1) if fits), default=0)
    unbroken = next((depth for depth, fits in enumerate(verdicts) if not fits), hops)
    return Depth(reached, unbroken)
