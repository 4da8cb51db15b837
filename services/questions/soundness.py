"""Does a statement bear a fact out, read as a string? A second look that needs no parser.

The parser that found a fact may have taken a place for a person, an apposition for a deed, or a part of a name for
the name. What follows from that stands in the sentence for everybody to see: a film's verb said of its author, an
office whose sentence goes on ("Secretary of State"), a verb whose object is missing, a day that lost its number.
Rules ask about no fact that shows such a mark; that some right facts show one too costs questions, not truth.
"""

import re
from collections.abc import Sequence
from functools import cache, lru_cache

from kg.model import EntityType
from kg.text.lexicon import (
    DOUBT_ADVERBS,
    HEARSAY_ADVERBS,
    HONORIFICS,
    NAME_PARTICLES,
    PARTIES,
    PROFESSIONS,
    countries,
    genders,
    places,
    sovereign,
    states,
)
from services.questions.draft import Fact
from services.questions.wording.doubts import scene
from services.questions.wording.head_nouns import NAME_HEADS
from services.questions.wording.nouns import sorts_of
from services.questions.wording.predicates import PREPOSITIONS, Predicate, parse
from services.questions.wording.verbs import base


def _words(text: str) -> frozenset[str]:
    return frozenset(text.split())


_KIN = re.compile(
    r"\b(?:grand|great-grand|step|half-)?(?:son|daughter|father|mother|brother|sister|child|parent|nephew|niece|uncle|aunt|"
    r"cousin|wife|husband|widow|widower|spouse|fianc[eé]e?)(?:-\s?in-\s?law)?$"
)
_OF_WORKS = _words(
    """adapt air animate broadcast compose direct distribute dub edit film narrate photograph premiere produce publish
    record release remake score screen script shoot star stream translate write"""
)
"""What is done to films, books and songs: in the passive it is said of nobody and of no place."""
_OF_PEOPLE = re.compile(
    r"(?:be|was|is) (?:born|bury|buried|raised|educated|survived|married)\b|(?:died|married)\b"
)
_OF_GROUPS = re.compile(
    r"\b(?:board|committee|council|club|company|party|team|band|ceo|chairman|chairwoman|coach|manager|captain|"
    r"member|members|striker|goalkeeper|drummer|guitarist|bassist)\b"
)
_NEVER_A_WORK = frozenset({"PERSON", "GPE", "LOC", "FAC", "NORP", "DATE"})
_PLACES = frozenset({"GPE", "LOC", "FAC"})
_TAKES_AN_OBJECT = _words(
    """bring build buy create direct do find found get give have hold include introduce involve lose make own produce
    publish put receive record release sell send stage take use win write"""
)
"""Verbs whose object is missing where a preposition follows at once: "won at", "staged in"."""
_DONE_TO_PLACES = _words(
    "annex border capture conquer contain destroy establish flood found hit incorporate invade name occupy rename settle strike twin"
)
_OTHER_ROLES = _words(
    "critic justice mate native nominee owner co-owner successor predecessor supporter nephew heir heiress count duke"
)
_BY_GROUPS = _words(
    "manufacturer maker member owner co-owner partner producer publisher rival sponsor subsidiary supplier operator parent successor predecessor"
)
_OF_PLACES = _words("capital city seat hometown birthplace home headquarters suburb")
_TITLE = (
    r"(?:king|queen|prince|princess|duke|duchess|earl|count|countess|emperor|empress|baron|baroness|bishop|archbishop|"
    r"president|governor|mayor|minister|lord|lady|marquess|margrave|sultan|pope|saint|sir|dame|secretary|chancellor)"
)
_LAWMAKER = re.compile(
    r"\b(?:Senators?|Sen\.|Rep\.|Representatives?|Congress(?:wo)?man|Professor|candidate)\b"
)
_ONLY_TITLE = re.compile(rf"(?:[A-Z]\w+ )?{_TITLE}(?: of .*)?|{_TITLE}s .*", re.IGNORECASE)
_BAD_NAME = re.compile(r"\w- \w|\w -\w|\w\" \w|^\W|\(|[,;]$|^(?:Jr|Sr)\.?$|^.?$")
_NICKNAME = re.compile(r" \"[^\"]+\" ")
_HEDGED = re.compile(rf"\b(?:{'|'.join(sorted(DOUBT_ADVERBS | HEARSAY_ADVERBS))})\b", re.IGNORECASE)
_OTHER_NAME = r"\b(?:later|then|now|formerly|future|aka|a\.k\.a\.|previously) (?:known as |called )?"
_RUN = re.compile(r"[\s\w/&-]*")
_STOPS_A_RUN = _words(
    "of in at on for from with by to who that which whose as is was were are has had the a an his her and,"
)
_HEADS_OF_LONGER = _words(
    "District Department Kingdom Republic Province University Bishopric Duchy County Court Board Church"
)
_MONTHS = "January|February|March|April|May|June|July|August|September|October|November|December"
_MONTH_YEAR = re.compile(rf"(?:{_MONTHS}) \d{{4}}|\d{{4}}-\d\d")
_FULL_DAY = re.compile(
    rf"\b\d{{1,2}}(?:st|nd|rd|th)? (?:of )?(?:{_MONTHS})\b|\b(?:{_MONTHS}) \d{{1,2}}\b(?!\d)"
)
_RELEASED = _words(
    "film films movie movies album albums song songs single singles game games ep record records series documentary"
)
_BEFORE_A_PLACE = re.compile(
    r"(?:\b(?:in|at|on|of|near|from|to|into|around|outside|through|via|for|between|and|or|city|town|village|hamlet|suburb|state|"
    r"county|province|district|region|island|capital|neighbou?rhood)(?: the)?(?: (?:north|south|east|west|central|upper|lower)\w*)? |[,(\u2013] ?|^(?:The )?)$",
    re.IGNORECASE,
)
_TOKEN = re.compile(r"[\w\u2019'.-]*\w|[^\w\s]")


@lru_cache(maxsize=65_536)
def unsound(
    subject: str, predicate: str, object_: str, statement: str, ends: tuple[EntityType, EntityType]
) -> str:
    """Why a statement does not bear a fact out for sure, empty where nothing speaks against it."""
    found = parse(predicate)
    if _HEDGED.search(statement):
        return "its sentence does not state all that it says outright"
    return (
        _of_names(subject, object_, ends, statement)
        or _of_types(found, subject, object_, ends)
        or _of_copula(found, subject, object_, ends, statement)
        or _of_verb(found, subject, ends[0], statement)
        or _of_date(found, object_, ends[1], statement)
        or _of_place(found, subject, ends, statement)
    )


def unsound_fact(fact: Fact, subject_type: EntityType, object_type: EntityType) -> str:
    """Why the statement of a fact does not bear it out for sure."""
    statement = fact.statement or fact.sentence
    return unsound(fact.subject, fact.predicate, fact.object, statement, (subject_type, object_type))


def _of_names(subject: str, object_: str, ends: tuple[EntityType, EntityType], statement: str) -> str:
    for name, kind in zip((subject, object_), ends, strict=True):
        if kind in {"DATE", "NUMBER"}:
            continue
        if _BAD_NAME.search(_NICKNAME.sub(" ", name)) or name.count('"') % 2:
            return f'"{name}" is no clean name'
        if kind == "ORG" and re.search(r", (?!Inc|Ltd|LLC|Co)", name):
            return f'"{name}" is a list, or a name with a title'
        if _ONLY_TITLE.fullmatch(name) or (
            kind == "PERSON" and (name[:1].islower() or name.split()[-1].islower())
        ):
            return f'"{name}" is a title and no name'
        if (
            kind in {"GPE", "LOC"}
            and name in countries()
            and len(name) > 3
            and name not in sovereign() | {"U.S.", "U.K."}
        ):
            return f'"{name}" is no name of a place'
        if _goes_on(name, kind, statement):
            return f'"{name}" is only a part of a name'
    return ""


def _goes_on(name: str, kind: EntityType, statement: str) -> bool:
    """Whether a name's sentence always goes on with it: "Movement towards Socialism", "Epinay and Neuilly Studios"."""
    rest = [statement[one.end() :] for one in re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", statement)]
    further = (
        r"(?:-\s?[A-Za-z]|/ ?\w| (?:of|towards?|for|against) (?:the )?[A-Z])"
        if kind not in _PLACES | {"PERSON"}
        else r"(?:-\s?[A-Z]|/ ?[A-Z])"
    )
    if name.rsplit(maxsplit=1)[-1] in _HEADS_OF_LONGER:
        further = rf"{further}| of (?:the )?[A-Z]"
    shared = r" and (?:[A-Z]\w+ )+(?:Studios|Universities|Counties|Rivers|Islands|Streets|Houses|Schools|Colleges|Awards)\b"
    return bool(rest) and all(re.match(rf"(?:{further}|{shared})", one) for one in rest)


def _of_types(found: Predicate, subject: str, object_: str, ends: tuple[EntityType, EntityType]) -> str:
    told = f'"{found.text}" does not go with {subject} and {object_}'
    verb = found.lemma
    if found.voice == "copula" and _KIN.search(found.complement) and set(ends) != {"PERSON"}:
        return told
    passive = found.voice == "passive" or (found.voice == "active" and found.preposition == "by")
    if passive and base(found.verb) in _OF_WORKS and ends[0] in _NEVER_A_WORK:
        return told
    if verb == "marry" and not set(ends) <= {"PERSON", "DATE", "GPE"}:
        return told
    if _OF_PEOPLE.match(found.text) and ends[0] != "PERSON":
        return told
    if found.preposition and _OF_GROUPS.search(found.complement) and ends[1] == "PERSON":
        return told
    if verb == "play" and found.preposition == "for" and ends[1] in _PLACES and object_ not in sovereign():
        return told
    if verb == "be" and found.complement == "citizen" and ends != ("PERSON", "GPE"):
        return told
    return ""


def _of_copula(
    found: Predicate, subject: str, object_: str, ends: tuple[EntityType, EntityType], statement: str
) -> str:
    if found.lemma in {"become", "remain", "style", "call", "know"} and not found.preposition:
        return f'"{found.text}" tells a rank and no relation'
    if found.lemma == "belong" and "belong" not in statement:
        return f'"{found.text}" is not what its sentence says'
    if found.text.endswith("affiliated with") and "affiliat" not in statement and not _is_party(object_):
        return f'"{found.text}" is not what its sentence says'
    if found.voice != "copula":
        return ""
    if not found.complement:
        return _of_bare_copula(found, subject, object_, ends, statement)
    words = found.complement.split()
    if "based" in words or PREPOSITIONS & set(words):
        return f'"{found.text}" tells more than a role'
    if found.is_role and scene(found.text) and not _is_person_noun(words) and words[-1] not in _OF_PLACES:
        return f'"{found.text}" tells no office, kinship or place'
    if found.is_role and _is_person_noun(words) and ends[0] != "PERSON" and words[-1] not in _BY_GROUPS:
        return f'"{found.text}" does not go with {subject}'
    if "old" in words:
        return f'"{found.text}" is only a part of what its sentence says'
    if found.complement == "citizen" and not _said_of_a_kind(object_, statement, frozenset({"person"})):
        return f'"{found.text}" is not what its sentence says'
    return _of_role(found, subject, object_, statement)


@cache
def _nations() -> re.Pattern[str]:
    """What stands for a country before a noun: "Chinese", "U.S.", "South Sudanese"."""
    return re.compile(
        rf"(?<!\w)(?:{'|'.join(map(re.escape, sorted(countries(), key=len, reverse=True)))})(?!\w)"
    )


def _said_of_a_kind(country: str, statement: str, sorts: frozenset[str]) -> bool:
    """Whether an adjective of the country goes on to a noun of such a sort: "Chinese film director"."""
    for one in _nations().finditer(statement):
        if countries().get(one[0]) != country:
            continue
        run: list[str] = []
        for word in statement[one.end() :].split():
            if word.strip(",").lower() in _STOPS_A_RUN:
                break
            run.append(word.strip(",.;"))
            if len(run) > 8:
                break
        people = "person" in sorts and not PROFESSIONS.isdisjoint(word.lower() for word in run)
        if people or any(sorts & sorts_of(word.lower()) for word in run):
            return True
    return False


def _is_person_noun(words: Sequence[str]) -> bool:
    """Whether a role is one that people have: "running mate", "attorney general"."""
    heads = (
        {words[-1], words[-2]}
        if len(words) > 1 and words[-1] in {"general", "elect", "mate"}
        else {words[-1]}
    )
    known = _OTHER_ROLES | PROFESSIONS
    return any(head.lower() in known or "person" in sorts_of(head.lower()) for head in heads)


def _of_bare_copula(
    found: Predicate, subject: str, object_: str, ends: tuple[EntityType, EntityType], statement: str
) -> str:
    if found.preposition != "from":
        return f'"{found.text}" says too little'
    if ends[1] not in {"GPE", "LOC"}:
        return f'"{found.text}" does not go with {object_}'
    if ends[0] == "PERSON" and re.search(
        rf"{re.escape(subject.rsplit(maxsplit=1)[-1])},? of (?:the )?{re.escape(object_)}", statement
    ):
        return f'"{subject} of {object_}" may be a title'
    if ends[0] in _PLACES | {"MISC", "CONCEPT", "NORP", "LAW"}:
        return f'"{found.text}" does not go with {subject}'
    made = frozenset({"work", "product", "organisation", "event"})
    if (
        ends[0] != "PERSON"
        and f" {object_}" not in statement
        and not _said_of_a_kind(object_, statement, made)
    ):
        return f'"{found.text}" is not what its sentence says'
    return ""


def _is_party(name: str) -> bool:
    return name.endswith(("Party", "Democrats", "Greens")) or name in PARTIES.values()


def _of_role(found: Predicate, subject: str, object_: str, statement: str) -> str:
    """An office that goes on in its sentence is another one; kinship stands near both names."""
    head = found.complement.split()[-1]
    at = [one for one in re.finditer(rf"\b{re.escape(head)}\b", statement, re.IGNORECASE)]
    if re.search(rf"{_OTHER_NAME}{re.escape(subject)}", statement):
        return f'"{subject}" is another name of somebody in its sentence'
    if not at or found.preposition != "of":
        return ""
    first = object_.split(maxsplit=1)[0]
    told = [statement[one.end() :] for one in at]
    goes_on = [re.match(r" (?:of|for|in|to|at) (?:the )?([\w.\u2019'-]+)", one) for one in told]
    if all(
        one is not None and one[1] != first and first not in " ".join(rest.split()[:8])
        for one, rest in zip(goes_on, told, strict=True)
    ):
        return f'"{found.text}" is only a part of what its sentence says'
    if _KIN.search(found.complement) and _is_of_other_gender(head, object_, statement):
        return f'"{found.text}" is said of another than {object_}'
    if _KIN.search(found.complement) and not _stands_near(subject, object_, head, statement):
        return f'"{found.text}" stands far from its names'
    return ""


def _is_of_other_gender(head: str, owner: str, statement: str) -> bool:
    """ "Arnulf ruled for her son": a man's son is no "her son"."""
    said = re.search(rf"\b(her|his) (?:[\w-]+ ){{0,3}}{re.escape(head)}\b", statement)
    gender = genders().get(owner.split(maxsplit=1)[0])
    return said is not None and gender is not None and {"her": "f", "his": "m"}[said[1]] != gender


MOST_BETWEEN = 6
"""Words between a kinship and a name behind it."""


def _stands_near(subject: str, object_: str, head: str, statement: str) -> bool:
    """Whether a kinship word that stands before both names has the nearer one close behind it."""
    tokens = [token.lower() for token in _TOKEN.findall(statement)]
    ends = [_TOKEN.findall(name)[-1].lower() for name in (subject, object_)]
    places_ = [[at for at, token in enumerate(tokens) if token == word] for word in ends]
    heads = [at for at, token in enumerate(tokens) if token == head.lower()]
    if not all(places_) or not heads:
        return True
    for at in heads:
        before = [min((at - one for one in found if one < at), default=None) for found in places_]
        behind = [min((one - at for one in found if one > at), default=None) for found in places_]
        if before[0] is not None and behind[1] is not None:
            return True  # "Ana Brel is the daughter of Otto"
        if (
            behind[0] is not None
            and behind[0] <= MOST_BETWEEN
            and (before[1] is not None or tokens[at - 1] in {"her", "his"})
        ):
            return True  # "Otto and his daughter Ana"
        if (
            before == [None, None]
            and None not in behind
            and max(map(int, filter(None, behind))) <= 2 * MOST_BETWEEN
        ):
            return True  # "The daughter of Otto, Ana"
    return False


def _of_verb(found: Predicate, subject: str, subject_type: EntityType, statement: str) -> str:
    if found.voice == "copula":
        return ""
    plain = found.voice == "active" and not found.complement and found.preposition
    if plain and found.lemma in _TAKES_AN_OBJECT and found.preposition != "by":
        return f'"{found.text}" has lost its object'
    if found.text in {"born", "died"} or found.text.endswith(("born with", "known by")):
        return f'"{found.text}" is no whole verb'
    words = found.complement.split()
    if words[:1] == ["most"]:
        return f'"{found.text}" has lost what it counts'
    if len(words) > 1 and any(word in PREPOSITIONS for word in words[1:-1]):
        return f'"{found.text}" tells two things'
    place = subject_type in {"GPE", "LOC"} and subject not in sovereign() and subject not in countries()
    if (
        place
        and base(found.verb) not in _DONE_TO_PLACES
        and found.verb not in {"located", "situated", "lies", "lie", "based"}
    ):
        return f'"{found.text}" may be said of others than the place {subject}'
    return ""


def _of_date(found: Predicate, object_: str, object_type: EntityType, statement: str) -> str:
    if object_type != "DATE":
        return ""
    if _MONTH_YEAR.fullmatch(object_) and _FULL_DAY.search(statement):
        return f'"{object_}" is less than its sentence says'
    if found.voice == "copula":
        return f'"{found.text}" is no event'
    if found.text == "was released in" and re.fullmatch(r"\d{4}", object_):
        behind = statement.partition(object_)[2].split()[:9]
        said = {word.strip('.,;:"').lower() for word in behind}
        if "release" not in statement and not said & _RELEASED:
            return f'"{found.text}" is not what its sentence says'
    if found.preposition not in {"in", "on", "after", "before", "during", "at", "since", "until", ""}:
        return f'"{found.text}" {object_} is a span of time'
    return ""


def _of_place(found: Predicate, subject: str, ends: tuple[EntityType, EntityType], statement: str) -> str:
    if found.key != "be located in" and found.text != "is located in":
        return ""
    if ends[0] not in {"GPE", "LOC", "FAC", "ORG", "EVENT"}:
        return f"{subject} is no place"
    if ends[0] in {"FAC", "ORG"} and "locate" not in statement:
        if not sorts_of(_head(subject)) & {"place", "organisation"}:
            return f"{subject} may be no place"
        return ""
    if (
        sorts_of(_head(subject)) & {"place"}
        or subject in places()
        or subject in states()
        or subject in sovereign()
        or "locate" in statement
    ):
        return ""
    starts = [
        statement[: one.start()] for one in re.finditer(rf"(?<!\w){re.escape(subject)}(?!\w)", statement)
    ]
    if starts and not any(_BEFORE_A_PLACE.search(one) for one in starts):
        return f"{subject} may be no place"
    return ""


def _head(name: str) -> str:
    words = name.lower().split()
    if "of" in words[1:]:
        words = words[: words.index("of", 1)]
    return NAME_HEADS.get(words[-1], NAME_HEADS.get(words[0], ""))


def is_half_a_name(name: str) -> bool:
    """Whether a person's name is a surname or a given name alone, with particles or without."""
    words = [
        word
        for word in name.split()
        if word.lower() not in NAME_PARTICLES and word.rstrip(".") not in HONORIFICS
    ]
    return len(words) < 2
