"""Does a statement bear a fact out, read as a string? A second look that needs no parser.

The parser that found a fact may have taken a place for a person, an apposition for a deed, or a part of a
name for the name. What follows from that stands in the sentence for everybody to see: a film's verb said of
its author, a verb whose object is missing, a day that lost its number, a name that goes on. Rules ask about
no fact that shows such a mark; that some right facts show one too costs questions, not truth.
"""

import re
from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from kg.model import PLACE_TYPES, REGION_TYPES, EntityType
from kg.text.lexicon import (
    DOUBT_ADVERBS,
    HEARSAY_ADVERBS,
    HONORIFICS,
    NAME_PARTICLES,
    PROFESSIONS,
    SHE,
    countries,
    genders,
    places,
    sovereign,
    states,
)
from kg.text.words import whole_places
from services.questions.draft import Fact
from services.questions.fitting import misfits
from services.questions.roles import doubts_about_role, is_party, leaves_out_a_rank, said_of_a_kind
from services.questions.wording.head_nouns import NAME_HEADS
from services.questions.wording.nouns import sorts_of
from services.questions.wording.predicates import PREPOSITIONS, TAKES_A_NOUN, Predicate, parse
from services.questions.wording.verbs import base, is_finite


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


class TypedFact(NamedTuple):
    """A fact with the types of its ends, and the statement that bears it out or may be read otherwise."""

    subject: str
    predicate: Predicate
    object: str
    subject_type: EntityType
    object_type: EntityType
    statement: str


_TAKES_AN_OBJECT = _words(
    """bring build buy create direct do find found get give have hold include introduce involve lose make own
    produce publish put receive record release sell send stage take use win write"""
)
"""Verbs whose object is missing where a preposition follows at once: "won at", "staged in"."""
_MOVING = _words("appear arrive attend come go leave move return travel")
_TELLING = _words("tell ask inform remind say follow")
_HANDING = _words("pass give hand bring send lend sell transfer")
_NOT_TELLING = _words(
    "view views comment comments most lot lots way part time thing things point role overturn something"
)
_ABOUT_FIGURES = frozenset({"portray", "depict"})
_NAMING = frozenset({"become", "name", "appoint", "elect"})
_DONE_TO_PLACES = _words(
    """annex border capture conquer contain destroy establish flood found hit incorporate invade lie locate
    name occupy rename settle situate strike twin"""
)
_TITLE = (
    r"(?:king|queen|prince|princess|duke|duchess|earl|count|countess|emperor|empress|baron|baroness|bishop|"
    r"archbishop|president|governor|mayor|minister|lord|lady|marquess|margrave|sultan|pope|saint|sir|dame|"
    r"secretary|chancellor|sheriff)"
)
_ONLY_TITLE = re.compile(rf"(?:[A-Z]\w+ )?{_TITLE}(?: of .*)?|{_TITLE}s .*", re.IGNORECASE)
_LAWMAKER = re.compile(
    r"\b(?:Senators?|Sen\.|Rep\.|Representatives?|Congress(?:wo)?man|Professor|candidate)\b"
)
_BAD_NAME = re.compile(r"\w- \w|\w -\w|\w\" \w|^\W|\(|[,;]$|^(?:Jr|Sr)\.?$|^.?$")
_DEGREE = re.compile(r"(?:Ph\.?D|D\.?Phil|M\.?B\.?A|[BM]\.?Sc|[BM]\.?A|J\.?D|M\.?D)\.?")
_NICKNAME = re.compile(r" \"[^\"]+\" ")
_HEDGED = re.compile(rf"\b(?:{'|'.join(sorted(DOUBT_ADVERBS | HEARSAY_ADVERBS))})\b", re.IGNORECASE)
_HEADS_OF_LONGER = _words(
    "District Department Kingdom Republic Province University Bishopric Duchy County Court Board Church"
)
_PRONOUN = re.compile(r"\b(?:he|she|his|her)\b", re.IGNORECASE)
_IT = re.compile(r"\b[a-z]\w+ it\b")
_INSTITUTION = (
    r"(?: \([A-Z.]+\))? (?:General|National|State|City|County|House|Senate|Department|University|Council|"
    r"Assembly|Court|Commission|Committee|Party|Congress|Convention|Conference|Cup|Award|Championship)s?\b"
)
_SHARED_HEAD = (
    r" and (?:[A-Z]\w+ )+"
    r"(?:Studios|Universities|Counties|Rivers|Islands|Streets|Houses|Schools|Colleges|Awards)\b"
)
_POSSESSIVE = r"(?: of (?:the )?(?:[A-Z][\w.-]* ){0,3}[A-Z][\w.-]*)?['\u2019](?:s\b)? ?\w"
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_MONTH_YEAR = re.compile(rf"(?:{_MONTHS}) \d{{4}}|\d{{4}}-\d\d")
_FULL_DAY = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS})\b|\b(?:{_MONTHS}) \d{{1,2}}\b(?!\d)"
)
_RELEASED = _words(
    """film films movie movies album albums song songs single singles game games ep record records series
    documentary"""
)
_OF_A_DAY = frozenset({"in", "on", "after", "before", "during", "at", "since", "until", ""})
_BEFORE_A_PLACE = re.compile(
    r"(?:\b(?:in|at|on|of|near|from|to|into|around|outside|through|via|for|between|and|or|city|town|village|"
    r"hamlet|suburb|state|county|province|district|region|island|capital|neighbou?rhood)(?: the)?"
    r"(?: (?:north|south|east|west|central|upper|lower)\w*)? |[,(\u2013] ?|^(?:The )?)$",
    re.IGNORECASE,
)
_SHORTEST_ADJECTIVE = 4
"""Characters up to which a word for a country is its name: "UK", "U.S."."""
_BODIES = frozenset({"ORG", "FAC", "EVENT", "LAW"})
_MORE_BEFORE = re.compile(r"\w[^.?!:]* [A-Z][a-z]+ $")
_AND_BEFORE = re.compile(r"[A-Z][a-z]+ (?:and|&)[ -]$")
_SHARING = _words(
    """Administration Agency Association Board College Commission Committee Council Department Institute
    Ministry Museum Office School Society Studios"""
)
_WHOSE = frozenset({"ORG", "MISC", "NORP"})
_SOMEBODY = re.compile(r" ([a-z]+) [A-Z]")
_OF_INSTITUTIONS = _words(
    """Appeal Appeals Assembly Board Circuit City Commission Committee Council County Court Crown Department
    District Federal High House Magistrates Ministry National Office Police Regional School Senate State
    Superior Supreme University of the"""
)
"""Words that each country and town has a body of: a name of these alone is that of many."""
_HONORIFIC = re.compile(r"^(?:Sir|Dame|Lord|Lady|Dr|Mr|Mrs|Ms|Miss|Professor)\.? ")
_MADE = frozenset({"work", "product", "organisation", "event"})


def unsound_fact(fact: Fact, subject_type: EntityType, object_type: EntityType) -> str:
    """Why the statement of a fact does not bear it out for sure, empty where nothing speaks against it."""
    statement = fact.statement or fact.sentence
    if object_type != "PERSON" and not _is_named(fact.object, fact.sentence) and _IT.search(fact.sentence):
        return f'"it" may be another than {fact.object}'
    surname = fact.subject.rsplit(maxsplit=1)[-1]
    if subject_type == "PERSON" and surname not in fact.sentence and _is_other_gender(fact):
        return f"its sentence tells of another than {fact.subject}"
    return _unsound(fact.subject, fact.predicate, fact.object, subject_type, object_type, statement)


def _is_named(name: str, sentence: str) -> bool:
    """Whether a sentence has a name, of a country also by a word for it: "US" or "American"."""
    if name in sentence:
        return True
    known = (word for word, country in countries().items() if country == name)
    return any(next(whole_places(word, sentence), None) is not None for word in known)


def _is_other_gender(fact: Fact) -> bool:
    """Whether "she" was taken for somebody with a man's given name, or "he" for one with a woman's."""
    gender = genders().get(fact.subject.split(maxsplit=1)[0])
    said = {"f" if one.lower() in SHE else "m" for one in _PRONOUN.findall(fact.sentence)}
    return gender is not None and bool(said) and gender not in said


@lru_cache(maxsize=65_536)
def _unsound(
    subject: str,
    predicate: str,
    object_: str,
    subject_type: EntityType,
    object_type: EntityType,
    statement: str,
) -> str:
    return next(
        _doubts(TypedFact(subject, parse(predicate), object_, subject_type, object_type, statement)), ""
    )


def _doubts(said: TypedFact) -> Iterator[str]:
    if _HEDGED.search(_between(said)):
        yield "its sentence does not state all that it says outright"
    yield from doubts_about_name(said.subject, said.subject_type, said.statement)
    holder = said.subject if said.predicate.is_role else ""
    yield from doubts_about_name(said.object, said.object_type, said.statement, holder)
    if said.predicate.key != "be located in":
        yield from _of_many(said)
    if misfits(said.predicate, said.subject_type, said.object_type, said.object):
        yield f'"{said.predicate.text}" does not go with {said.subject} and {said.object}'
    if said.predicate.voice != "copula":
        yield from _of_verb(said)
    elif said.predicate.complement:
        yield from doubts_about_role(
            said.predicate, (said.subject, said.object), said.subject_type, said.statement
        )
    else:
        yield from _of_bare_copula(said)
    if said.predicate.preposition == "of" and said.object_type in PLACE_TYPES and _is_of_a_part(said):
        yield f'"{said.predicate.text}" is said of a place within {said.object}'
    if said.object_type == "DATE":
        yield from _of_date(said)
    if said.predicate.key == "be located in" and not _may_lie(said):
        yield f"{said.subject} may be no place"
    if said.predicate.key == "be located in" and _is_only_beside(said):
        yield f"{said.object} begins a new part of its sentence"


def _of_many(said: TypedFact) -> Iterator[str]:
    """The names of what each town or country has ("District Court"), but where the fact says where it is."""
    for name, kind in ((said.subject, said.subject_type), (said.object, said.object_type)):
        if kind in _BODIES and all(word in _OF_INSTITUTIONS for word in name.split()):
            yield f'"{name}" is the name of many'


def _is_of_a_part(said: TypedFact) -> bool:
    """Whether the sentence has it of a smaller place alone: "the county seat of Ely County, Kansas"."""
    behind, name = r"(?<!\w)of (?:the )?", re.escape(said.object)
    within = rf"{behind}[A-Z][\w.'\u2019-]*(?: [A-Z][\w.'\u2019-]*)*, (?:[A-Z][^,;.]*, )?{name}(?!\w)"
    return (
        re.search(within, said.statement) is not None
        and re.search(rf"{behind}{name}(?!\w)", said.statement) is None
    )


_BEFORE = 30
"""Characters before a fact's words in which "possibly" is said of it."""


def _between(said: TypedFact) -> str:
    """The part of a statement that has both ends, and a little before it; all of it where one is missing."""
    found = [
        (said.statement.find(name), said.statement.find(name) + len(name))
        for name in (said.subject, said.object)
    ]
    if any(start < 0 for start, _ in found):
        return said.statement
    return said.statement[max(0, min(found)[0] - _BEFORE) : max(end for _, end in found)]


def doubts_about_name(name: str, kind: EntityType, statement: str, holder: str = "") -> Iterator[str]:
    """Why what a statement has is no name, or not the whole of one; `holder` has an office of it."""
    if kind in {"DATE", "NUMBER"}:
        return
    if _BAD_NAME.search(_NICKNAME.sub(" ", name)) or name.count('"') % 2:
        yield f'"{name}" is no clean name'
    if kind in {"ORG", "GPE", "LOC"} and re.search(r" in [A-Z]", name):
        yield f'"{name}" is a name with a place behind it'
    if kind == "ORG" and re.match(r"Best [A-Z]", name):
        yield f'"{name}" is an award and no organisation'
    if kind == "ORG" and re.search(r", (?!Inc|Ltd|LLC|Co)", name):
        yield f'"{name}" is a list, or a name with a title'
    last = name.rsplit(maxsplit=1)[-1]
    lower = (kind == "PERSON" and name[:1].islower()) or (kind in {"PERSON", "LOC"} and last.islower())
    if lower or _DEGREE.fullmatch(name) or (kind != "WORK" and _ONLY_TITLE.fullmatch(name)):
        yield f'"{name}" is a title and no name'
    if kind == "PERSON" and "organisation" in sorts_of(NAME_HEADS.get(last.lower(), "")):
        yield f'"{name}" is no name of a person'
    people = {name, name.removesuffix("s")} & (set(countries()) - sovereign())
    if kind in REGION_TYPES and len(name) > _SHORTEST_ADJECTIVE and people:
        yield f'"{name}" is no name of a place'
    if _goes_on(name, kind, statement, holder) or (kind in _BODIES and _begins_before(name, statement)):
        yield f'"{name}" is only a part of a name'


def _goes_on(name: str, kind: EntityType, statement: str, holder: str) -> bool:
    """Whether a name's sentence always goes on with it: "Movement towards Peace", "Ely and York Studios"."""
    rest = [statement[end:] for _, end in whole_places(name, statement)]
    further = r"-\s?[A-Z]|/ ?[A-Z]"
    if kind not in PLACE_TYPES | {"PERSON"}:
        further = r"-\s?[A-Za-z]|/ ?\w| (?:of|towards?|for|against) (?:the )?[A-Z]"
    elif name.rsplit(maxsplit=1)[-1] in _HEADS_OF_LONGER:
        further = rf"{further}| of (?:the )?[A-Z]"
    further += rf"|{_INSTITUTION}" if kind != "PERSON" else r"|-\w"
    return bool(rest) and all(
        re.match(rf"(?:{further}|{_SHARED_HEAD})", one)
        or (kind in _WHOSE and _is_before_somebody(one, holder))
        for one in rest
    )


def _begins_before(name: str, statement: str) -> bool:
    """Whether a name's sentence always has more of it before: "House Oversight and Reform Committee"."""
    starts = [statement[:start] for start, _ in whole_places(name, statement)]
    shares = name.rsplit(maxsplit=1)[-1] in _SHARING
    return bool(starts) and all(
        _MORE_BEFORE.search(one) or (shares and _AND_BEFORE.search(one)) for one in starts
    )


def _is_before_somebody(rest: str, holder: str) -> bool:
    """Whether a name only tells whose man somebody is: "Velvet Revolver drummer Matt Sorum joined".

    Of that drummer it is the band all the same.
    """
    found = _SOMEBODY.match(rest)
    if found is None:
        return False
    behind = _HONORIFIC.sub("", rest[found.end() - 1 :])
    if holder and behind.startswith(tuple(holder.split())):
        return False
    return found[1] in PROFESSIONS or "person" in sorts_of(found[1])


def _of_bare_copula(said: TypedFact) -> Iterator[str]:
    """ "Is from" is said of people, works and firms; of "is", "is in" and "is by" nothing can be asked."""
    told = f'"{said.predicate.text}"'
    if said.predicate.preposition != "from":
        yield f"{told} says too little"
    if said.object_type not in REGION_TYPES or said.subject_type not in {"PERSON", "ORG", "WORK", "EVENT"}:
        yield f"{told} does not go with {said.subject} and {said.object}"
    if said.subject_type == "PERSON":
        last = said.subject.rsplit(maxsplit=1)[-1]
        apart = re.search(rf"(?<!\w){re.escape(last)}(?!\w)(.*?){re.escape(said.object)}", said.statement)
        if apart is not None and re.search(r"\b[A-Z]", apart[1]):
            yield f"{told} may be said of others than {said.subject}"
        title = re.search(rf"{re.escape(last)} of (?:the )?{re.escape(said.object)}", said.statement)
        if title is not None and not _LAWMAKER.search(said.statement):
            yield f'"{said.subject} of {said.object}" may be a title'
    elif not _begins_a_word(said.object, said.statement) and not said_of_a_kind(
        said.object, said.statement, _MADE
    ):
        yield f"{told} is not what its sentence says"


def _begins_a_word(name: str, statement: str) -> bool:
    return re.search(rf"(?:^| ){re.escape(name)}", statement) is not None


def _of_verb(said: TypedFact) -> Iterator[str]:
    """Why a verb is not whole, or says of its subject what was said of something else."""
    found = said.predicate
    told, words = f'"{found.text}"', found.complement.split()
    plain = found.voice == "active" and not words and found.preposition not in {"", "by"}
    if plain and found.lemma in _TAKES_AN_OBJECT:
        yield f"{told} has lost its object"
    if found.lemma in {"become", "remain", "style", "call", "know"} and not found.preposition:
        yield f"{told} tells a rank and no relation"
    if found.lemma in _TELLING and not words:
        yield f"{told} does not tell what"
    if found.lemma in {"succeed", "replace"} and re.search(
        rf"(?:{re.escape(said.object)}|him|her|it) as ", said.statement
    ):
        yield f"{told} does not tell as what"
    if found.lemma == "belong" and "belong" not in said.statement:
        yield f"{told} is not what its sentence says"
    if found.lemma in _ABOUT_FIGURES:
        yield f"{told} tells of a figure, who may be no person"
    if found.text in {"born", "died"} or found.text.endswith(("born with", "known by")):
        yield f"{told} is no whole verb"
    if found.preposition and words and (words[-1] in _NOT_TELLING or found.lemma in _HANDING):
        yield f"{told} does not tell what"
    if words and base(found.verb) in _NAMING and leaves_out_a_rank(found.complement, said.statement):
        yield f"{told} is less than its sentence says"
    if (
        base(found.verb) in {"elect", "appoint"}
        and found.text.startswith("is ")
        and found.text not in said.statement
    ):
        yield f"{told} is not what its sentence says"
    if any(word in PREPOSITIONS for word in words[1:-1]) or _has_a_noun_too_many(found):
        yield f"{told} tells two things"
    if (
        found.preposition
        and said.object_type in {"PERSON", "ORG"}
        and _owns(said.object, found, said.statement)
    ):
        yield f"{told} is said of what is {said.object}'s"
    yield from _of_subject(said)


def _owns(name: str, found: Predicate, statement: str) -> bool:
    """Whether something is only said of what is somebody's: "on Tarn's label"."""
    whose = rf"(?<!\w){re.escape(found.preposition)} (?:the )?{re.escape(name)}{_POSSESSIVE}"
    said = re.findall(rf"(?<!\w){re.escape(found.preposition)} (?:the )?{re.escape(name)}(?!\w)", statement)
    return bool(said) and len(re.findall(whose, statement)) == len(said)


def _has_a_noun_too_many(found: Predicate) -> bool:
    """Whether a passive goes on with a noun that its verb does not take: "was loved player in"."""
    first = found.complement.partition(" ")[0]
    if found.voice != "passive" or not first or first in PREPOSITIONS | {"to", "as"}:
        return False
    return base(found.verb) not in TAKES_A_NOUN


def _of_subject(said: TypedFact) -> Iterator[str]:
    """Why a deed may be that of others than its subject."""
    found, told = said.predicate, f'"{said.predicate.text}"'
    place = said.subject_type in REGION_TYPES and said.subject not in sovereign() | set(countries())
    if place and base(found.verb) not in _DONE_TO_PLACES:
        yield f"{told} may be said of others than the place {said.subject}"
    if found.text.endswith("affiliated with"):
        yield from doubts_about_role(found, (said.subject, said.object), said.subject_type, said.statement)


def _of_date(said: TypedFact) -> Iterator[str]:
    """Why a date is less than its sentence says, or that of something else."""
    told = f'"{said.predicate.text}"'
    if _MONTH_YEAR.fullmatch(said.object) and _FULL_DAY.search(said.statement):
        yield f'"{said.object}" is less than its sentence says'
    if said.predicate.voice == "copula":
        yield f"{told} is no event"
    if said.predicate.lemma in _MOVING and not said.predicate.complement:
        yield f"{told} does not tell where"
    if said.predicate.text == "was released in" and "release" not in said.statement:
        behind = said.statement.partition(said.object)[2].split()[:9]
        if _RELEASED.isdisjoint(word.strip('.,;:"').lower() for word in behind):
            yield f"{told} is not what its sentence says"
    if said.predicate.preposition not in _OF_A_DAY:
        yield f"{told} {said.object} is a span of time"


def _may_lie(said: TypedFact) -> bool:
    """Whether what is located somewhere is a place: known, by its own name, or from the words before it."""
    if said.subject_type not in {"GPE", "LOC", "FAC", "ORG", "EVENT"}:
        return False
    last = said.subject.lower().rsplit(maxsplit=1)[-1]
    if said.subject_type == "ORG" and last.endswith("s") and "person" in sorts_of(last.removesuffix("s")):
        return False  # "the U.S. Marshals in Ohio" are some of them
    if "locate" in said.statement or sorts_of(_head(said.subject)) & {"place"}:
        return True
    if said.subject_type in {"FAC", "ORG"}:
        return "organisation" in sorts_of(_head(said.subject)) and not is_party(said.subject)
    if said.subject in places() or said.subject in states():
        return True
    starts = [said.statement[:start] for start, _ in whole_places(said.subject, said.statement)]
    return not starts or any(_BEFORE_A_PLACE.search(one) for one in starts)


_BEGINS_A_PHRASE = PREPOSITIONS | _words("due because since as while when")


def _is_only_beside(said: TypedFact) -> bool:
    """Whether a comma ends a phrase: "Due to its nearness to Tarn, Ely also grew" puts Tarn nowhere."""
    if said.statement.split(maxsplit=1)[0].lower() not in _BEGINS_A_PHRASE:
        return False
    both = rf"(?<!\w){re.escape(said.subject)}, {re.escape(said.object)} (?:also )?([a-z]+)"
    return any(is_finite(word) for word in re.findall(both, said.statement))


def _head(name: str) -> str:
    words = name.lower().split()
    if "of" in words[1:]:
        words = words[: words.index("of", 1)]
    return NAME_HEADS.get(words[-1], NAME_HEADS.get(words[0], ""))


_LINK = r"(?:,? in (?:the )?(?:[a-z]+ ){0,3}|, (?:the )?)"
_LINKED = rf"(?: ?\([^)]*\))?(?:{_LINK}[A-Z][\w.\u2019'-]*(?: [A-Z][\w.\u2019'-]*)*)*?{_LINK}"


def is_in_a_chain(inner: str, outer: str, statement: str) -> bool:
    """Whether a statement puts a place into another by a chain: "Tarn, Ely County, Ohio", "Tarn in Ohio"."""
    return re.search(rf"(?<!\w){re.escape(inner)}{_LINKED}{re.escape(outer)}(?!\w)", statement) is not None


def is_half_a_name(name: str) -> bool:
    """Whether a person's name is a surname or a given name alone, with particles or without."""
    words = [
        word
        for word in name.split()
        if word.lower() not in NAME_PARTICLES and word.rstrip(".") not in HONORIFICS
    ]
    return len(words) < 2
