"""How often models would be asked by a comparison, and what that takes, before anything is sent."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

from kg.llm.protocol import Estimate, Usage
from kg.llm.tokens import estimate_tokens, likely_tokens
from services.rag.agent_estimate import frame_tokens
from services.rag.model_generator import ANSWERING, USUAL_TOKENS
from services.rag.run_options import SystemName
from services.standard.calibration.items import most_calls
from services.standard.judging.model_judge import JUDGING, ROOM, USUAL_HOP, USUAL_VERDICT
from services.standard.protocol import Protocol

_CALLS: Mapping[SystemName, int] = MappingProxyType({"single-step": 1, "multi-step": 2})
"""Requests for a question, of systems that make a fixed number."""

AGENT_CALLS = 5
"""Requests for a question as a rule, of systems that decide themselves: 60 for 11 questions in
docs/evaluation/model.md."""

HOPS = 3
"""Of a question as a rule, for what a judge says of each."""

MoneyOf = Callable[[Usage], float | None]
"""What tokens cost at a model's price, None without one."""


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


def answering_cost(protocol: Protocol, calls: PlannedCalls, money_of: MoneyOf) -> Estimate:
    """What the answers take if nothing is kept, each request with all the evidence that it may have."""
    asking = sum(one.selector is not None for one in protocol.systems)
    number = calls.questions * asking * AGENT_CALLS if calls.answering is None else calls.answering
    made = USUAL_TOKENS[ANSWERING], protocol.budget.answer_tokens
    return _cost(protocol, ANSWERING, number, made, money_of)


def judging_cost(protocol: Protocol, calls: PlannedCalls, money_of: MoneyOf) -> Mapping[str, Estimate]:
    """What one judge takes if nothing is kept: to judge every answer, and to be calibrated."""
    made = USUAL_VERDICT + USUAL_HOP * HOPS, ROOM
    tried = most_calls(protocol.calibration, calls.questions)
    return {
        "judging": _cost(protocol, JUDGING, calls.answers, made, money_of),
        "calibration": _cost(protocol, JUDGING, tried, made, money_of),
    }


def _cost(protocol: Protocol, prompt: str, calls: int, made: tuple[int, int], money_of: MoneyOf) -> Estimate:
    """So many requests by a prompt, with all the evidence allowed; `made` are likely tokens out, and most."""
    evidence = protocol.budget.evidence_tokens
    # A token of evidence is WordPiece's; estimates count a third more, see kg.llm.tokens.
    given = (
        calls * (frame_tokens(prompt, likely_tokens) + evidence),
        calls * (frame_tokens(prompt, estimate_tokens) + evidence * 4 // 3),
    )
    likely, most = (Usage(*both) for both in zip(given, (calls * made[0], calls * made[1]), strict=True))
    return Estimate(
        calls,
        0,
        likely.input_tokens,
        likely.output_tokens,
        money_of(likely),
        most.input_tokens,
        most.output_tokens,
        money_of(most),
    )
