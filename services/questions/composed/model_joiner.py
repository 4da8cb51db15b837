"""Two questions made one by a language model, which may also say that it can't be done (AgenticRAGTracer,
section 3.3)."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from types import MappingProxyType

from kg.llm.prompts import load_prompt
from kg.llm.protocol import Failure, JsonValue, Model, ModelOutcome, ModelRequest, Schema, json_object
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph
from services.questions.composed.comparing import known_forms
from services.questions.composed.drafts import goes_round
from services.questions.composed.join_by_rules import is_bare_number
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
from services.questions.composed.protocol import Atom, Candidate, Composed, Hop, Refused, Topology
from services.questions.filters.name_use import any_named

PROMPTS: Mapping[Topology, str] = MappingProxyType(
    {"inference": "join-sequential", "comparison": "join-parallel"}
)
LONGEST_QUESTION = 600
ROOM_JOINING = 1_000
USUAL_JOINING = 45
"""Tokens that an ordinary reply takes."""

_YES_OR_NO = frozenset({"yes", "no"})
_TEXT: JsonValue = {"type": "string"}
_OUTCOME: JsonValue = {"type": "string", "enum": ["question", "none"]}
_SCHEMAS: Mapping[Topology, Schema] = MappingProxyType(
    {
        "inference": Schema("joined", json_object(outcome=_OUTCOME, question=_TEXT, reason=_TEXT)),
        "comparison": Schema(
            "joined", json_object(outcome=_OUTCOME, question=_TEXT, answer=_TEXT, reason=_TEXT)
        ),
    }
)


@dataclass(frozen=True, slots=True)
class ModelJoiner:
    """Asks for the longer question of a candidate in the way that its topology wants.

    The answer of a sequential question is its last atom's, whatever the model says. That of a comparison must
    be yes, no, or one of the things that the question names.
    """

    graph: Graph
    model: Model

    @property
    def name(self) -> str:
        """What is recorded with a question: "model/MODEL/join-sequential@1+join-parallel@1"."""
        return f"model/{self.model.name}/{'+'.join(load_prompt(name).id for name in PROMPTS.values())}"

    def join(self, candidates: Sequence[Candidate]) -> list[Composed | Refused]:
        """One longer question a candidate, in order, unfiltered; or why there is none.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        refused = [_hopeless(one) for one in candidates]
        hopeful = [one for one, reason in zip(candidates, refused, strict=True) if not reason]
        atoms = [atom for one in hopeful for atom in _atoms(one)]
        passages = read_passages(self.graph, (atom.chunk for atom in atoms))
        names = self._names(atoms)
        outcomes = self.model.ask(join_request(one, passages) for one in hopeful)
        return [
            Refused(reason) if reason else self._joined(one, next(outcomes), names)
            for one, reason in zip(candidates, refused, strict=True)
        ]

    def _names(self, atoms: Sequence[Atom]) -> Mapping[str, tuple[str, ...]]:
        """All names of the entities that atoms are about or answered by, by entity."""
        ids = sorted({one for atom in atoms for one in (*atom.about, atom.answered_by) if one})
        rows = self.graph.read_in_batches(query("filters/read_entities"), ids)
        return {row["id"]: (row["name"], *row["aliases"]) for row in rows}

    def _joined(
        self, candidate: Candidate, outcome: ModelOutcome, names: Mapping[str, tuple[str, ...]]
    ) -> Composed | Refused:
        if isinstance(outcome, Failure):
            return Refused(failure_of(outcome))
        question = said(outcome, "question")
        if said(outcome, "outcome") != "question":
            return Refused(f"the model does not join them: {reason_of(outcome)}".rstrip(": "))
        if wrong := next(_faults(candidate, question), ""):
            return Refused(wrong)
        if candidate.topology == "inference":
            return self._longer(candidate, question, candidate.atom.accepted or (candidate.atom.answer,))
        answer = said(outcome, "answer")
        accepted, entity = _chosen(candidate, question, answer, names)
        if not accepted:
            return Refused(f'the answer "{answer}" is neither yes or no nor one of the things compared')
        return self._longer(candidate, question, accepted, entity)

    def _longer(
        self, candidate: Candidate, question: str, accepted: tuple[str, ...], answered_by: str = ""
    ) -> Composed:
        hops = candidate.base.hops
        hop = Hop(
            number=len(hops) + 1,
            atom=candidate.atom,
            topology=candidate.topology,
            question=question,
            answer=accepted[0],
            accepted=accepted,
            answered_by=answered_by,
        )
        return Composed((*hops, hop), self.name)


def join_request(candidate: Candidate, passages: Mapping[str, Passage]) -> ModelRequest:
    """What a model is asked for a candidate: the question so far, the new one, and their passages."""
    prompt = load_prompt(PROMPTS[candidate.topology])
    messages = prompt.fill(
        first=base_shown(candidate.base),
        passages=passages_shown([hop.atom for hop in candidate.base.hops], passages),
        second=question_shown(candidate.atom.question, candidate.atom.answer, "second question"),
        new_passage=passages_shown([candidate.atom], passages, "passage of the second"),
    )
    return ModelRequest(
        messages,
        prompt.id,
        _SCHEMAS[candidate.topology],
        max_output_tokens=ROOM_JOINING,
        expected_output_tokens=USUAL_JOINING,
    )


def _atoms(candidate: Candidate) -> list[Atom]:
    return [*(hop.atom for hop in candidate.base.hops), candidate.atom]


def _hopeless(candidate: Candidate) -> str:
    """Why a model need not be asked about a candidate, empty where it may."""
    atom, hops = candidate.atom, candidate.base.hops
    hop = Hop(len(hops) + 1, atom, candidate.topology, "", atom.answer, atom.accepted, atom.answered_by)
    if goes_round(Composed((*hops, hop), "")):
        return "it leads back to where it has been"
    if candidate.topology == "inference" and is_bare_number(atom.answer):
        return "its answer is a bare number"
    return ""


def _faults(candidate: Candidate, question: str) -> Iterator[str]:
    """Why a joined question can't be one, the plainest reason first."""
    if not question:
        yield "the model left the question empty"
    if not question.endswith("?"):
        yield "the question does not end in a question mark"
    if len(question) > LONGEST_QUESTION:
        yield f"the question is longer than {LONGEST_QUESTION} letters"
    parts = {normal_form(one) for one in (candidate.base.last.question, candidate.atom.question)}
    if normal_form(question) in parts:
        yield "the question is one of the two that it should join"


def _chosen(
    candidate: Candidate, question: str, answer: str, names: Mapping[str, tuple[str, ...]]
) -> tuple[tuple[str, ...], str]:
    """The forms of a comparison's answer, and its entity where it is one.

    There are none where it is neither yes or no nor a thing that is compared: an entity that one of the
    questions is about, or something else that the new question names.
    """
    form = normal_form(answer)
    if form in _YES_OR_NO:
        return (answer.capitalize(),), ""
    compared = (*(one for atom in _atoms(candidate) for one in atom.about), candidate.base.answered_by)
    for entity in dict.fromkeys(compared):
        if form in map(normal_form, names.get(entity, ())):
            return known_forms(answer, names[entity]), entity
    return ((answer,), "") if form and any_named(question, [answer]) else ((), "")
