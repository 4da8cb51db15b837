"""Atomic questions by a language model that reads one chunk at a time (AgenticRAGTracer, section 3.2).

The model words question and answer; what it says is held against the chunk before anything is made of it, and
tied to the entities and, where there is one, to the fact of the graph that it is about.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kg.extract.model_answers import ungrounded
from kg.ids import content_id
from kg.llm.prompts import Prompt, load_prompt
from kg.llm.protocol import Failure, JsonValue, Model, ModelRequest, Schema, json_object
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph, batches
from services.questions.composed.comparing import known_forms
from services.questions.composed.join_by_rules import is_bare_number
from services.questions.composed.passages import (
    NamedEntity,
    Passage,
    StatedClaim,
    failure_of,
    items_of,
    read_passages,
    text_of,
)
from services.questions.composed.protocol import Atom, Refused
from services.questions.filters.name_use import any_named, first_named
from services.questions.kinds.event_order import date_span

CHUNKS_A_BATCH = 200
MOST_QUESTIONS = 5
LONGEST_ANSWER_WORDS = 12
LONGEST_QUESTION = 400
ROOM_TOKENS = 1_500
USUAL_QUESTION = 55
"""Tokens that an ordinary question takes with its answer and its sentence."""

_QUANTITY = re.compile(
    r"[^\w\s]?\s?\d[\d.,\s]*(?!(?:st|nd|rd|th)\b)(?:[^\w\s]+|[A-Z]|(?:\s*[a-z\u00b5/]+)+)?"
)
"""Figures with a sign, a letter or common words for a unit: "59.0 %", "4,586 K", "118,218 entries"."""

_TEXT: JsonValue = {"type": "string"}
_QUESTION = json_object(question=_TEXT, answer=_TEXT, sentence=_TEXT)
SCHEMA = Schema("questions", json_object(questions={"type": "array", "items": _QUESTION}))


@dataclass(frozen=True, slots=True)
class ModelAtomMaker:
    """Asks for the questions that a chunk answers, at most `most` of them."""

    graph: Graph
    corpus: str
    model: Model
    most: int = MOST_QUESTIONS

    @property
    def name(self) -> str:
        """What is recorded with a question: "model/MODEL/write-atomic-questions@1"."""
        return f"model/{self.model.name}/{_prompt().id}"

    def atoms(self, chunks: Sequence[str]) -> Iterator[Atom | Refused]:
        """The atomic questions of some chunks, given their ids, unfiltered.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
        """
        for some in batches(chunks, CHUNKS_A_BATCH):
            passages = [*read_passages(self.graph, some).values()]
            outcomes = self.model.ask(atoms_request(passage, self.most) for passage in passages)
            for passage, outcome in zip(passages, outcomes, strict=True):
                if isinstance(outcome, Failure):
                    yield Refused(failure_of(outcome))
                    continue
                written = items_of(outcome, "questions")[: self.most]
                if not written:
                    yield Refused("the model finds nothing to ask")
                yield from self._read(passage, written)

    def _read(self, passage: Passage, written: Sequence[JsonValue]) -> Iterator[Atom | Refused]:
        seen: set[str] = set()
        for item in written:
            question, answer, sentence = (text_of(item, name) for name in ("question", "answer", "sentence"))
            if wrong := next(_faults(passage, question, answer, sentence), ""):
                yield Refused(wrong)
            elif (form := normal_form(question)) not in seen:
                seen.add(form)
                yield self._atom(passage, question, answer, sentence)

    def _atom(self, passage: Passage, question: str, answer: str, sentence: str) -> Atom:
        about = _about(passage.entities, question)
        end = _answering(passage.entities, answer)
        claim, triple = _stated(passage.claims, sentence, about, end)
        entity = None if end is None or end.literal else end
        return Atom(
            id=content_id(self.corpus, "atom", passage.id, normal_form(question)),
            question=question,
            answer=answer,
            accepted=known_forms(answer, entity.names if entity else ()),
            answer_type=end.type if end else _type_of(answer),
            chunk=passage.id,
            article=passage.article,
            sentence=sentence,
            about=tuple(one.id for one in about if one is not end),
            answered_by=entity.id if entity else "",
            claim=claim,
            triple=triple,
            domain=passage.domain,
            generator=self.name,
        )


def atoms_request(passage: Passage, most: int = MOST_QUESTIONS) -> ModelRequest:
    """What a model is asked about a chunk."""
    messages = _prompt().fill(passage=passage.fenced_text("passage"), most=str(most))
    return ModelRequest(
        messages,
        _prompt().id,
        SCHEMA,
        max_output_tokens=ROOM_TOKENS,
        expected_output_tokens=USUAL_QUESTION * most,
    )


def _faults(passage: Passage, question: str, answer: str, sentence: str) -> Iterator[str]:
    """Why nothing can be made of what a model wrote, the plainest reason first."""
    if not question or not answer:
        yield "the model left question or answer empty"
    if not question.endswith("?"):
        yield "the question does not end in a question mark"
    if len(question) > LONGEST_QUESTION:
        yield f"the question is longer than {LONGEST_QUESTION} letters"
    if len(answer.split()) > LONGEST_ANSWER_WORDS:
        yield f"the answer is longer than {LONGEST_ANSWER_WORDS} words"
    if not _holds(passage.text, sentence):
        yield "the sentence that it names does not stand in the chunk"
    if not _holds(passage.text, answer):
        yield f'the answer "{answer}" does not stand in the chunk'
    if first_named(question, [answer]) is not None:
        yield f'the answer "{answer}" stands in the question'
    if wrong := ungrounded(question, f"{passage.head.title}\n{passage.text}", passage.published):
        yield f"the question {wrong}"


def _holds(text: str, part: str) -> bool:
    form = normal_form(part)
    return bool(form) and f" {form} " in f" {normal_form(text)} "


def _about(entities: Sequence[NamedEntity], question: str) -> list[NamedEntity]:
    """The entities that a question names; of a name within a longer one only the longer."""
    named = [
        (entity, max(map(normal_form, found), key=len))
        for entity in entities
        if not entity.literal and (found := [name for name in entity.names if any_named(question, [name])])
    ]
    return [
        entity
        for entity, form in named
        if not any(form != longer and f" {form} " in f" {longer} " for _, longer in named)
    ]


def _answering(entities: Sequence[NamedEntity], answer: str) -> NamedEntity | None:
    """The entity that the answer is a name of; of several the first by id."""
    form = normal_form(answer)
    return min((one for one in entities if form in one.forms), key=lambda one: one.id, default=None)


def _stated(
    claims: Sequence[StatedClaim], sentence: str, about: Sequence[NamedEntity], end: NamedEntity | None
) -> tuple[str, str]:
    """The claim that was read from the sentence, and its fact from what the question names to the answer."""
    form, known = normal_form(sentence), {one.id for one in about}
    same = [claim for claim in claims if normal_form(claim.sentence) == form]
    for claim in same:
        for fact in claim.facts:
            ends = {fact.subject, fact.object}
            if end is not None and end.id in ends and ends & (known - {end.id}):
                return claim.id, fact.triple
    return (same[0].id, "") if len(same) == 1 else ("", "")


def _type_of(answer: str) -> str:
    """A date, a number with or without its unit, or anything else that has a name, digits in it or not."""
    if date_span(answer) is not None:
        return "DATE"
    return "NUMBER" if is_bare_number(answer) or _QUANTITY.fullmatch(answer.strip()) else "MISC"


def _prompt() -> Prompt:
    return load_prompt("write-atomic-questions")
