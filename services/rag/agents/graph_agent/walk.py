"""Ways through the graph along the parts of a question, and how they go on.

How well a fact answers a part of a question that names one of its ends: words, likeness, direction.
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

from kg.model import Entity, EntityType
from services.rag.agents.graph_agent.seen import Claim, Fact
from services.rag.question_words import lemma, relation_words, wanted_types, words
from services.rag.sentence_match import stands_in
from services.rag.trace import fill_marks

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
    said = likeness if not relation else _relation_share(relation, fact, claim)
    fit = WORDS_SHARE * said + (1 - WORDS_SHARE) * likeness
    types = _types(part.text)
    if types is not None and fact.end.type not in types:
        fit *= OTHER_TYPE
    forward = _wants_forward(part, relation)
    if forward is not None and forward != fact.forward ^ _is_inverse(fact.predicate):
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


def _relation_share(relation: frozenset[str], fact: Fact, claim: Claim | None) -> float:
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


def _is_inverse(predicate: str) -> bool:
    """Whether a predicate speaks of its subject as what something is done to, or says its relation so."""
    found = _plain_words(predicate)
    return ("by" in found) ^ (not _TURNED.isdisjoint(found))


def _plain_words(text: str) -> list[str]:
    return text.casefold().rstrip(" ?").split()


WIDTH = 3
"""So many ways are gone on with, the best ones."""

LEAST_FIT = 0.3
"""A fact that answers a part less well leads nowhere."""

_MARK = re.compile(r"#(\d)")


@dataclass(frozen=True, slots=True)
class Way:
    """A fact for each part so far; `fits` tells how well each answers its part, `texts` the part as it was
    asked, with earlier answers in it."""

    facts: tuple[Fact, ...] = ()
    fits: tuple[float, ...] = ()
    texts: tuple[str, ...] = ()

    @property
    def weakest(self) -> float:
        """The worst fit; 1 where nothing was walked."""
        return min(self.fits, default=1.0)

    @property
    def worth(self) -> float:
        """The product of its fits: the better of two ways of the same length has more."""
        worth = 1.0
        for fit in self.fits:
            worth *= fit
        return worth

    def asks(self, part: str) -> str:
        """A part with the answers of this way in it."""
        return fill_marks(part, self.texts, [fact.end.name for fact in self.facts])

    def starts(self, part: str) -> tuple[Entity, ...]:
        """What this way has found that a part speaks of by its number."""
        numbers = [int(mark) for mark in _MARK.findall(part)]
        found = (self.facts[number - 1].end for number in numbers if 0 < number <= len(self.facts))
        return tuple(dict.fromkeys(found))


def speaks_of_answers(part: str) -> bool:
    """Whether a part has the number of an earlier one in it."""
    return _MARK.search(part) is not None


def go_on(
    ways: Sequence[Way], part: str, starts: Mapping[Entity, Iterable[str]], facts: Sequence[Fact]
) -> list[Way]:
    """The ways that facts make longer by a part, best first, each end once; at most `WIDTH`.

    `starts` are the entities that were expanded besides those of the ways, with the names that stand for
    each in the part.
    """
    longer: list[Way] = []
    for way in ways:
        text, own = way.asks(part), way.starts(part)
        walked = {fact.end.id for fact in way.facts} | {fact.start.id for fact in way.facts}
        for fact in facts:
            named = tuple(starts.get(fact.start, ())) or ((fact.start.name,) if fact.start in own else ())
            if not named or fact.end.id in walked or fact.end in starts or fact.end.name in text:
                continue
            fit = fit_of(Part(text, named), fact)
            longer.append(Way((*way.facts, fact), (*way.fits, fit), (*way.texts, text)))
    return _widest(longer)


def read_again(
    ways: Sequence[Way], claims: Mapping[str, Claim], starts: Mapping[Entity, Iterable[str]]
) -> list[Way]:
    """The ways with the fit of their last fact judged by its claim as well; without those not shown."""
    judged = []
    for way in ways:
        fact, text = way.facts[-1], way.texts[-1]
        claim = claims.get(fact.claim)
        if claim is not None:
            named = tuple(starts.get(fact.start, ())) or (fact.start.name,)
            judged.append(replace(way, fits=(*way.fits[:-1], fit_of(Part(text, named), fact, claim))))
    return _widest(judged)


def _widest(ways: Sequence[Way]) -> list[Way]:
    """The best ways, of those that end at the same entity the best."""
    worth = [way.worth if way.fits[-1] >= LEAST_FIT else 0.0 for way in ways]
    best: dict[str, Way] = {}
    for at in best_fits(worth, LEAST_FIT ** max((len(way.fits) for way in ways), default=0)):
        best.setdefault(ways[at].facts[-1].end.id, ways[at])
    return list(best.values())[:WIDTH]
