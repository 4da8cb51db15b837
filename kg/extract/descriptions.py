"""Descriptions without a name as ends of facts: as whole as in the article, and only where they tell which.

Which earthquake "the earthquake" of a statement is, only its article tells. So it gets the words that the
article has for it elsewhere ("earthquake in the Bay of Tarn"), where exactly one longer end fits. What is
left without any ("woman", "crash site") is no end: who reads the fact alone could not tell which is meant.
"""

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import replace

from kg.extract.name_tables import countries
from kg.model import LITERAL_TYPES, NAMED_TYPES, EntityType, Triple
from kg.resolve.contextual import HOLDS_PREDICATE, IS_PREDICATES
from kg.resolve.normal_form import normal_form
from kg.text.head_noun import PREPOSITIONS

UNTOLD_SUBJECT = "its subject is a description that doesn't tell which is meant"
UNTOLD_OBJECT = "its object is a description that doesn't tell which is meant"
ONE_OF_SEVERAL = "one of several is no end: which of them is not told"

_POINTING_TEXT = "the this these those"
_POINTING = frozenset(_POINTING_TEXT.split())
_SINGLING_TEXT = "a an another one its his her their our your my"
_SINGLING = _POINTING | frozenset(_SINGLING_TEXT.split())
_JOINING = PREPOSITIONS | {"to", "per", "than"}
_NEVER_WHOLE: frozenset[EntityType] = LITERAL_TYPES | {"PERSON", "NORP"}
_ONE_OF = re.compile(r"(?:one|some|any|none|both|each|either|neither|several|most|many) of\b", re.IGNORECASE)
_COUNT_TEXT = """two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
seventeen eighteen nineteen twenty thirty forty fifty sixty seventy eighty ninety hundred thousand million
billion dozen"""
_COUNT_WORDS = "|".join(_COUNT_TEXT.split())
_COUNT = rf"(?:\d[\d,.]*\d|\d|{_COUNT_WORDS})(?:[ -](?:{_COUNT_WORDS}))*"
_COUNTED = re.compile(rf"(?<![\w.,$\u20ac\u00a3-])((?:several )?{_COUNT}) $", re.IGNORECASE)
_YEARS_OLD = re.compile(rf"\b{_COUNT}[ -](?:years?|months?|weeks?|days?)[ -]old\b|^{_COUNT}\b(?![ -]\d)")
_YEAR = re.compile(r"^(?:1[0-9]|20)\d\d\b")


def names_one(description: str) -> bool:
    """Whether a description holds a name, or a number that is one's ("flight 12"): no count and no age."""
    rest = description if _YEAR.match(description) else _YEARS_OLD.sub("", description).strip()
    first, *others = rest.split() or [""]
    told = (word.lstrip("(\"'") for word in others)
    return (
        first in countries()
        or _YEAR.match(first) is not None
        or any(word[:1].isupper() or word[:1].isdigit() for word in told)
        or _is_name(first)
    )


def _is_name(first: str) -> bool:
    """Whether the first word is one by more than a sentence's capital: "COVID-19", "Wexler's"."""
    owns = first[:1].isupper() and first.endswith(("'s", "\u2019s"))
    return owns or re.search(r"[A-Z0-9]", first[1:]) is not None


def as_written(name: str, claim: str) -> str:
    """A description as its claim has it: in its number ("barge", "barges"), with its count ("3 people")."""
    if next(_places(name, claim), None) is None:
        name = next((form for form in _in_other_number(name) if any(_places(form, claim))), name)
    return _counted(name, claim)


def _in_other_number(name: str) -> Iterator[str]:
    """The plurals and singulars that a name's last word may have."""
    yield from (f"{name}s", f"{name}es", f"{name.removesuffix('y')}ies")
    yield from (name.removesuffix("s"), name.removesuffix("es"), f"{name.removesuffix('ies')}y")


def _counted(name: str, claim: str) -> str:
    """With the number that stands before it in the claim, wherever it stands."""
    places = list(_places(name, claim))
    numbers = {found[1] for start, _ in places if (found := _COUNTED.search(claim[:start]))}
    if len(numbers) != 1 or any(_COUNTED.search(claim[:start]) is None for start, _ in places):
        return name
    return f"{numbers.pop()} {name}"


def whole_descriptions(ends: Iterable[tuple[str, EntityType]]) -> dict[str, EntityType]:
    """The ends of an article's facts that tell which thing is meant, by what it is and a name: with types."""
    return {
        name: kind
        for name, kind in ends
        if kind not in _NEVER_WHOLE and " " in name and not _ONE_OF.match(name)
        if names_one(name) or (kind in NAMED_TYPES and name[0].isupper())
    }


def completed(triple: Triple, claim: str, known: Mapping[str, EntityType]) -> Triple:
    """A triple with the one longer end of its article for "the earthquake", where its claim points to that.

    No end gets the other end's name into it: "fire at Tarn Hall", "broke out at", "Tarn Hall" tells nothing.
    """
    subject = _whole(triple.subject, triple.subject_type, claim, known)
    target = _whole(triple.object, triple.object_type, claim, known)
    if subject and not _holds(subject, triple.object):
        triple = replace(triple, subject=subject, subject_type=known[subject])
    if target and not _holds(target, triple.subject):
        triple = replace(triple, object=target, object_type=known[target])
    return triple


def _whole(name: str, kind: EntityType, claim: str, known: Mapping[str, EntityType]) -> str:
    """The longer end for a description that the claim points at, "" where there is none or several."""
    places = list(_places(name, claim))
    if kind != "CONCEPT" or not places or not _is_bare(name, claim):
        return ""
    fitting = [whole for whole in known if _continues(whole, name)]
    here = [whole for whole in fitting if all(claim.startswith(whole, start) for start, _ in places)]
    if here:
        return max(here, key=len)
    pointed = all(_before(claim, start) in _POINTING for start, _ in places)
    goes_on = any(_after(claim, end) in PREPOSITIONS for _, end in places)
    return fitting[0] if len(fitting) == 1 and pointed and not goes_on else ""


def _continues(whole: str, name: str) -> bool:
    """Whether an end is this description and more: "fire at Tarn Hall" of "fire", "Tarn vote" of "vote".

    Not so "West Bank" of "bank": a capital makes another name of the word.
    """
    if whole.startswith(f"{name} "):
        return whole[len(name) :].split(maxsplit=1)[0] in _JOINING
    before = whole.removesuffix(f" {name}").split()
    return whole.endswith(f" {name}") and not _JOINING & {*before}


def _holds(whole: str, name: str) -> bool:
    return f" {normal_form(name)} " in f" {normal_form(whole)} "


def untold(triple: Triple, claim: str) -> str:
    """Why nobody could tell which things a fact is about who reads it alone; "" where that can be told.

    As a subject, what is one thing or person and has no name is refused ("a woman", "the earthquake"), as an
    object what the claim points at ("the crash site"): "Oda Wexler built a wall" says something all the same.
    """
    says_what_it_is = triple.predicate.casefold() in IS_PREDICATES or HOLDS_PREDICATE.search(triple.predicate)
    if any(map(_ONE_OF.match, (triple.subject, "" if says_what_it_is else triple.object))):
        return ONE_OF_SEVERAL
    if triple.subject_type == "CONCEPT" and _is_untold(triple.subject, claim, _SINGLING):
        return UNTOLD_SUBJECT
    if triple.object_type == "CONCEPT" and not says_what_it_is:
        return UNTOLD_OBJECT if _is_untold(triple.object, claim, _POINTING) else ""
    return ""


def _is_untold(name: str, claim: str, openings: frozenset[str]) -> bool:
    """Whether a description tells no more than its kind, and one of these words stands before it."""
    if not _is_bare(name, claim):
        return False
    words = name.split()
    refers = bool(_POINTING & {*words})
    if _JOINING & {*words} and not refers:
        return False
    before = [_before(claim, start) for start, _ in _places(name, claim)]
    return bool(before) and all(word in openings or _is_owner(word, openings) for word in before)


def _is_owner(word: str, openings: frozenset[str]) -> bool:
    return openings is _SINGLING and word.endswith(("'s", "s'", "\u2019s", "s\u2019"))


def _is_bare(name: str, claim: str) -> bool:
    """Whether a description has no name in it, and no capital but that of a statement's first word."""
    return not names_one(name) and (name.islower() or (name[1:].islower() and claim.startswith(name)))


def _places(name: str, claim: str) -> Iterator[tuple[int, int]]:
    return (found.span() for found in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", claim))


def _before(claim: str, start: int) -> str:
    """The word before a place, in small letters."""
    words = claim[:start].split()
    return words[-1].casefold().lstrip("\"'(\u201c\u2018[") if words else ""


def _after(claim: str, end: int) -> str:
    words = claim[end:].split()
    return words[0].casefold() if words and claim[end : end + 1].isspace() else ""
