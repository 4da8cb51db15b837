"""Two questions made one by a language model, which may also say that it can't be done (AgenticRAGTracer,
section 3.3).

A model's audit of the last join of a composed question (AgenticRAGTracer, section 3.3, stage 2).

Each join is audited when it is made, so that of a longer question only what is new has to be looked at.

A second try for a question whose fault is one of words, and other forms of its answer, by a model.

AgenticRAGTracer refines answers and collects alternatives (appendix C); here both are held against what is
known, so that nothing is refined into another answer.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain
from types import MappingProxyType

from kg.llm.prompts import Prompt, fence, load_prompt, on_one_line
from kg.llm.protocol import Failure, JsonValue, Model, ModelOutcome, ModelRequest, Schema, json_object
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph
from services.questions.composed.atoms_by_rules import FactShelf
from services.questions.composed.comparing import distinct, free_forms, known_forms
from services.questions.composed.drafts import goes_round
from services.questions.composed.join_by_rules import READ_AT_ONCE, is_bare_number, read_at_once
from services.questions.composed.passages import (
    Passage,
    base_shown,
    failure_of,
    items_of,
    member_line,
    passages_shown,
    question_shown,
    read_passages,
    reason_of,
    steps_shown,
)
from services.questions.composed.protocol import Atom, Candidate, Composed, Hop, Refused, Topology
from services.questions.draft import Check
from services.questions.filters.name_use import any_named, read_same_names

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
    verdict = member_line(outcome, "verdict")
    return (True, "") if verdict == SOUND else (False, f"{verdict}: {reason_of(outcome)}".rstrip(": "))


PROMPTS: Mapping[Topology, str] = MappingProxyType(
    {"inference": "join-sequential", "comparison": "join-parallel"}
)
LONGEST_QUESTION = 600
ROOM_JOINING = 1_000
USUAL_JOINING = 45
"""Tokens that an ordinary reply takes."""

YES_OR_NO = frozenset({"yes", "no"})
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

    shelf: FactShelf
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
        evidence = self.shelf.evidence([atom for one in candidates for atom in one.atoms])
        refused = [why_hopeless(one, evidence) for one in candidates]
        hopeful = [one for one, reason in zip(candidates, refused, strict=True) if not reason]
        atoms = [atom for one in hopeful for atom in one.atoms]
        passages = read_passages(self.shelf.graph, (atom.chunk for atom in atoms))
        names = self._names(atoms)
        outcomes = self.model.ask(join_request(one, passages) for one in hopeful)
        return [
            Refused(reason) if reason else self._joined(one, next(outcomes), names)
            for one, reason in zip(candidates, refused, strict=True)
        ]

    def _names(self, atoms: Sequence[Atom]) -> Mapping[str, tuple[str, ...]]:
        """All names of the entities that atoms are about or answered by, by entity."""
        ids = sorted({one for atom in atoms for one in (*atom.about, atom.answered_by) if one})
        rows = self.shelf.graph.read_in_batches(query("entities/read_with_links"), ids)
        return {row["id"]: (row["name"], *row["aliases"]) for row in rows}

    def _joined(
        self, candidate: Candidate, outcome: ModelOutcome, names: Mapping[str, tuple[str, ...]]
    ) -> Composed | Refused:
        if isinstance(outcome, Failure):
            return Refused(failure_of(outcome))
        question = member_line(outcome, "question")
        if member_line(outcome, "outcome") != "question":
            return Refused(f"the model does not join them: {reason_of(outcome)}".rstrip(": "))
        if wrong := next(_faults(candidate, question), ""):
            return Refused(wrong)
        if candidate.topology == "inference":
            return self._longer(candidate, question, candidate.atom.accepted or (candidate.atom.answer,))
        answer = member_line(outcome, "answer")
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


def why_hopeless(candidate: Candidate, evidence: Mapping[str, Collection[str]]) -> str:
    """Why a model need not be asked about a candidate, empty where it may."""
    atom, hops = candidate.atom, candidate.base.hops
    hop = Hop(len(hops) + 1, atom, candidate.topology, "", atom.answer, atom.accepted, atom.answered_by)
    if goes_round(Composed((*hops, hop), "")):
        return "it leads back to where it has been"
    if candidate.topology == "inference" and is_bare_number(atom.answer):
        return "its answer is a bare number"
    return READ_AT_ONCE if read_at_once(candidate, evidence) else ""


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
    if form in YES_OR_NO:
        return (answer.capitalize(),), ""
    compared = (*(one for atom in candidate.atoms for one in atom.about), candidate.base.answered_by)
    for entity in dict.fromkeys(compared):
        if form in map(normal_form, names.get(entity, ())):
            return known_forms(answer, names[entity]), entity
    return ((answer,), "") if form and any_named(question, [answer]) else ((), "")


REWORDED = frozenset({"well formed", "answer hidden", "middle hidden", "not concatenated", "stands alone"})
"""Filters whose rejects other words may mend; of an audit's only concatenations."""
SHORTENED = "model: solvable"
"""The filter whose rejects may have an answer that says more than was asked."""

ROOM_REFINING = 600
USUAL_REFINING = 30
"""Tokens that an ordinary reply takes."""

_QUESTION = Schema("mended", json_object(question=_TEXT))
_ANSWER = Schema("shortened", json_object(answer=_TEXT))
_FORMS = Schema("forms", json_object(forms={"type": "array", "items": _TEXT}))


@dataclass(frozen=True, slots=True)
class ModelRefiner:
    """Asks for another wording or a shorter answer, and for other ways to write an answer.

    Without a model's word, an answer has the forms that rules know: names in the graph, and dates.
    """

    graph: Graph
    corpus: str
    model: Model

    def mend(self, rejected: Sequence[Composed]) -> list[Composed | None]:
        """A mended question, without checks, for each whose fault is one of words; None for the others.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        requests = [mend_request(question) for question in rejected]
        outcomes = self.model.ask(request for request in requests if request is not None)
        return [
            None if request is None else _mended(question, next(outcomes))
            for question, request in zip(rejected, requests, strict=True)
        ]

    def alternatives(self, questions: Sequence[Composed]) -> list[tuple[str, ...]]:
        """For each question every acceptable form of its answer, the canonical one first.

        Of the model's forms those are left out that another entity of the graph goes by, and those with
        other figures or another date.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        open_ones = [one for one in questions if one.last.answer.casefold() not in YES_OR_NO]
        outcomes = self.model.ask(forms_request(one) for one in open_ones)
        proposed = dict(zip(open_ones, map(_forms, outcomes), strict=True))
        names = known_names(self.graph, questions)
        called = read_same_names(self.graph, self.corpus, chain.from_iterable(proposed.values()))
        return [
            distinct(
                (
                    *known_forms(one.last.answer, (*one.last.accepted, *names.get(one.answered_by, ()))),
                    *free_forms(
                        one.last.answer, proposed.get(one, ()), _names_of_others(called, one.answered_by)
                    ),
                )
            )
            for one in questions
        ]


def known_names(graph: Graph, questions: Sequence[Composed]) -> Mapping[str, tuple[str, ...]]:
    """All names of the entities that answer some questions, by entity."""
    ids = sorted({one.answered_by for one in questions if one.answered_by})
    rows = graph.read_in_batches(query("entities/read_with_links"), ids)
    return {row["id"]: (row["name"], *row["aliases"]) for row in rows}


def mend_request(question: Composed) -> ModelRequest | None:
    """What a model is asked about a rejected question; None where words are not its fault."""
    failed = next((check for check in question.checks if not check.passed), None)
    if failed is None:
        return None
    if _wants_other_words(failed):
        prompt = load_prompt("mend-question")
        return _request(
            prompt,
            _QUESTION,
            steps=steps_shown(question),
            whole=_question_block(question),
            fault=fence(on_one_line(f"{failed.filter}: {failed.reason}"), "fault"),
        )
    if failed.filter == SHORTENED and failed.reason.startswith("its evidence") and _may_be_cut(question):
        return _request(load_prompt("shorten-answer"), _ANSWER, **_question_values(question))
    return None


def forms_request(question: Composed) -> ModelRequest:
    """What a model is asked about the forms of an answer."""
    return _request(load_prompt("list-answer-forms"), _FORMS, **_question_values(question))


def _wants_other_words(failed: Check) -> bool:
    joined = failed.filter == MAKES_SENSE and failed.reason.startswith(JOINED)
    return joined or failed.filter in REWORDED


def _may_be_cut(question: Composed) -> bool:
    return question.last.topology == "inference" and " " in question.last.answer.strip()


def _mended(question: Composed, outcome: ModelOutcome) -> Composed | None:
    """The question with other words or a shorter answer; None where the model gave nothing of use."""
    text, answer = member_line(outcome, "question"), member_line(outcome, "answer")
    last = question.last
    if text and normal_form(text) != normal_form(last.question) and len(text) <= LONGEST_QUESTION:
        hop = replace(last, question=text)
    elif answer and _is_part(answer, last.answer):
        hop = replace(last, answer=answer, accepted=known_forms(answer, last.accepted))
    else:
        return None
    return Composed((*question.hops[:-1], hop), question.generator)


def _is_part(short: str, long: str) -> bool:
    """Whether an answer is a stretch of a longer one: nothing was added or turned round."""
    form, whole = normal_form(short), normal_form(long)
    return bool(form) and form != whole and f" {form} " in f" {whole} "


def _forms(outcome: ModelOutcome) -> tuple[str, ...]:
    """The forms that a model gave, none where it failed: they are a help, not a verdict."""
    return tuple(" ".join(one.split()) for one in items_of(outcome, "forms") if isinstance(one, str))


def _names_of_others(called: Mapping[str, frozenset[str]], entity: str) -> frozenset[str]:
    """Names under which another entity goes, and empty ones."""
    return frozenset({"", *(name for name, ids in called.items() if ids - {entity})})


def _request(prompt: Prompt, schema: Schema, **values: str) -> ModelRequest:
    return ModelRequest(
        prompt.fill(**values),
        prompt.id,
        schema,
        max_output_tokens=ROOM_REFINING,
        expected_output_tokens=USUAL_REFINING,
    )


def _question_block(question: Composed) -> str:
    return question_shown(question.last.question, question.last.answer, "whole question")


def _question_values(question: Composed) -> dict[str, str]:
    """The question and its answer, each in a fence of its own."""
    last = question.last
    return {
        "question": fence(on_one_line(last.question), "question"),
        "answer": fence(on_one_line(last.answer), "answer"),
    }
