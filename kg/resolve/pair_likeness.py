"""What names and types say about whether two entities may be one thing, before anybody is asked.

A name may be short for another, a description may say what a named thing is, and two countries, two places or
two full names of people tell two things apart.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import replace
from functools import cache
from itertools import product

from kg.model import NAMED_TYPES, REGION_TYPES
from kg.resolve.cluster_context import EntityCard
from kg.resolve.name_pool import compatible, conflict, marks
from kg.resolve.normal_form import (
    COMMON_WORDS,
    DETERMINERS,
    FUNCTION_WORDS,
    HONOURS,
    KNOWN_ABBREVIATIONS,
    OFFICE_WORDS,
    PERSON_ENDINGS,
    POSTS,
    TITLES,
    is_acronym,
    normal_form,
)
from kg.text.lexicon import (
    GENERIC_OFFICES,
    HONORIFICS,
    KIN_NOUNS,
    NOUN_KINDS,
    RANKS,
    RELATIONAL_NOUNS,
    ROLE_WORDS,
    countries,
    genders,
    places,
    sovereign,
)
from kg.text.words import PREPOSITIONS, head_end, head_noun

TELLING_WORDS = 3
"""So many words that claims share count like a neighbour that facts share."""
MOST_OF_A_NAME = 0.6
"""The share of the shorter name's words that two names need in common."""

SHORTEST_WORD = 4

_BESIDE_OFFICES = """acting defence defense education father finance foreign former health her his interior
mother old prime royal saint science sister brother st vice"""
_OFFICES = TITLES - frozenset(_BESIDE_OFFICES.split())
_NO_HOLDERS = """branch capital co committee current deal division first foreign health instalment installment
leading new old part party presidential press prime public record second sequel state study subsidiary team
unit vice young"""
_ROLES = POSTS.union(
    *(ROLE_WORDS, OFFICE_WORDS, RELATIONAL_NOUNS, RANKS, GENERIC_OFFICES, _OFFICES, HONOURS),
    (word.casefold() for word in HONORIFICS),
    (noun for noun, kind in NOUN_KINDS.items() if kind == "PERSON"),
) - frozenset(_NO_HOLDERS.split())
_SURNAMES_TOO = frozenset({"boxer", "monk", "mp", "painter", "player", "priest", "singer"})
"""Roles that end a person's name as well: "Ana Singer"; and what stands behind one."""
_BEHIND_A_ROLE = frozenset({"designate", "elect", "emeritus", "pro", "tem", "tempore"})
_OF_NOBODY = """another other some any several many few every each no over about more most two three four five
six seven eight nine ten dozen hundreds thousands"""
_INDEFINITE = frozenset(_OF_NOBODY.split())
"""Words that begin a description of nobody in particular."""
_CODE_BEHIND = re.compile(r"\S \(([A-Z][\w.-]*\d[\w.-]*)\)$")
"""A letter and figures; words and acronyms there may be a party, a place or a kind of thing: "Vell (EP)"."""


def may_be_one(one: EntityCard, other: EntityCard) -> bool:
    """Whether types, numbers and opposites ("north", "south") let two entities be one thing.

    Two full names of people that share no word are two people, bodies of two countries are two, and an event
    is not the thing that it is named after.
    """
    if "ORG" in {one.type, other.type}:
        here, there = _countries_in(one.name), _countries_in(other.name)
        if here and there and not here & there:
            return False
    if one.type == other.type == "PERSON" and not (is_description(one) or is_description(other)):
        words, others = (set(normal_form(card.name).split()) for card in (one, other))
        if len(words) > 1 and len(others) > 1 and not words & others:
            return False
    if _is_event_of(one, other) or _is_event_of(other, one):
        return False
    return compatible(one.type, other.type) and not conflict(marks(one.name), marks(other.name))


def _countries_in(name: str) -> set[str]:
    """The countries that a name or a description has as a country's name or adjective."""
    known = countries()
    words = name.replace("'s", "").replace("\u2019s", "").split()
    found = {known[word] for word in words if word in known}
    return found | {word for word in words if word in sovereign()}


def is_description(card: EntityCard) -> bool:
    """Whether a thing is called by what it is and not by a name: "harbour wall", and of whatever type "Vice
    President of Averell" and "2031 Cup MVP": an office or an award has another holder in another text."""
    return card.type not in NAMED_TYPES or _head(card.name).removesuffix("-elect") in _OFFICES | HONOURS


def is_role(card: EntityCard) -> bool:
    """Whether a name typed PERSON or MISC says what somebody is: "CEO of Brandt Towing", "Chief of Staff".

    The head tells it, and so "CEO Ana Brel" is a name. Unlike `is_description`, which is for what may be
    asked about, it looks at every word for people, and counts small letters as a description of a person.
    """
    if card.type not in {"PERSON", "MISC"}:
        return False
    written = card.name.partition(",")[0].split()
    phrase = written[: head_end([word.casefold() for word in written])]
    words = normal_form(" ".join(phrase)).replace("-", " ").split()
    while len(words) > 1 and words[-1] in _BEHIND_A_ROLE:
        words.pop()
    head = head_noun(words)
    named = len(phrase) == len(written) and any(word.title() in genders() for word in words[:-1])
    if head in _SURNAMES_TOO and named:
        return False
    small = card.type == "PERSON" and "".join(phrase[-1:]).islower()
    return small or not _ROLES.isdisjoint({head, head.removesuffix("s")})


def is_common(card: EntityCard) -> bool:
    """Whether a name is one that many states or towns have: "senate", "House of Representatives"."""
    return COMMON_WORDS.issuperset(normal_form(card.name).split())


def is_plausible(one: EntityCard, other: EntityCard, signs: Mapping[str, int]) -> bool:
    """Whether what two entities share lets a reader think of one thing at all.

    Two descriptions do where paths may go through both and one is short for the other ("elevated ketamine
    levels", "elevated ketamine levels in his blood"); elsewhere their edges are in no path, so an answer
    would change nothing.
    """
    described = [card for card in (one, other) if is_description(card)]
    if len(described) == 2:
        alike = signs["stated"] or (signs["name"] > 1 and _one_in_other(one, other))
        return bool(one.in_paths and other.in_paths and alike)
    if described:
        (name,) = {one, other} - {*described}
        # "The senate" of an article is one of its own country.
        elsewhere = bool(one.articles and other.articles) and not one.articles & other.articles
        return not (elsewhere and is_common(described[0])) and _may_describe(described[0], name, signs)
    if signs["stated"] or signs["initials"] or (signs["name"] and _one_in_other(one, other)):
        return True
    if {one.type, other.type} & {"PERSON", *REGION_TYPES}:
        return False
    alike = signs["neighbour"] + signs["claim"] // TELLING_WORDS
    if one.type == other.type == "EVENT":
        return (alike > 0 or signs["name"] > 0) and (signs["neighbour"] > 1 or not _are_distinct(one, other))
    # A disease and a newspaper share neighbours, and nobody takes one for the other.
    of_a_kind = one.type == other.type or signs["name"] > 0
    return of_a_kind and (alike > 1 or (alike > 0 and bool(signs["relation"] or signs["name"])))


def _is_event_of(event: EntityCard, name: EntityCard) -> bool:
    """Whether an event has its name of something else: "marsh fever outbreak" is no "marsh fever"."""
    inside = f" {normal_form(name.name)} " in f" {normal_form(event.name)} "
    return event.type == "EVENT" and name.type == "MISC" and inside and _head(event.name) != _head(name.name)


def _are_distinct(one: EntityCard, other: EntityCard) -> bool:
    """Whether two events have names of two places in them, or else two other names: a party, a club.

    A place and a party ("Averell vote", "River vote") may be one event's.
    """
    known = _words_of_places()
    mine, theirs = (
        {
            word.casefold()
            for word in card.name.replace("'s", "").replace("\u2019s", "").split()
            if word[:1].isupper()
        }
        for card in (one, other)
    )
    kinds = ((mine & known, theirs & known), (mine - known, theirs - known))
    return any(here - there and there - here for here, there in kinds)


@cache
def _words_of_places() -> frozenset[str]:
    return frozenset(word.casefold() for name in places() if name.count(" ") < 2 for word in name.split())


def _may_describe(description: EntityCard, name: EntityCard, signs: Mapping[str, int]) -> bool:
    """Whether a description may be one of this name: it says what such a thing is, and more speaks for it."""
    head = _head(description.name).removesuffix("-elect")
    says_nothing = normal_form(description.name).split()[0] in _INDEFINITE
    if says_nothing or (head in KIN_NOUNS and _is_nobodys(description.name) and not signs["stated"]):
        return False
    is_person = head in OFFICE_WORDS | _OFFICES or NOUN_KINDS.get(head) == "PERSON"
    if name.type == "PERSON" or is_person:
        one_person = (is_person or head.endswith(PERSON_ENDINGS)) and (
            head.endswith("ss") or not head.endswith("s")
        )
        return name.type == "PERSON" and one_person and bool(signs["stated"] or signs["neighbour"])
    if signs["stated"] or (signs["name"] and _one_in_other(description, name)):
        return True
    kind = NOUN_KINDS.get(head)
    if kind is not None:
        return compatible(kind, name.type) and signs["neighbour"] > 0
    if name.type in REGION_TYPES:
        return False  # of a place nothing but a word for places is said
    return signs["neighbour"] > 1 or bool(signs["relation"])


def _is_nobodys(description: str) -> bool:
    """Whether a word for a relative or a friend doesn't say whose: "a brother" may be one in spirit."""
    words = description.split()
    return not any(word == "of" or word.endswith(("'s", "s'", "\u2019s", "s\u2019")) for word in words)


def _one_in_other(one: EntityCard, other: EntityCard) -> bool:
    """Whether a name may be short for another: its words are there, and the same word says what it is.

    "Averell" is not short for "mayor of Averell", nor is "Averell Museum" for "Averell Museum Trust". A code
    in brackets is a name of its own: "bird flu (H5N1)" may be the "H5N1 virus".
    """
    return any(_short_for(*both) for both in product(_cards_of_names(one), _cards_of_names(other)))


def _cards_of_names(card: EntityCard) -> Iterator[EntityCard]:
    """An entity under its name, and under a code that stands behind it in brackets."""
    yield card
    if found := _CODE_BEHIND.search(card.name):
        yield replace(card, name=found[1])


def _short_for(one: EntityCard, other: EntityCard) -> bool:
    short, long = sorted((one, other), key=lambda card: (len(name_words(card.name)), card.id))
    words, others = name_words(short.name), name_words(long.name)
    shared = words & others
    if not words or len(shared) < MOST_OF_A_NAME * len(words):
        return False
    if one.type == other.type == "PERSON":
        return shared == words
    return _head(short.name) == _head(long.name) or (
        len(words) == 1 and shared == words and _opens(short, long)
    )


def _opens(short: EntityCard, long: EntityCard) -> bool:
    """Whether a name of one word begins a longer one of its type, as a firm's does."""
    return short.type == long.type and normal_form(long.name).startswith(f"{normal_form(short.name)} ")


def _head(name: str) -> str:
    """The word that says what a thing is: "mayor" of "mayor of Averell"."""
    return head_noun(normal_form(name).split())


def name_words(name: str) -> set[str]:
    """The words of a name that tell something, with known abbreviations spelt out."""
    spelt_out = " ".join(
        KNOWN_ABBREVIATIONS.get(word.replace(".", "").upper(), word) if is_acronym(word) else word
        for word in name.split()
    )
    return telling_words(spelt_out, shortest=2)


def telling_words(text: str, shortest: int = SHORTEST_WORD) -> set[str]:
    """The words of a text of at least so many letters, without those of grammar."""
    ignored = FUNCTION_WORDS | PREPOSITIONS | DETERMINERS
    return {word for word in normal_form(text).split() if len(word) >= shortest and word not in ignored}
