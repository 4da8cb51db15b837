"""How well a fact answers a part of a question that names one of its ends: words, likeness, direction."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from kg.model import EntityType
from services.rag.agents.graph_agent.seen import Claim, Fact
from services.rag.question_form import wanted_types
from services.rag.question_words import lemma, relation_words, words
from services.rag.sentence_match import stands_in

WORDS_SHARE = 0.6
"""What the words for the relation count beside the likeness of fact and question, which counts the rest."""

LESS_SURE = 0.8
"""What a word for the relation counts of which only the stem is there, or only in the claim."""

STEM = 5

NEARLY, FAR = 0.7, 0.2
"""Cosines of fact and question that count as the same and as nothing."""

OTHER_TYPE = 0.6
"""What a fact counts that leads to another type of thing than the wanted one; types are often wrong."""

OTHER_DIRECTION = 0.75
"""What a fact counts that goes the other way: of "Whom did Ann succeed?" who succeeded Ann."""

CALLED_SO = 0.3
"""What a fact gains of what it lacks where the name of its end has the noun asked for: "Which harbour?"."""

_ASKED_NOUN = re.compile(r"\b(?:which|what|whose) ([\w-]+)", re.IGNORECASE)
_WHERE = re.compile(r"where\b", re.IGNORECASE)
_WORKS = re.compile(r"\b(?:do(?:es)?|did)\b.*\bwork\b|\bwork(?:s|ed)\b")

# These say their relation from its other end: "a city contains a hall", "a hall is located in a city".
_TURNED = frozenset(
    {"contain", "contains", "contained", "home", "employ", "employs", "employed", "birthplace"}
)
_BOTH_WAYS = frozenset({"marry"})


@dataclass(frozen=True, slots=True)
class Part:
    """A part of a question, with the names of what it starts from as they stand in it."""

    text: str
    starts: tuple[str, ...]


def fit_of(part: Part, fact: Fact, claim: Claim | None = None) -> float:
    """How well the end of a fact answers a part, in [0, 1]; surer where the fact's claim was read."""
    relation = _relation(part)
    likeness = min(max((fact.likeness - FAR) / (NEARLY - FAR), 0.0), 1.0)
    said = likeness if not relation else _said(relation, fact, claim)
    fit = WORDS_SHARE * said + (1 - WORDS_SHARE) * likeness
    types = _types(part.text)
    if types is not None and fact.end.type not in types:
        fit *= OTHER_TYPE
    forward = _wants_forward(part, relation)
    if forward is not None and forward != fact.forward ^ _is_turned(fact.predicate):
        fit *= OTHER_DIRECTION
    noun = _ASKED_NOUN.search(part.text)
    if noun is not None and set(words(noun[1])) & set(words(fact.end.name)):
        fit += CALLED_SO * (1 - fit)
    return fit


def best_fits(fits: Sequence[float], least: float) -> list[int]:
    """The places of the fits that are at least `least`, best first, ties in their order."""
    return [at for at in sorted(range(len(fits)), key=lambda at: -fits[at]) if fits[at] >= least]


def _relation(part: Part) -> frozenset[str]:
    """The words for how the answer is related to what the part starts from."""
    relation = relation_words(part.text, [set(words(start)) for start in part.starts])
    # "Work" is no word of a question elsewhere: there it is a thing asked for.
    return frozenset({lemma("work")}) if _WORKS.search(part.text) else relation


def _types(text: str) -> frozenset[EntityType] | None:
    types = wanted_types(text)
    # One studies and works at organisations.
    return types | {"ORG"} if types is not None and _WHERE.match(text) else types


def _said(relation: frozenset[str], fact: Fact, claim: Claim | None) -> float:
    """The share of the relation's words that the predicate has, or less surely the claim."""
    predicate = set(words(fact.predicate))
    others = set(words(f"{claim.text} {claim.sentence}")) if claim is not None else set[str]()
    stems = {_stem(word) for word in predicate | others}
    found = [1.0 if word in predicate else LESS_SURE * (_stem(word) in stems) for word in relation]
    return sum(found) / len(found)


def _stem(word: str) -> str:
    """What a verb and its noun have in common: of "approve" and "approval", "appro"."""
    return word[:STEM]


def _wants_forward(part: Part, relation: frozenset[str]) -> bool | None:
    """Whether what the part starts from is who acts: in "Whom did Ann succeed?" it is, in "Who succeeded
    Ann?" it is not; None where that says nothing."""
    start = next((name for name in part.starts if stands_in(name, part.text)), None)
    if start is None or relation & _BOTH_WAYS:
        return None
    before, _, behind = part.text.partition(start)
    turned = not _TURNED.isdisjoint(_plain_words(before + behind))
    if relation & set(words(behind)) or _WORKS.search(behind):
        return turned ^ (not behind.rstrip(" ?").endswith(" by"))
    return turned ^ before.rstrip().endswith(" by")


def _is_turned(predicate: str) -> bool:
    """Whether a predicate speaks of its subject as what something is done to, or says its relation so."""
    found = _plain_words(predicate)
    return ("by" in found) ^ (not _TURNED.isdisjoint(found))


def _plain_words(text: str) -> list[str]:
    return text.casefold().rstrip(" ?").split()
