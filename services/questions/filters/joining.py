"""Is it one question whose facts belong together, or several that an "and" holds together?"""

import re
from collections.abc import Sequence
from itertools import combinations, pairwise

from kg.resolve.normal_form import normal_form
from services.questions.draft import Draft, Fact, Stop
from services.questions.filters.protocol import PASS, Rule, Verdict, fail
from services.questions.predicate_key import predicate_key

_ASKS_AGAIN = re.compile(
    r"(?:\band|;|\bor)\s+(?:in\s+|on\s+|at\s+|to\s+|by\s+|for\s+|from\s+)?"
    r"(?:what|when|where|why|how|which\s+(?!is\b|was\b|are\b|were\b|has\b|had\b|have\b)|whom|"
    r"who\s+(?:is|was|are|were)\s+(?:the|its|their|his|her)\b|"
    r"(?:did|does|do)\s+(?:the|its|their|he|she|it|they|[A-Z]))",
)
"""A second question behind "and": "and when did", "and who is its"; "and is the one that" goes on."""

_ASKS_WHO = re.compile(r"\band\s+who\b")
_RELATIVE = re.compile(r"(?<!^)\b(?:who|whom|whose|that)\b")
"""What "and who" may go on from: "the striker who left and who joined"."""

_IN_HALVES = frozenset({"comparison", "temporal"})
"""Kinds that may put their two sides into two halves of a sentence."""


def _not_concatenated(draft: Draft) -> Verdict:
    in_halves = draft.by_model or draft.kind in _IN_HALVES
    if not in_halves and (second := _second_question(draft.text)):
        return fail(f'"{second}" begins a second question')
    match draft.kind:
        case "chain":
            return _chained(draft)
        case "comparison":
            return _comparable(draft)
        case "bridge entity":
            return PASS if _sharing(draft.facts, draft.stops) else fail("no two of its facts share an entity")
        case _:
            return PASS


def _second_question(text: str) -> str:
    """The words that begin another question, empty if there is none."""
    if found := _ASKS_AGAIN.search(text):
        return found[0]
    who = _ASKS_WHO.search(text)
    return who[0] if who and not _RELATIVE.search(text[: who.start()]) else ""


def _chained(draft: Draft) -> Verdict:
    if len(draft.stops) != len(draft.facts) + 1:
        return fail(f"{len(draft.facts)} facts can't lead through {len(draft.stops)} entities")
    if len({stop.id for stop in draft.stops}) < len(draft.stops):
        return fail("its facts lead back to an entity that they have been at")
    for before, fact in pairwise(draft.facts):
        if fact.triple == before.triple:
            return fail(f"hops {before.index} and {fact.index} are the same fact")
    if again := _named_again(draft):
        return fail(f'its facts lead back to "{again}" under another name')
    return PASS


def _named_again(draft: Draft) -> str:
    """A name that two of its entities go by, in the graph or in the facts; empty if there is none."""
    names = [{normal_form(name): name for name in stop.names} for stop in draft.stops]
    for at, fact in enumerate(draft.facts):
        ends = (fact.object, fact.subject) if fact.reversed else (fact.subject, fact.object)
        for stop, name in zip(names[at : at + 2], ends, strict=True):
            stop.setdefault(normal_form(name), name)
    shared = ((one, form) for one, other in combinations(names, 2) for form in one.keys() & other.keys())
    return min((one[form] for one, form in shared), default="")


def _comparable(draft: Draft) -> Verdict:
    """Both sides say the same of two things, or two things of one."""
    if len(draft.facts) < 2 or _sharing(draft.facts, draft.stops):
        return PASS
    keys = {predicate_key(fact.predicate) for fact in draft.facts}
    return PASS if len(keys) < len(draft.facts) else fail("its facts share neither a predicate nor an entity")


def _sharing(facts: Sequence[Fact], stops: Sequence[Stop]) -> bool:
    """Whether two facts speak of one entity, under any of the names that are known for it."""
    entity_of = {normal_form(name): stop.id for stop in stops for name in stop.names}
    ends = [
        {entity_of.get(form, form) for form in (normal_form(fact.subject), normal_form(fact.object))}
        for fact in facts
    ]
    return any(one & other for one, other in combinations(ends, 2))


NOT_CONCATENATED = Rule("not concatenated", _not_concatenated)
"""No second question behind an "and" in the words of rules: in a model's, "the town where A was born and
where B died" is one question, which a judge tells from two. The facts of a chain join at its entities,
those of a comparison share a predicate or an entity, those of a bridge entity an entity. Not looked at: the
facts of temporal questions, since any two events can be ordered, of null questions and of bridge topics."""
