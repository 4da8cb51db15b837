"""A model's audit of the last join of a composed question (AgenticRAGTracer, section 3.3, stage 2).

Each join is audited when it is made, so that of a longer question only what is new has to be looked at.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from kg.llm.prompts import load_prompt
from kg.llm.protocol import Failure, JsonValue, Model, ModelOutcome, ModelRequest, Schema, json_object
from kg.store.graph import Graph
from services.questions.composed.passages import (
    Passage,
    base_shown,
    failure_of,
    passages_shown,
    question_shown,
    read_passages,
    reason_of,
    said,
)
from services.questions.composed.protocol import Composed, Topology
from services.questions.draft import Check

SOUND = "sound"
JOINED = "joined"
"""The verdict on a concatenation: the one fault of an audit that other words can mend."""

MAKES_SENSE = "model: makes sense"
ROOM_AUDIT = 1_000
USUAL_AUDIT = 14
"""Tokens that an ordinary verdict takes."""

_PROMPTS: Mapping[Topology, str] = MappingProxyType(
    {"inference": "check-sequential", "comparison": "check-parallel"}
)
_VERDICTS: Mapping[Topology, tuple[str, ...]] = MappingProxyType(
    {
        "inference": (SOUND, "bad link", "false link", JOINED, "misread", "other"),
        "comparison": (SOUND, "forced pairing", "lacking evidence", JOINED, "wrong", "other"),
    }
)


@dataclass(frozen=True, slots=True)
class ModelAudit:
    """Passes a question whose last join the model finds sound; a failure's reason begins with the fault."""

    graph: Graph
    model: Model
    name: str = MAKES_SENSE

    def check(self, questions: Sequence[Composed]) -> list[Check]:
        """One verdict a question, in order.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        chunks = (hop.atom.chunk for question in questions for hop in question.hops)
        passages = read_passages(self.graph, chunks)
        outcomes = self.model.ask(audit_request(question, passages) for question in questions)
        return [Check(self.name, *_verdict(outcome)) for outcome in outcomes]


def audit_request(question: Composed, passages: Mapping[str, Passage]) -> ModelRequest:
    """What a model is asked about the last join of a question of at least two hops."""
    topology = question.last.topology or "inference"
    prompt = load_prompt(_PROMPTS[topology])
    before, last = Composed(question.hops[:-1], question.generator), question.last
    messages = prompt.fill(
        first=base_shown(before),
        passages=passages_shown([hop.atom for hop in before.hops], passages),
        second=question_shown(last.atom.question, last.atom.answer, "second question"),
        new_passage=passages_shown([last.atom], passages, "passage of the second"),
        new=question_shown(last.question, last.answer, "new question"),
    )
    verdict: JsonValue = {"type": "string", "enum": list(_VERDICTS[topology])}
    schema = Schema("soundness", json_object(verdict=verdict, reason={"type": "string"}))
    return ModelRequest(
        messages, prompt.id, schema, max_output_tokens=ROOM_AUDIT, expected_output_tokens=USUAL_AUDIT
    )


def _verdict(outcome: ModelOutcome) -> tuple[bool, str]:
    if isinstance(outcome, Failure):
        return False, failure_of(outcome)
    verdict = said(outcome, "verdict")
    return (True, "") if verdict == SOUND else (False, f"{verdict}: {reason_of(outcome)}".rstrip(": "))
