"""The common noun that describes an entity without naming it, and the word that asks for it.

Evidence in order: what a place is that lists know by name, what claims and sentences call it, the head of
its own name (a closed list), the predicates around it, its type. Each must agree with what the predicates
demand, since an entity's type is often wrong.

What a place is that readers know by its name: "Germany" is a country, "Ohio" a state, "Berlin" a city.
"""

import re
from collections.abc import Collection, Iterable, Sequence
from functools import cache, lru_cache

from kg.model import LITERAL_TYPES
from kg.resolve.normal_form import normal_form
from kg.text.lexicon import countries, genders, places, sovereign, states
from services.questions.draft import Stop
from services.questions.wording.head_nouns import (
    CHAMBERS,
    FIRST_WORDS,
    HYPERNYMS,
    MORE_PEOPLE,
    NAME_HEADS,
    NEWS_OUTLETS,
    PERSON_ENDINGS,
    SORTS,
)
from services.questions.wording.predicates import parse
from services.questions.wording.selection import slots
from services.questions.wording.verbs import is_known_plural

_STATES = """
Alabama; Alaska; Arizona; Arkansas; California; Colorado; Connecticut; Delaware; Florida; Hawaii; Idaho;
Illinois; Indiana; Iowa; Kansas; Kentucky; Louisiana; Maine; Maryland; Massachusetts; Michigan;
Minnesota; Mississippi; Missouri; Montana; Nebraska; Nevada; New Hampshire; New Jersey; New Mexico;
North Carolina; North Dakota; Ohio; Oklahoma; Oregon; Pennsylvania; Rhode Island; South Carolina; South
Dakota; Tennessee; Texas; Utah; Vermont; Virginia; West Virginia; Wisconsin; Wyoming; New South Wales;
Queensland; South Australia; Western Australia; Tasmania; Victoria; Gujarat; Maharashtra; Kerala; Tamil
Nadu; Karnataka; Bihar; Assam; Uttar Pradesh; Madhya Pradesh; Rajasthan; West Bengal; Andhra Pradesh;
Telangana; Goa; Bavaria; Saxony; Hesse
"""
_PROVINCES = """
Ontario; Quebec; British Columbia; Alberta; Manitoba; Saskatchewan; Nova Scotia; New Brunswick; Sindh;
Balochistan; Guangdong; Sichuan; Hubei; Hunan; Yunnan
"""
_SEVERAL = frozenset({"Georgia", "New York", "Washington", "Jersey", "Jordan", "Victoria"})
"""Names that a state shares with a city, a country or a person."""
_PLACE_TYPES = frozenset({"GPE", "LOC", "NORP", "ORG", "FAC"})

ACTING = frozenset({"country", "state", "province"})
"""Places that do what organisations do: a country bans, joins and votes."""


def known_place(stop: Stop) -> str:
    """The noun of a place whose name the lists have; empty for any other."""
    if stop.type not in _PLACE_TYPES:
        return ""
    if stop.type == "LOC" and " " in stop.name and is_known_plural(stop.name.rsplit(maxsplit=1)[-1].lower()):
        return "region"
    found = {noun for noun in map(place_noun, stop.names) if noun}
    return found.pop() if len(found) == 1 else ""


@lru_cache(maxsize=65_536)
def place_noun(name: str) -> str:
    """What kind of place a name alone tells; empty for any other, and for one that several kinds share."""
    if name in _SEVERAL:
        return ""
    if name in sovereign() or (len(name) < 4 and name in countries()):
        return "country"
    if name in _listed(_STATES):
        return "state"
    if name in _listed(_PROVINCES):
        return "province"
    if name in states():
        return "region"
    return "city" if places().get(name) == "GPE" else ""


@cache
def _listed(text: str) -> frozenset[str]:
    names: Iterable[str] = text.replace("\n", " ").split(";")
    return frozenset(name.strip() for name in names)


UNKNOWN = "thing"
"""The noun of what is surely no person."""
ANYTHING = "one"
"""The noun of what may be a person or a thing: "the one that the club signed"."""

_OF_TYPE = {
    "PERSON": "person",
    "ORG": "organisation",
    "GPE": "place",
    "LOC": "area",
    "FAC": "place",
    "NORP": "group",
    "EVENT": "event",
    "WORK": "work",
    "PRODUCT": "product",
    "LAW": "law",
}
_GENERIC = (
    "person",
    "organisation",
    "place",
    "event",
    "product",
    "organism",
    "disease",
    "work",
    "award",
    "group",
)
_UNSURE_TYPES = frozenset({"FAC", "NORP", "WORK", "MISC", "CONCEPT"})
_COMMON_NOUN = re.compile(r"(?:\d{4} )?[a-z][a-z-]+(?: [a-z][a-z-]+){0,2}")
_PASSING_WORDS = """
initial original former then late future last next only first second third fourth fifth sixth seventh eighth
ninth tenth
"""
_PASSING = frozenset(_PASSING_WORDS.split())
"""What somebody is for a while, or among others: no kind to tell him by."""
_YEAR = re.compile(r"\d{4}")
_MONTH = re.compile(r"\d{4}-\d{2}|[A-Z][a-z]+ \d{4}")
_PERSONAL = re.compile(r"(?:[^\W\d_][\w.'\u2019-]+ )+[^\W\d_][\w'\u2019-]+")

Demand = frozenset[str]


def sorts_of(noun: str) -> frozenset[str]:
    """What a noun counts as: "hospital" is an organisation and a place; empty where no list has it."""
    head = noun.rsplit(maxsplit=1)[-1] if noun else ""
    known = SORTS.get(noun) or SORTS.get(head)
    if known:
        return known
    if head in MORE_PEOPLE or (head.endswith(PERSON_ENDINGS) and len(head) > 4):
        return frozenset({"person"})
    return frozenset()


def noun_of(
    stop: Stop, predicates: Sequence[str] = (), before: Sequence[str] = (), banned: Collection[str] = ()
) -> str:
    """The noun of an entity: "club", "hospital", "city"; "thing" or "one" where nothing tells.

    `predicates` are those that lead to it (it is their object), `before` those whose subject it is; `banned`
    are normal forms of names that the noun must not repeat.
    """
    literal = _literal(stop)
    if literal:
        return literal
    demands = demands_of(predicates, before)
    if _is_surely_a_person(stop):
        demands = [one for one in demands if _meets(frozenset({"person"}), "person", one)]
    for noun in _proposals(stop, demands):
        if normal_form(noun) not in banned and all(_meets(_counts_as(noun), noun, one) for one in demands):
            return noun
    return _neutral(stop, demands, banned)


def demands_of(predicates: Sequence[str], before: Sequence[str]) -> list[Demand]:
    """What predicates demand of an entity: the object of the first ones, the subject of the others."""
    demands = [slots(one)[1] for one in predicates] + [slots(one)[0] for one in before]
    return [demand for demand in demands if demand]


def _counts_as(noun: str) -> frozenset[str]:
    """The sorts of a noun for a predicate: a country bans and joins as an organisation does."""
    return sorts_of(noun) | {"organisation"} if noun in ACTING else sorts_of(noun)


def is_person(stop: Stop, predicates: Sequence[str] = (), before: Sequence[str] = ()) -> bool:
    """Whether the entity's noun is one for people."""
    return "person" in sorts_of(noun_of(stop, predicates, before))


def is_organisation(name: str) -> bool:
    """Whether the name's own head tells that it is an organisation."""
    return "organisation" in sorts_of(_head_noun(name))


def looks_personal(stop: Stop) -> bool:
    """Whether an entity may be a person: by its type or the build of a name, and no name denies it."""
    if any(known_place(stop) or _head_noun(name) not in {"", "person"} for name in stop.names):
        return False
    return stop.type == "PERSON" or has_personal_name(stop)


def _is_surely_a_person(stop: Stop) -> bool:
    """Whether a name of two or three words begins with a given name, and no word of it says otherwise."""
    words = stop.name.split()
    named = len(words) in {2, 3} and words[0] in genders() and not any(map(_head_noun, stop.names))
    return named and stop.type == "PERSON"


def has_personal_name(stop: Stop) -> bool:
    """Whether one of an entity's names is two words or more without a digit, as people's are."""
    return any(_PERSONAL.fullmatch(name) for name in stop.names)


def question_word(stop: Stop, predicates: Sequence[str] = (), before: Sequence[str] = ()) -> str:
    """What asks for the entity: "who", "when", "which club", "what"."""
    noun = noun_of(stop, predicates, before)
    if noun == "organisation" and _is_done_to(predicates) and not _is_surely_one(stop, predicates, before):
        return "what"
    if noun == "date":
        return _asks_when(stop.name)
    if "person" in sorts_of(noun):
        return "who"
    if noun == "number":
        return _asks_how_many(stop.name)
    return "what" if noun in {UNKNOWN, ANYTHING, "product", "work"} else f"which {noun}"


def _is_done_to(predicates: Sequence[str]) -> bool:
    """Whether only a plain verb leads there: "what was negotiated"; a preposition wants "which"."""
    found = [parse(one) for one in predicates]
    return bool(found) and all(one.voice == "active" and not one.preposition for one in found)


def _is_surely_one(stop: Stop, predicates: Sequence[str], before: Sequence[str]) -> bool:
    """Whether what is typed ORG is one by its name or a predicate: "Alaska Purchase" may be none."""
    demanded = (word for one in demands_of(predicates, before) for word in one)
    named = any(is_organisation(name) or name.isupper() for name in stop.names)
    return named or bool(stop.nouns) or any("organisation" in {word, *sorts_of(word)} for word in demanded)


def _asks_when(name: str) -> str:
    if _YEAR.fullmatch(name):
        return "in which year"
    return "in which month" if _MONTH.fullmatch(name) else "when"


def _asks_how_many(name: str) -> str:
    counted = re.fullmatch(r"(?:\d[\d,.]*|[a-z]+(?:-[a-z]+)?) ([a-z]+s)", name)
    if counted:
        return f"how many {counted[1]}"
    return "how much" if re.match(r"[$£€¥]", name) else "what number"


def _literal(stop: Stop) -> str:
    if stop.type not in LITERAL_TYPES:
        return ""
    return "date" if stop.type == "DATE" else "number"


def _proposals(stop: Stop, demands: Sequence[Demand]) -> list[str]:
    named = [noun for noun in map(_head_noun, sorted(stop.names, key=len, reverse=True)) if noun]
    listed = [noun for noun in (known_place(stop),) if noun]
    called = [noun for noun in map(_of_what, stop.nouns) if noun and _is_descriptive(noun)]
    if any(sorts_of(head) and "place" not in sorts_of(head) for head in named):
        called = [noun for noun in called if sorts_of(noun) != {"place"}]  # "the state Tarn Award"
    if listed == ["region"] and any("place" in sorts_of(noun) for noun in called):
        listed = []  # no kind of place says less
    picked = [word for demand in demands if len(demand) == 1 for word in demand if not word.startswith("-")]
    general = [word for word in picked if word in _GENERIC]
    return [*listed, *called, *named, *_refined(stop, demands), *general, *_typed(stop, demands)]


def _of_what(noun: str) -> str:
    """ "Capital of Ormelund" says "city", "American rock band" the same without its country.

    Behind a name a noun may be a part of that ("NFC East division"), but not behind a country's adjective.
    """
    if noun.startswith("capital of "):
        return "city"
    *before, head = noun.split()
    known = sorts_of(head)
    if not before or " of " in noun or not known or known & {"person", "literal"}:
        return noun
    if _COMMON_NOUN.fullmatch(noun) and before[0] not in _PASSING:
        return noun
    close = before[-1]
    if close[:1].isupper() and close not in countries() and "work" not in known:
        return noun
    told = len(before) > 1 and before[-2] not in _PASSING and _COMMON_NOUN.fullmatch(before[-2])
    common = not told and close not in _PASSING and _COMMON_NOUN.fullmatch(close)
    return f"{close} {head}" if common else head


def _is_descriptive(noun: str) -> bool:
    head, first = noun.rsplit(maxsplit=1)[-1], noun.partition(" ")[0]
    if " of " in noun or first in _PASSING or first.endswith(("-winning", "-nominated", "-born")):
        return False
    return bool(_COMMON_NOUN.fullmatch(noun)) and (head in SORTS or head in MORE_PEOPLE)


def _refined(stop: Stop, demands: Sequence[Demand]) -> list[str]:
    """Of the nouns that a predicate proposes, those of the entity's type: a team among "team person"."""
    generic = _OF_TYPE.get(stop.type, "")
    return [
        word
        for demand in demands
        for word in sorted(demand)
        if word not in _GENERIC
        and not word.startswith("-")
        and (len(demand) == 1 or generic in sorts_of(word))
    ]


def _typed(stop: Stop, demands: Sequence[Demand]) -> list[str]:
    noun = _OF_TYPE.get(stop.type)
    if noun is None:
        return []
    wanted = any(noun in demand or sorts_of(noun) & demand for demand in demands)
    if stop.type == "PERSON" and not wanted and not _PERSONAL.fullmatch(stop.name):
        return []
    if stop.type == "ORG" and not wanted and _may_be_a_product(stop.name):
        return []
    if stop.type in _UNSURE_TYPES and (demands or stop.type == "NORP"):
        return [noun] if any(demand == {noun} for demand in demands) else []
    return [noun]


def _may_be_a_product(name: str) -> bool:
    """Whether a name is one word and no abbreviation: "PulseBand" is often typed as its maker would be."""
    return bool(name) and " " not in name and not name.isupper()


def _meets(sorts: frozenset[str], noun: str, demand: Demand) -> bool:
    barred = {word[1:] for word in demand if word.startswith("-")}
    if barred:
        return not barred & sorts
    wanted = set(demand)
    for word in demand:
        wanted |= sorts_of(word) if word not in _GENERIC else {word}
    return not sorts or noun in demand or bool(sorts & wanted)


def _neutral(stop: Stop, demands: Sequence[Demand], banned: Collection[str]) -> str:
    """A word that can't be wrong: what all demands agree on, or no more than whether it is a person."""
    left = [word for word in _GENERIC if all(_meets(frozenset({word}), word, one) for one in demands)]
    if demands and len(left) == 1 and left[0] not in banned:
        return left[0]
    if demands and set(left) <= {"person", "organisation"} and left:
        return "person" if stop.type == "PERSON" and _PERSONAL.fullmatch(stop.name) else "organisation"
    return ANYTHING if "person" in left or not demands else UNKNOWN


@lru_cache(maxsize=65_536)
def _head_noun(name: str) -> str:
    """What the name itself tells: "Northern Fever Institute" is an institute, "Isle of Tavisk" an island."""
    words = [word.strip(".,'\u2019\"").lower() for word in name.split()]
    if name in NEWS_OUTLETS:
        return "news outlet"
    if " ".join(words).endswith(CHAMBERS):
        return "chamber"
    if len(words) < 2:
        return HYPERNYMS.get(words[0], "") if words else ""
    if "of" in words[1:]:
        return NAME_HEADS.get(words[words.index("of") - 1], "")
    return NAME_HEADS.get(words[-1]) or FIRST_WORDS.get(words[0]) or _numbered(words)


def _numbered(words: Sequence[str]) -> str:
    return NAME_HEADS.get(words[-2], "") if words[-1].isdigit() else ""
