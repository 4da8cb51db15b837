"""The noun of an entity that facts describe, from both sides of its predicates."""

from collections.abc import Iterable

from kg.resolve.normal_form import normal_form
from services.questions.kinds.known_facts import KnownFact
from services.questions.wording.nouns import ANYTHING, UNKNOWN, noun_of

TOO_VAGUE = frozenset({UNKNOWN, ANYTHING})
"""Nouns that say so little that much would fit a question for them."""


def noun_by_facts(entity: str, facts: Iterable[KnownFact]) -> str:
    """What the facts allow an entity to be called; where they contradict its own name, what that says."""
    told = list(facts)
    stop = next(end for fact in told for end in (fact.subject, fact.object) if end.id == entity)
    leads = tuple(fact.predicate for fact in told if fact.object.id == entity)
    before = tuple(fact.predicate for fact in told if fact.subject.id == entity)
    banned = {normal_form(name) for name in stop.names}
    noun = noun_of(stop, leads, before, banned)
    return noun_of(stop, (), (), banned) if noun in TOO_VAGUE else noun
