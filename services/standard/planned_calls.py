"""How often models would be asked by a comparison, before anything is sent."""

from collections.abc import Mapping
from dataclasses import dataclass
from types import MappingProxyType

from services.rag.run_options import SystemName
from services.standard.calibration.items import most_calls
from services.standard.protocol import Protocol

_CALLS: Mapping[SystemName, int] = MappingProxyType({"single-step": 1, "multi-step": 2})
"""Requests for a question, of systems that make a fixed number."""


@dataclass(frozen=True, slots=True)
class PlannedCalls:
    """So many answers are made, each is judged twice, and so many requests go to models at most.

    `answering` is None where a system decides itself how often it asks. Replies that are kept cost nothing.
    """

    questions: int
    answers: int
    answering: int | None
    judging: int
    calibrating: int


def planned_calls(protocol: Protocol, questions: int) -> PlannedCalls:
    """What a comparison over so many questions asks, if nothing of it was kept from before."""
    by_models = sum(judge.kind == "model" for judge in (protocol.judge, protocol.second_judge))
    answers = questions * len(protocol.systems)
    return PlannedCalls(
        questions=questions,
        answers=answers,
        answering=_answering(protocol, questions),
        judging=answers * by_models,
        calibrating=most_calls(protocol.calibration, questions) * by_models,
    )


def _answering(protocol: Protocol, questions: int) -> int | None:
    if protocol.generator.kind == "rules":
        return 0
    calls = [_CALLS.get(one.system) for one in protocol.systems if one.selector is not None]
    return None if None in calls else questions * sum(one or 0 for one in calls)
