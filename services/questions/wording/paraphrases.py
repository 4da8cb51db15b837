"""Other words for common predicates, so that a long description stands at the end of its clause.

"The city where the hospital that the physician that ... directs is located" takes a reader apart; "the city
that is home to the hospital directed by ..." can be read on. Keys begin with the lemma, as in `selection`.
"""

from dataclasses import dataclass

from services.questions.wording import verbs
from services.questions.wording.predicates import Predicate, is_present


@dataclass(frozen=True, slots=True)
class Paraphrase:
    """How a description says a predicate of its object before its subject.

    `verb` is an infinitive that is put into the predicate's tense behind `before` ("whose players" include),
    or empty where `before` is all ("twinned with"). `always` tells that it also reads better before a short
    name. `inverted` puts the preposition and the verb itself first: "into which flows".
    """

    before: str = "that"
    verb: str = ""
    after: str = ""
    always: bool = False
    inverted: bool = False


_HOME = Paraphrase(verb="be", after="home to")
_HOST = Paraphrase(verb="host")
_EMPLOY = Paraphrase(verb="employ")
_INVERTED = Paraphrase(inverted=True)
_MEMBERS = Paraphrase("whose members", "include")
_CONTAIN = Paraphrase(verb="contain")
_ATTENDED = Paraphrase("attended by")
_SCHOOLS = frozenset(
    {"university", "college", "school", "academy", "polytechnic", "institute", "institution"}
)
"""Nouns of what pupils attend; a church is attended by others."""

_PARAPHRASES: dict[str, Paraphrase] = {
    "be locate in": _HOME,
    "be locate on": _HOME,
    "be locate at": _HOME,
    "be situate in": _HOME,
    "be base in": _HOME,
    "be from": _HOME,
    "live in": _HOME,
    "live on": _HOME,
    "be headquarter in": Paraphrase(verb="be", after="home to the headquarters of"),
    "be headquarter at": Paraphrase(verb="be", after="home to the headquarters of"),
    "be hold in": _HOST,
    "be hold at": _HOST,
    "be stage at": _HOST,
    "be stage in": _HOST,
    "be test at": Paraphrase(verb="host", after="the tests of"),
    "be test in": Paraphrase(verb="host", after="the tests of"),
    "take place in": _HOST,
    "take place at": _HOST,
    "work at": _EMPLOY,
    "work for": _EMPLOY,
    "study at": _ATTENDED,
    "be educate at": _ATTENDED,
    "play for": Paraphrase("whose players", "include"),
    "row for": Paraphrase("whose rowers", "include"),
    "ride for": Paraphrase("whose riders", "include"),
    "race for": Paraphrase("whose racers", "include"),
    "swim for": Paraphrase("whose swimmers", "include"),
    "teach at": Paraphrase("whose teachers", "include"),
    "lecture at": Paraphrase("whose lecturers", "include"),
    "graduate from": Paraphrase("whose graduates", "include"),
    "compete in": Paraphrase("whose competitors", "include"),
    "serve in": _MEMBERS,
    "sit on board of": Paraphrase("whose board", "include"),
    "be operate on at": Paraphrase(verb="operate", after="on"),
    "become president of": Paraphrase("whose presidents", "include"),
    "take charge of": Paraphrase("put in the charge of"),
    "be name after": Paraphrase("whose name was given to"),
    "be award": Paraphrase("awarded to", always=True),
    "be grant": Paraphrase("granted to", always=True),
    "be derive from": Paraphrase(verb="be", after="the source of"),
    "be marry to": Paraphrase("married to", always=True),
    "marry": Paraphrase("married to"),
    "be twin with": Paraphrase("twinned with", always=True),
    "be ally with": Paraphrase("allied with", always=True),
    "be affiliate with": Paraphrase("whose affiliates", "include"),
    "partner with": Paraphrase(verb="partner", after="with"),
    "merge with": Paraphrase(verb="merge", after="with"),
    "collaborate with": Paraphrase(verb="collaborate", after="with"),
    "run against": Paraphrase(verb="run", after="against"),
    "play against": Paraphrase(verb="play", after="against"),
    "border": Paraphrase(verb="border"),
    "meet": Paraphrase(verb="meet"),
    "lie in": _CONTAIN,
    "lie on": _INVERTED,
    "stand in": _INVERTED,
    "stand on": _INVERTED,
    "flow into": _INVERTED,
    "rise in": _INVERTED,
}
_REGIONS = frozenset(
    {"place", "area", "region", "city", "town", "village", "country", "state", "province", "county"}
)
"""Nouns of what lies in a larger whole, which "contains" it; a hospital it is rather "home to"."""
_PLACING = frozenset({"be locate in", "be situate in", "lie in"})
_NOMINAL = {
    "be bear in": "birthplace",
    "be bear on": "birthplace",
    "be bear at": "birthplace",
    "be launch from": "launch site",
}

_EVENT = {
    "be acquire": "acquisition",
    "be adopt": "adoption",
    "be announce": "announcement",
    "be appoint": "appointment",
    "be approve": "approval",
    "be arrest": "arrest",
    "be assassinate": "assassination",
    "be build": "building",
    "be close": "closure",
    "be complete": "completion",
    "be discover": "discovery",
    "be dissolve": "dissolution",
    "be elect": "election",
    "be establish": "establishment",
    "be execute": "execution",
    "be form": "formation",
    "be found": "founding",
    "be introduce": "introduction",
    "be launch": "launch",
    "be murder": "murder",
    "be open": "opening",
    "be promote": "promotion",
    "be publish": "publication",
    "be recall": "recall",
    "be release": "release",
    "be sell": "sale",
    "be sign": "signing",
    "be suspend": "suspension",
    "die": "death",
    "open": "opening",
}


def lemma_key(found: Predicate) -> str:
    """The key of the tables: lemma, complement and preposition."""
    first = f"be {found.lemma}" if found.voice == "passive" else found.lemma
    return " ".join(part for part in (first, found.complement, found.preposition) if part)


def is_placing(found: Predicate) -> bool:
    """Whether the predicate only tells where something lies."""
    return lemma_key(found) in _PLACING | {"be locate on", "be locate at"}


def nominal_of(found: Predicate) -> str:
    """The noun that stands for the whole predicate: "birthplace" for "was born in"; empty for most."""
    return _NOMINAL.get(lemma_key(found), "")


def event_of(found: Predicate) -> str:
    """The noun of what happened to its subject: "founding" for "was founded in"; empty where there is none.

    Behind a long description the verb itself would be read with the words before it: "the clinic led by
    the person that Acme trained founded".
    """
    first = f"be {found.lemma}" if found.voice == "passive" else found.lemma
    return "" if found.complement else _EVENT.get(first, "")


def is_region(noun: str) -> bool:
    """Whether the noun is of a place that lies in a larger one."""
    return noun in _REGIONS


def paraphrase_of(found: Predicate, known: str, noun: str = "") -> Paraphrase | None:
    """The other words for a predicate of a `known` ("hospital") with a `noun` as its object; None if none."""
    key = lemma_key(found)
    if key == "be affiliate with" and noun == "party":
        return _MEMBERS
    if key in _PLACING and is_region(known):
        return _CONTAIN
    if _PARAPHRASES.get(key) == _ATTENDED and noun not in _SCHOOLS | {""}:
        return None
    return _PARAPHRASES.get(key)


def in_tense(other: Paraphrase, found: Predicate, relative: str) -> str:
    """The paraphrase in the predicate's tense; `relative` is "who" or "that"."""
    before = relative if other.before == "that" else other.before
    if not other.verb:
        return before
    plural = before.endswith("s") and before.startswith("whose")
    if is_present(found):
        verb = other.verb if plural else "is" if other.verb == "be" else verbs.third(other.verb)
    else:
        verb = verbs.past(other.verb)
    return " ".join(part for part in (before, verb, other.after) if part)
