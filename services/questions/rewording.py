"""Questions of other kinds than chains in a model's words (MultiHop-RAG, appendix A, tables 8 to 11).

Rules choose the facts and give the answer, as they do without a model; the model finds the words, and for a
bridge topic the phrase that names it. Words that lose a name, a number or a news source, or to which the
model gives another answer, are rejected, as is a question for which it finds none.
"""

import re
from collections.abc import Mapping, Sequence
from dataclasses import replace

from kg.llm.prompts import Prompt, fence, load_prompt
from kg.llm.protocol import (
    Estimate,
    Failure,
    JsonValue,
    Model,
    ModelOutcome,
    ModelRequest,
    Schema,
    json_object,
)
from kg.resolve.normal_form import normal_form
from kg.store.graph import Graph
from services.questions.draft import Check, Draft, Made, QuestionKind
from services.questions.generate import (
    ENDS_RIGHT,
    FOUND,
    LONGEST_DETAIL,
    MODEL_WRITER,
    NO_PROBLEM,
    WRITTEN,
    ShownFacts,
    read_shown_facts,
    said_by_model,
)

REWORDING = "reword-question"
SAME_NAMES = "names of the question kept"
"""What is checked besides of a question that a model rewords."""
SORTS: Mapping[QuestionKind, str] = {
    "comparison": "comparison",
    "temporal": "temporal",
    "null": "no answer",
    "bridge entity": "bridge entity",
    "bridge topic": "bridge topic",
}
"""The kinds that are reworded, as the prompt calls them."""
MOST_TOPIC_WORDS = 8
ROOM_TOKENS, EXPECTED_TOKENS = 400, 40

_WORD = re.compile(r"\w+")
_TEXT: Mapping[str, JsonValue] = {"type": "string"}
SCHEMA = Schema(
    "reworded",
    json_object(
        problem={"type": "string", "enum": [NO_PROBLEM, "senseless", "no topic", "other"]},
        why=_TEXT,
        topic=_TEXT,
        question=_TEXT,
        answer=_TEXT,
    ),
)


def rewording_name(model: str) -> str:
    """What is recorded with such questions: "model-2/MODEL/reword-question@1"."""
    return f"model-{MODEL_WRITER}/{model}/{_prompt().id}"


def reword_by_model(graph: Graph, model: Model, drafts: Sequence[Draft]) -> list[Made]:
    """The drafts in a model's words, with what was checked of them; one whose checks failed is rejected.

    Raises:
        ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`.
    """
    outcomes = model.ask(_requests(graph, drafts))
    return [_made(draft, outcome, model.name) for draft, outcome in zip(drafts, outcomes, strict=True)]


def estimate_rewording(graph: Graph, model: Model, drafts: Sequence[Draft]) -> Estimate:
    """What the words of some drafts would take; nothing is sent."""
    return model.estimate(_requests(graph, drafts))


def reword_request(draft: Draft, shown: ShownFacts) -> ModelRequest:
    """A draft with what is shown of its facts, to be worded anew."""
    messages = _prompt().fill(
        sort=fence(SORTS[draft.kind], "sort"),
        question=fence(f"{draft.text}\nanswer: {draft.answer}", "question"),
        facts=shown.facts(draft.facts, titles=draft.kind == "bridge topic"),
        names=shown.names(draft.stops, draft.facts),
    )
    return ModelRequest(
        messages,
        _prompt().id,
        SCHEMA,
        max_output_tokens=ROOM_TOKENS,
        expected_output_tokens=EXPECTED_TOKENS,
    )


def lost_names(before: str, after: str) -> list[str]:
    """The names, numbers and words of titles in a question, its first word aside, that another one lacks."""
    said = {word.casefold() for word in _WORD.findall(after)}
    wanted = (word for word in _WORD.findall(before)[1:] if word[:1].isupper() or word[:1].isdigit())
    return [word for word in dict.fromkeys(wanted) if word.casefold() not in said]


def _made(draft: Draft, outcome: ModelOutcome, model: str) -> Made:
    by_model = replace(draft, generator=rewording_name(model))
    if isinstance(outcome, Failure):
        return Made(by_model, (Check(WRITTEN, passed=False, reason=outcome.message[:LONGEST_DETAIL]),))
    value = outcome.value if isinstance(outcome.value, Mapping) else {}
    problem, why, topic, text, answer = (
        said_by_model(value.get(key)) for key in ("problem", "why", "topic", "question", "answer")
    )
    written = Check(WRITTEN, passed=True)
    if problem != NO_PROBLEM:
        reason = f"{problem}: {why}".rstrip(": ")[:LONGEST_DETAIL]
        return Made(by_model, (written, Check(FOUND, passed=False, reason=reason)))
    if not text:
        return Made(by_model, (Check(WRITTEN, passed=False, reason="empty: the question holds nothing"),))
    reworded = replace(by_model, text=text)
    checks = [written, Check(FOUND, passed=True)]
    for name, fault in (
        (ENDS_RIGHT, _other_answer(draft, answer)),
        (SAME_NAMES, _lost(draft, text, topic)),
    ):
        checks.append(Check(name, passed=not fault, reason=fault[:LONGEST_DETAIL]))
        if fault:
            break
    return Made(reworded, tuple(checks))


def _other_answer(draft: Draft, answer: str) -> str:
    if normal_form(answer) in {normal_form(name) for name in draft.accepted}:
        return ""
    return f"the model answers {answer!r}, the facts {draft.answer!r}"


def _lost(draft: Draft, text: str, topic: str) -> str:
    """What is missing in the model's words, "" where nothing is."""
    if lost := lost_names(draft.text, text):
        return f"its words lack {', '.join(lost)}"
    if draft.kind != "bridge topic":
        return ""
    words = topic.split()
    if not 2 <= len(words) <= MOST_TOPIC_WORDS or topic.casefold() not in text.casefold():
        return f"its words lack the phrase for the topic, {topic!r}"
    return ""


def _requests(graph: Graph, drafts: Sequence[Draft]) -> list[ModelRequest]:
    shown = read_shown_facts(graph, (fact for draft in drafts for fact in draft.facts))
    return [reword_request(draft, shown) for draft in drafts]


def _prompt() -> Prompt:
    return load_prompt(REWORDING)
