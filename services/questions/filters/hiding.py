"""Does the question give away what it asks for, or what it goes through?"""

from kg.resolve.normal_form import normal_form
from services.questions.draft import Draft
from services.questions.filters.names_in_text import first_named
from services.questions.filters.protocol import PASS, Rule, Verdict, fail

NAMES_ITS_ANSWER = frozenset({"comparison", "temporal"})
"""Kinds that let choose between what they name: "Which of the two ...", "before or after"."""


def _answer_hidden(draft: Draft) -> Verdict:
    if draft.kind in NAMES_ITS_ANSWER or draft.kind == "null":
        return PASS
    named = first_named(draft.text, _answer_names(draft))
    if named is not None:
        return fail(f'the answer stands in it as "{named}"')
    start = {normal_form(name) for name in draft.stops[0].names} if draft.kind == "chain" else set()
    if start & {normal_form(name) for name in _answer_names(draft)}:
        return fail("its start and its answer have the same name")
    return PASS


def _middle_hidden(draft: Draft) -> Verdict:
    surnames = _surnames(draft)
    named = first_named(draft.text, [name for name in draft.hidden if name not in surnames])
    if named is None:
        named = first_named(_without_people(draft), surnames)
    return PASS if named is None else fail(f'"{named}" stands in it, which is to be found on the way')


def _surnames(draft: Draft) -> list[str]:
    """Single words among the hidden names that are short for a person's."""
    people = [stop for stop in draft.stops if stop.type == "PERSON" and " " in stop.name]
    short = {name for stop in people for name in stop.aliases if " " not in name}
    return [name for name in draft.hidden if name in short]


def _without_people(draft: Draft) -> str:
    """The text without full names of people that it may name: a daughter doesn't give away her father."""
    hidden = set(draft.hidden)
    text = draft.text
    for stop in draft.stops:
        for name in stop.names if stop.type == "PERSON" else ():
            if " " in name and name not in hidden:
                text = text.replace(name, "Somebody")
    return text


def _answer_names(draft: Draft) -> tuple[str, ...]:
    """The answer in all spellings that count as right, and every name of its entity."""
    entity = (name for stop in draft.stops if stop.id == draft.answered_by for name in stop.names)
    return tuple(dict.fromkeys((draft.answer, *draft.accepted, *entity)))


ANSWER_HIDDEN = Rule("answer hidden", _answer_hidden)
"""No name of the answer stands in the question, and the start is not the answer under another name."""

MIDDLE_HIDDEN = Rule("middle hidden", _middle_hidden)
"""No name of an entity that is to be found on the way stands in the question, nor within another name
there; but a surname may stand in the full name of another person."""
