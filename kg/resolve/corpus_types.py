"""The type of a name by a vote of the whole corpus: its mentions, its words, and what its predicates take.

The small model labels a name anew in each article, and errs the same way each time where it doesn't know the
name: a drug becomes a place, a satellite a person. What is said of the thing knows better: somebody is born,
a club is played for, a drug is approved. Each predicate that takes few types only is a vote for these, from
`_USUAL`, which was written on the development corpora, or learnt from names in the corpus of a clear type.
Where the votes are against every type, a name stays MISC, a thing of unknown type.
"""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Literal, NamedTuple

from kg.model import EntityType
from kg.text.lexicon import GIVEN_NAMES_OF_PLACES, NOUN_KINDS, countries, genders

Side = Literal["subject", "object"]
Kinds = frozenset[EntityType]

MENTION_VOTES = 3.0
"""What all mentions of a name count together; each predicate counts 1, and so does a given name."""
MOST_OF_A_PATTERN = 3
"""Predicates of one pattern that count."""
DEFINED_VOTES = 2.0
"""What a noun counts that says what the thing is: "X is a drug"."""
MARGIN = 1.0
"""By how much a type must be ahead of the mentions' own to win over it."""
FEWEST_SEEN = 10
"""Names of a clear type that a predicate needs on a side before the corpus tells what it takes there."""
MOST_OTHERS = 0.05
"""The share of other types at which a predicate still takes but one."""
CLEAR_FROM, CLEAR_MENTIONS = 0.9, 3
"""A name's type is clear where so large a share of at least so many mentions has it."""


_THINGS: tuple[tuple[EntityType, str], ...] = (
    ("PRODUCT", "drug vaccine medicine pill satellite telescope rocket device robot car phone software"),
    ("MISC", "disease virus illness infection species fish bird animal comet asteroid"),
)
_KINDS: dict[str, EntityType] = NOUN_KINDS | {noun: kind for kind, nouns in _THINGS for noun in nouns.split()}


class PredicateSide(NamedTuple):
    """A predicate that a name stands on a side of."""

    predicate: str
    side: Side


class NameVotes(NamedTuple):
    """What a corpus says of one thing: its names, its mentions by type, its predicates, and the types of
    the nouns that it is said to be."""

    names: Sequence[str]
    mentions: Mapping[EntityType, int]
    predicates: frozenset[PredicateSide]
    defined: frozenset[EntityType] = frozenset()


def _kinds(text: str) -> Kinds:
    found: dict[str, EntityType] = {
        "person": "PERSON", "org": "ORG", "gpe": "GPE", "loc": "LOC", "fac": "FAC", "event": "EVENT",
        "work": "WORK", "product": "PRODUCT", "law": "LAW", "misc": "MISC",
    }  # fmt: skip
    return frozenset(found[word] for word in text.split())


_KIN = "brother|sister|son|daughter|wife|husband|widow|father|mother"
_BE = r"(?:is|are|was|were|been|be|being) (?:\w+ly )?"
_HAVE = r"(?:(?:has|have|had) )?"


def _done(verbs: str, kinds: str) -> Iterator[tuple[Side, str, str]]:
    """What is done to a thing: the object of the active verb, the subject of the passive one."""
    yield "object", rf"{_HAVE}(?:{verbs})", kinds
    yield "subject", rf".*\b{_BE}(?:{verbs})\b.*", kinds


_USUAL: tuple[tuple[Side, re.Pattern[str], Kinds], ...] = tuple(
    (side, re.compile(pattern), _kinds(kinds))
    for side, pattern, kinds in (
        *_done(r"recalled(?! to\b)|injected|prescribed|manufactured|delivers|delivered|patented", "product"),
        *_done(r"approved", "product law work event"),
        *_done(r"developed|develops|tested at|tested in", "product work"),
        *_done(r"built|builds", "product fac"),
        *_done(r"launched (?:from|on|into)", "product"),
        *_done(r"discovered", "misc loc product"),
        *_done(r"founded|established", "org fac gpe event work"),
        *_done(r"elected|married|arrested|sentenced|convicted|buried|jailed|hired", "person"),
        ("subject", rf".*\b{_BE}born\b.*", "person"),
        ("subject", rf"{_HAVE}(?:died|resigned|retired|graduated|studied|married)\b.*", "person"),
        ("subject", r"(?:directs|directed|teaches|taught|sits|sat on board)\b.*", "person"),
        ("subject", r".*\bcitizen of", "person"),
        ("subject", rf".*\b(?:{_KIN}) of", "person"),
        ("object", rf".*\b(?:{_KIN}) of", "person"),
        ("object", rf"{_BE}married to", "person"),
        ("object", r"(?:trains|trained)", "person org"),
        ("object", r"(?:plays|played|signed|coaches|coached) for|chairs|chaired|coaches|coached", "org gpe"),
        ("subject", r"(?:plays|played) home games .*", "org"),
        ("object", r".*\b(?:born|lives|lived|located|based|headquartered) in|.*\b(?:mayor|capital) of",
         "gpe loc fac"),
        ("object", r"operates|operated", "org product fac"),
        ("object", r".*\b(?:launch|doses) of", "product"),
        ("object", rf"{_BE}derived from", "product misc"),
        ("object", r".*\bvenom of", "misc"),
        ("object", r".*\b(?:died|recovered|deaths) from|.*\b(?:died|cases|spread) of", "misc"),
        ("object", r".*\b(?:positive for|contracted|(?:infected|diagnosed) with)", "misc"),
    )
)  # fmt: skip


def defined_kind(phrase: str) -> EntityType | None:
    """What a thing is that a noun phrase tells of: a product for "heart drug of the firm"."""
    words = re.split(r"\b(?:of|for|in|from|at|on|who|that|which)\b", phrase)[0].split()
    return _KINDS.get(words[-1]) if words else None


def vote_types(votes: Iterable[NameVotes]) -> dict[str, EntityType]:
    """The type of every name; where nothing speaks against it, that of most of its mentions."""
    told = list(votes)
    learnt = _learnt(told)
    return {name: _voted(one, learnt) for one in told for name in one.names}


def is_usual(said: PredicateSide) -> bool:
    """Whether it is known what the predicate takes on this side, in any corpus."""
    return _pattern_of(said) is not None


def _voted(one: NameVotes, learnt: Mapping[PredicateSide, Kinds]) -> EntityType:
    total = sum(one.mentions.values())
    own = max(one.mentions, key=lambda kind: (one.mentions[kind], kind))
    if own == "NORP" and any(name.removesuffix("s") in countries() for name in one.names):
        return own  # of one Australian much is said that "the Australians" seem to have done
    score: defaultdict[EntityType, float] = defaultdict(float)
    for kind, count in one.mentions.items():
        score[kind] += MENTION_VOTES * count / total
    fitting = Counter(map(_pattern_of, one.predicates))
    for number, count in fitting.items():
        for kind in () if number is None else _USUAL[number][2]:
            score[kind] += min(count, MOST_OF_A_PATTERN)
    for said in one.predicates & learnt.keys():
        for kind in learnt[said] if _pattern_of(said) is None else ():
            score[kind] += 1
    for kind in one.defined:
        score[kind] += DEFINED_VOTES
    if any(_is_persons(name) for name in one.names):
        score["PERSON"] += 1
    best = max(score, key=lambda kind: (score[kind], kind != "MISC", one.mentions.get(kind, 0), kind))
    return best if score[best] >= score[own] + MARGIN else own


def _pattern_of(said: PredicateSide) -> int | None:
    """The number of the first pattern that the predicate fits on this side."""
    return next(
        (
            n
            for n, (side, pattern, _) in enumerate(_USUAL)
            if side == said.side and pattern.fullmatch(said.predicate)
        ),
        None,
    )


def _learnt(votes: Iterable[NameVotes]) -> dict[PredicateSide, Kinds]:
    """What predicates take in this corpus: the one type of nearly all its clear names on a side."""
    seen: defaultdict[PredicateSide, Counter[EntityType]] = defaultdict(Counter)
    for one in votes:
        kind = max(one.mentions, key=lambda kind: (one.mentions[kind], kind))
        total = sum(one.mentions.values())
        if kind != "MISC" and total >= CLEAR_MENTIONS and one.mentions[kind] >= CLEAR_FROM * total:
            for said in one.predicates:
                seen[said][kind] += 1
    return {
        said: frozenset({kind})
        for said, counted in seen.items()
        for kind, count in counted.most_common(1)
        if counted.total() >= FEWEST_SEEN and count >= (1 - MOST_OTHERS) * counted.total()
    }


def _is_persons(name: str) -> bool:
    """Whether a name begins with a given name: "Lukas Varnholt"."""
    words = name.split()
    return len(words) in {2, 3} and words[0] in genders() and words[0] not in GIVEN_NAMES_OF_PLACES
