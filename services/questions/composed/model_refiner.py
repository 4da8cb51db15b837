"""A second try for a question whose fault is one of words, and other forms of its answer, by a model.

AgenticRAGTracer refines answers and collects alternatives (appendix C); here both are held against what is
known, so that nothing is refined into another answer.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import chain

from kg.llm.prompts import Prompt, fenced, load_prompt, on_one_line
from kg.llm.protocol import JsonValue, Model, ModelOutcome, ModelRequest, Schema, json_object
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph
from services.questions.composed.comparing import distinct, free_forms, known_forms
from services.questions.composed.model_audit import JOINED, MAKES_SENSE
from services.questions.composed.model_joiner import LONGEST_QUESTION
from services.questions.composed.passages import items_of, question_shown, said, steps_shown
from services.questions.composed.protocol import Composed
from services.questions.draft import Check
from services.questions.filters.name_use import read_same_names

REWORDED = frozenset({"well formed", "answer hidden", "middle hidden", "not concatenated", "stands alone"})
"""Filters whose rejects other words may mend; of an audit's only concatenations."""
SHORTENED = "model: solvable"
"""The filter whose rejects may have an answer that says more than was asked."""

ROOM_REFINING = 600
USUAL_REFINING = 30
"""Tokens that an ordinary reply takes."""

_TEXT: JsonValue = {"type": "string"}
_QUESTION = Schema("mended", json_object(question=_TEXT))
_ANSWER = Schema("shortened", json_object(answer=_TEXT))
_FORMS = Schema("forms", json_object(forms={"type": "array", "items": _TEXT}))
_YES_OR_NO = frozenset({"yes", "no"})


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
        open_ones = [one for one in questions if one.last.answer.casefold() not in _YES_OR_NO]
        outcomes = self.model.ask(forms_request(one) for one in open_ones)
        proposed = dict(zip(open_ones, map(_forms, outcomes), strict=True))
        names = known_names(self.graph, questions)
        called = read_same_names(self.graph, self.corpus, chain.from_iterable(proposed.values()))
        return [
            distinct(
                (
                    *known_forms(one.last.answer, (*one.last.accepted, *names.get(one.answered_by, ()))),
                    *free_forms(one.last.answer, proposed.get(one, ()), _taken(called, one.answered_by)),
                )
            )
            for one in questions
        ]


def known_names(graph: Graph, questions: Sequence[Composed]) -> Mapping[str, tuple[str, ...]]:
    """All names of the entities that answer some questions, by entity."""
    ids = sorted({one.answered_by for one in questions if one.answered_by})
    rows = graph.read_in_batches(query("filters/read_entities"), ids)
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
            whole=_shown(question),
            fault=fenced(on_one_line(f"{failed.filter}: {failed.reason}"), "fault"),
        )
    if failed.filter == SHORTENED and failed.reason.startswith("its evidence") and _may_be_cut(question):
        return _request(load_prompt("shorten-answer"), _ANSWER, **_asked(question))
    return None


def forms_request(question: Composed) -> ModelRequest:
    """What a model is asked about the forms of an answer."""
    return _request(load_prompt("list-answer-forms"), _FORMS, **_asked(question))


def _wants_other_words(failed: Check) -> bool:
    joined = failed.filter == MAKES_SENSE and failed.reason.startswith(JOINED)
    return joined or failed.filter in REWORDED


def _may_be_cut(question: Composed) -> bool:
    return question.last.topology == "inference" and " " in question.last.answer.strip()


def _mended(question: Composed, outcome: ModelOutcome) -> Composed | None:
    """The question with other words or a shorter answer; None where the model gave nothing of use."""
    text, answer = said(outcome, "question"), said(outcome, "answer")
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


def _taken(called: Mapping[str, frozenset[str]], entity: str) -> frozenset[str]:
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


def _shown(question: Composed) -> str:
    return question_shown(question.last.question, question.last.answer, "whole question")


def _asked(question: Composed) -> dict[str, str]:
    """The question and its answer, each in a fence of its own."""
    last = question.last
    return {
        "question": fenced(on_one_line(last.question), "question"),
        "answer": fenced(on_one_line(last.answer), "answer"),
    }
