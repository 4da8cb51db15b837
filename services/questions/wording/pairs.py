"""Wording of questions that are not chains: single facts, comparisons, orders of events."""

import re

from services.questions.draft import Stop
from services.questions.wording.articles import complement_of, role_of, with_article
from services.questions.wording.asking import ask
from services.questions.wording.chain import described
from services.questions.wording.clauses import Known, joined
from services.questions.wording.inversion import inverted_clause
from services.questions.wording.nouns import is_organisation, noun_of, question_word
from services.questions.wording.predicates import Predicate, parse
from services.questions.wording.verb_groups import finite, inverted, is_plural
from services.questions.wording.verbs import plural_noun

__all__ = [
    "described",
    "event_clause",
    "order_question",
    "relation_question",
    "same_object_question",
    "which_of_question",
]

_OF_TIME = frozenset({"on", "in", "at", "during"})
_PLURAL = {"is": "are", "was": "were", "has": "have", "does": "do"}


def relation_question(subject: str, fact_predicate: str, wanted: Stop) -> str:
    """A single fact asked for its object: "Who governs Port Averell?"."""
    found = _own(subject, fact_predicate)
    known = Known(with_article(subject), plural=is_plural(found))
    word = question_word(wanted, (fact_predicate,))
    return _question(ask(known, found, word, noun_of(wanted, (fact_predicate,))))


def same_object_question(first: str, second: str, predicate: str, noun: str) -> str:
    """Whether two entities share an object: "Are A and B headquartered in the same place?"."""
    found = parse(predicate)
    before, behind = inverted(found, plural=True)
    both = f"{with_article(first)} and {with_article(second)}"
    complement = plural_noun(found.complement) if found.is_role else complement_of(found)
    same = joined(complement, found.preposition, f"the same {noun}")
    return _question(joined(_PLURAL.get(before, before), both, behind, same))


def which_of_question(first: str, second: str, predicate: str, object: str) -> str:  # noqa: A002
    """Which of two entities stands in a relation: "Which of A and B is headquartered in Dunmarrow?"."""
    found = parse(predicate)
    said = joined(finite(found), _complement(found), found.preposition, with_article(object))
    return _question(f"which of {with_article(first)} and {with_article(second)} {said}")


def order_question(first_event: str, second_event: str) -> str:
    """Which of two events, given as clauses, came first: "Did A win the cup before or after B resigned?"."""
    return _question(f"{inverted_clause(first_event)} before or after {second_event}")


def event_clause(subject: str, predicate: str, object: str) -> str:  # noqa: A002
    """A fact as a clause; without an object, the date's preposition goes too: "the Mariners won the cup"."""
    found = _own(subject, predicate)
    group = " ".join((*found.auxiliaries, found.verb))
    preposition = found.preposition if object or found.preposition not in _OF_TIME else ""
    return joined(with_article(subject), group, _complement(found), preposition, with_article(object))


def _complement(found: Predicate) -> str:
    return role_of(found) if found.is_role and found.voice == "copula" else complement_of(found)


def _own(subject: str, predicate: str) -> Predicate:
    """The parts of the predicate, with a pronoun for its own subject ("published its report on")."""
    pronoun = "its" if is_organisation(subject) else "their"
    return parse(re.sub(rf"(?<!\w){re.escape(subject)}['\u2019]s (?=\w)", f"{pronoun} ", predicate))


def _question(text: str) -> str:
    return f"{text[:1].upper()}{text[1:]}?"
