"""What stays true after its sentence was written, and for how long; who reads a fact later must still agree.

Of facts that a verb tells, readers of news found one in five wrong, of offices, places and kinships one in
twenty (docs/evaluation/questions-read.md, "Facts by class"). So rules ask over a verb only where it says
by itself what was done for good. An office, a home or a party holds for a time: two such facts join only
where their articles are of about the same time, and one that its sentence puts into another year joins
nothing.
"""

import re
from collections.abc import Sequence
from datetime import date
from itertools import combinations

from services.questions.draft import Fact
from services.questions.roles import KIN
from services.questions.wording import verbs
from services.questions.wording.predicates import Predicate, parse

_FOR_GOOD_VERBS = """
abolish acquire adapt adopt annex anoint appoint assemble author ban beat beatify build buy canonise canonize
captain chair christen coach colonise colonize commission compile compose conceive conquer consecrate
construct convict craft create crown curate defeat demolish depose design destroy develop devise direct
discover dissolve divorce draft edit educate elect employ enact endorse engineer establish excavate film
finance formulate found fund govern hire illustrate impeach inaugurate incorporate institute invent invade
join lead legalise legalize liberate manage manufacture marry mentor mint narrate nationalise nationalize
nominate operate ordain organise organize oust overthrow own paint patent pick pioneer privatise privatize
produce promulgate prosecute publish purchase ratify re-elect rebuild recruit redesign reelect release rename
renovate represent restore sack sculpt sign sponsor succeed supersede teach train translate veto wed win write
"""
_FOR_GOOD = frozenset(_FOR_GOOD_VERBS.split())
"""Verbs with one meaning, of what somebody did for good; "left", "served" and "launched" have several."""

_STATE_VERBS = """
border captain chair coach direct edit employ finance fund govern lead manage manufacture operate own possess
produce represent sponsor supply teach train
"""
_STATES = frozenset(_STATE_VERBS.split())
"""What holds as long as it is told of in the present; other verbs tell a habit so: "beats him in polls"."""

_ON_A_DAY_VERBS = """
abdicate adjourn administer appear arrive assassinate attack award back bear begin breed broadcast bury carve
celebrate close collapse collide command commence conduct convene cover crash debut dedicate defend depart
describe diagnose die disappear dismiss distribute divorce dock dominate donate drown emigrate end endow erupt
escape expire explode fall father feature fire flee form front gain garrison graduate guard happen hit hold
host immigrate inherit inspire install introduce isolate judge kill knight land lapse launch lease leave
license locate map master meet merge mother move negotiate occupy occur open pass patrol patronise perfect
perform photograph pilot play portray precede premiere preside qualify record reform reopen replace rescue
resign resume retire return revise revive rise rule run sail sanction scuttle secede sell separate serve shape
shut sing sink sire staff stage star start step strike study sue supervise support surrender survive tour
unveil vote win wreck
"""
_ON_A_DAY = _FOR_GOOD | frozenset(_ON_A_DAY_VERBS.split())
"""Verbs of what happens on a day."""

_MOTIONS = frozenset(["arrive", "depart", "fly", "land", "return", "travel"])
"""Many go to a place and leave it again."""


_ENCOUNTERS = frozenset(["be join by", "speak to", "speak with", "talk to", "talk with"])


def fleeting(predicate: str, dated: bool = False) -> str:
    """Why what a verb tells may be true of a moment only; empty where it lasts or, `dated`, has a day.

    "Founded" is true for good, and who reads any sentence of it agrees; "misled", "cited", "pressed" are what
    one sentence makes of one moment, and rules misread six times as many of these (record 58).
    """
    found = parse(predicate)
    moment = f'"{predicate}" tells of a moment'
    if found.voice == "copula":
        return ""
    if not dated and (found.lemma in _MOTIONS or _goes_on(found) or found.key in _ENCOUNTERS):
        return moment
    if found.complement or (found.preposition and not (found.has_agent or dated)):
        return ""
    lemma = verbs.base(_in_dictionary(found.verb))
    if lemma in _STATES and not dated:
        return ""
    if not dated and found.voice == "active" and _is_present(found):
        return f'"{predicate}" tells of a habit'
    return "" if lemma in (_ON_A_DAY if dated else _FOR_GOOD) else moment


def _goes_on(found: Predicate) -> bool:
    """Whether a deed is told as going on: "is serving at", "is being sued by"."""
    return bool(found.auxiliaries) and (verbs.is_gerund(found.verb) or "being" in found.auxiliaries)


def _is_present(found: Predicate) -> bool:
    return not found.auxiliaries and not verbs.is_past(_in_dictionary(found.verb))


def _in_dictionary(verb: str) -> str:
    """Of "co-wrote" the dictionary knows the second half."""
    return verb.removeprefix("co-")


MOST_DAYS_APART = 366
"""Offices told further apart than this may have changed hands; most are held for some years."""
_FOR_A_TIME = frozenset(["affiliate", "be", "live", "play", "reside", "teach", "work", *_STATES])
_ROLES_FOR_GOOD = """
architect author birthplace capital citizen composer creator designer developer discoverer founder graduate
inventor namesake native predecessor successor writer
"""
_LASTING_ROLES = frozenset(_ROLES_FOR_GOOD.split())
_PAST_ROLE = re.compile(r"\b(?:former|ex|late|first|last|founding|original)\b")
_YEAR = re.compile(r"(?<![\[\w-])(?:19|20)\d\d\b(?!-\d| [a-z]+s\b)")


def holds_for_a_time(predicate: str) -> bool:
    """Whether a fact told in the present may end: an office, a party, a home; but no kinship or place."""
    found = parse(predicate)
    if found.voice != "copula":
        present = _is_present(found) or found.auxiliaries[:1] in {("is",), ("are",)}
        return present and found.lemma in _FOR_A_TIME
    words = found.complement.lower().split()
    lasts = not words or words[-1] in _LASTING_ROLES or KIN.search(found.complement) is not None
    return (
        found.is_role and found.verb in {"is", "are"} and not lasts and not _PAST_ROLE.search(" ".join(words))
    )


def of_another_year(fact: Fact) -> str:
    """Why an office is told of another year than that of its article, empty where it isn't.

    "It is the approach that Gibbs, the press secretary, took in 2010", writes an article of 2017.
    """
    day = _day_of(fact)
    if day is None or not holds_for_a_time(fact.predicate):
        return ""
    years = [int(year) for year in _YEAR.findall(fact.statement or fact.sentence)]
    far = next((year for year in years if abs(year - day.year) > 1), None)
    return f'"{fact.predicate}" may be told of {far}, and its article is of {day.year}' if far else ""


def of_two_times(facts: Sequence[Fact]) -> str:
    """Why facts that hold for a time are told too far apart to hold together, empty where they aren't.

    Articles without a date are taken for articles of one time.
    """
    told = [(fact, day) for fact in facts if holds_for_a_time(fact.predicate) and (day := _day_of(fact))]
    for (one, first), (other, second) in combinations(told, 2):
        if one.article != other.article and abs((first - second).days) > MOST_DAYS_APART:
            return f'"{one.predicate}" is told of {first:%Y}, "{other.predicate}" of {second:%Y}'
    return ""


def _day_of(fact: Fact) -> date | None:
    try:
        return date.fromisoformat(fact.published) if fact.published else None
    except ValueError:
        return None
