"""Names inside predicates, and predicates that a model gave in a form of which no question can be made.

"Endorsed Joe Brandt on" holds a name that a question over the fact would give away or could not place, and
"labelled as thief" doesn't read as subject, predicate, object. What can be put right without asking again is;
the rest is refused before anything is paid for later.
"""

import re
from collections.abc import Collection, Mapping
from dataclasses import dataclass

from kg.extract.dates import MONTH, MONTHS, WEEKDAYS
from kg.model import PLACE_TYPES
from kg.resolve.normal_form import DETERMINERS, OFFICE_WORDS, TITLES, is_acronym, normal_form
from kg.text.lexicon import countries
from kg.text.words import PREPOSITIONS

_WITHIN_NAMES = frozenset({"of", "the", "and", "de", "la", "van", "von", "bin", "al", "for"})
_POSTS = "ceo cfo coo cto mp mps mep meps phd mba mvp"
_OFFICES = TITLES | OFFICE_WORDS | frozenset(_POSTS.split())
_BODIES = frozenset({"of", "board", "directors"})
_CALENDAR = frozenset(word.casefold() for word in (*MONTHS, *WEEKDAYS))
_SMALL_WORDS = "a an the and or but not never up out off down away back to than then also again"
_NO_NOUNS = PREPOSITIONS | DETERMINERS | frozenset(_SMALL_WORDS.split())
_DATE_INSIDE = re.compile(
    r"\s(?:in|on|since|during|of)\s(?:early |mid |late )?"
    rf"(?:\d{{1,2}}\s)?(?:(?:{MONTH})\s)?(?:1[0-9]|20)\d\d\b"
)
_WHOLE_DAY = re.compile(rf"\d{{1,2}} (?:{MONTH})\b|\b(?:{MONTH}) \d{{1,2}}\b|\d{{4}}-\d\d-\d\d")
_DATE_PREPOSITIONS = "on in at since until till from during before after by around of"
_BEFORE_A_DATE = frozenset(_DATE_PREPOSITIONS.split())
_STANDS_BEFORE_A_DATE = _BEFORE_A_DATE | {"is", "was", "are", "were", "dated", "for", "to", "through"}
_CALLING = re.compile(
    r"(?:(?:has|have|had) )?(?P<verb>label(?:l)?ed|designated|described|characteri[sz]ed|announced|named"
    r"|appointed|nominated|classified|listed|identified|recogni[sz]ed|regarded|denounced|condemned|declared"
    r"|elected|picked|branded|hailed|praised) as (?P<what>[a-z].*)"
)
_OUTRIGHT = "labeled labelled designated declared named appointed elected branded"
_NAMED_OUTRIGHT = frozenset(_OUTRIGHT.split())


def name_inside(predicate: str, plain: Collection[str] = ()) -> str:
    """The first name that stands inside a predicate, or "".

    Offices ("is Prime Minister of"), words of the calendar, and names that only tell the kind of what follows
    ("received FDA approval for", "led Kurdish forces in") are none; nor is what stands in `plain` (normal
    forms), such as an illness. A name is what a verb or a preposition takes ("called Nevada for"), and a
    possessor.
    """
    words = predicate.split()
    start = 0
    while start < len(words):
        end = _run_end(words, start)
        if end == start:
            start += 1
            continue
        run = words[start:end]
        following = words[end] if end < len(words) else ""
        # A sentence's capital on the verb is no name's.
        opens_with_verb = start == 0 and len(run) == 1 and not is_acronym(run[0])
        if not opens_with_verb and not _is_no_name(run, following, plain):
            return " ".join(run)
        start = end
    return ""


def _run_end(words: list[str], start: int) -> int:
    """Where a run of capitalised words that begins at `start` ends; `start` itself where there is none."""
    end = start
    while end < len(words) and _is_capitalised(words[end]):
        end += 1
        joined = end
        while joined < len(words) and words[joined] in _WITHIN_NAMES:
            joined += 1
        # "Bank of England" is one name; "Nevada for" is none, and "Iowa and" has its other half behind it
        if joined > end and joined < len(words) and _is_capitalised(words[joined]):
            end = joined
    return end


def _is_capitalised(word: str) -> bool:
    return word[:1].isupper() or (word[:3] in {"al-", "el-"} and word[3:4].isupper())


def _is_no_name(run: list[str], following: str, plain: Collection[str]) -> bool:
    text = " ".join(run)
    lowered = [word.casefold().strip(".,") for word in run]
    if set(lowered) <= _CALENDAR or normal_form(text) in plain:
        return True
    if text.endswith(("'s", "\u2019s", "s'", "s\u2019")):
        return False
    if lowered[-1].removesuffix("-elect") in _OFFICES or set(lowered) <= _OFFICES | _BODIES:
        return True
    tells_kind = following and following[0].islower() and following.casefold() not in _NO_NOUNS
    return bool(tells_kind) and (len(run) == 1 or is_acronym(text) or text in countries())


@dataclass(frozen=True, slots=True)
class Wording:
    """Subject, predicate and object as texts, in an order that reads; `refused` says why it can't be kept.

    `turned` says that subject and object changed places.
    """

    predicate: str
    turned: bool = False
    refused: str = ""


NAME_INSIDE = "a name stands inside its predicate"
SAYS_NOTHING = "its predicate tells no relation"
TWO_PREPOSITIONS = "its predicate ends with two prepositions"

_HELPERS_TEXT = "is are was were be been being has have had will would can could may might must"
_HELPERS = frozenset(_HELPERS_TEXT.split())
_FILLERS_TEXT = "context terms regard respect relation connection case light least most about"
_FILLERS = frozenset(_FILLERS_TEXT.split())
_WHERE_PREPOSITIONS_TEXT = "in at on near outside inside within under"
_WHERE_PREPOSITIONS = frozenset(_WHERE_PREPOSITIONS_TEXT.split())
_SITED = frozenset({"GPE", "LOC", "FAC", "ORG", "EVENT", "CONCEPT"})
_BARE_TEXT = "of for with to from at by about against into"
_BARE = frozenset(_BARE_TEXT.split())
_BARE_AT_END_TEXT = "of for in on at to with from"
_BARE_AT_END = frozenset(_BARE_AT_END_TEXT.split())
_COUNTING_TEXT = "numbering totalling totaling amounting"
_COUNTING = frozenset(_COUNTING_TEXT.split())
_APPOINTED_TEXT = "scheduled planned set due slated"
_APPOINTED = frozenset(_APPOINTED_TEXT.split())


def empty_relation(predicate: str, subject_type: str, object_type: str) -> bool:
    """Whether a predicate relates nothing: "is of", "is in context of", "had delegates numbering".

    Such a one has nothing but forms of "be" and "have" and prepositions. "is in" tells where anything but
    a person is, "is on" and "is in" a date when it is, and "is from" where somebody comes from.
    """
    words = predicate.casefold().split()
    small = [word for word in words if word not in _HELPERS]
    if words and words[-1] in _COUNTING:
        return True
    if not small or len(small) == len(words) or not set(small) <= PREPOSITIONS | _FILLERS:
        return False
    return not (len(small) == 1 and _places(small[0], subject_type, object_type))


def _places(preposition: str, subject_type: str, object_type: str) -> bool:
    """Whether "is" and this preposition say where or when a thing is, or where it comes from."""
    if object_type == "DATE":
        return preposition in {"in", "on", "during", "from"}
    if preposition == "from":
        return object_type in PLACE_TYPES | {"ORG", "NORP"}
    return preposition in _WHERE_PREPOSITIONS and subject_type in _SITED and object_type in PLACE_TYPES


def _single_preposition(words: str, object_is_date: bool) -> str | None:
    """A predicate that ends with one preposition; None where nothing tells which of two is right."""
    split = words.split()
    *before, last_but_one, last = ("", "", *(word.casefold() for word in split))
    dated = object_is_date and last in {"on", "in"} and last_but_one in _BARE | {"in"}
    if not dated and not (last_but_one in _BARE and last in _BARE_AT_END):
        return words
    return " ".join([*split[:-2], split[-1]]) if before[-1] in _APPOINTED else None


def allowed(predicate: str, negated: bool) -> tuple[str, bool]:
    """A predicate and whether it is denied; of "must cite", denied, a ban is made: "is forbidden to cite"."""
    verb, _, rest = predicate.partition(" ")
    if negated and rest and verb.casefold() == "must":
        return f"is forbidden to {rest}", False
    return predicate, negated


def mended(predicate: str, object_is_date: bool, when: str, plain: Collection[str]) -> Wording:
    """A predicate in words of which a question can be made; `when` is the object's text.

    A date goes out of it ("lost nomination in 2016 to"), a date behind it gets its preposition ("was
    appointed"; "3 May 2027"), of "is scheduled for on" one preposition stays, and "labelled as thief" becomes
    what it says of the object: "was labelled a thief by".
    """
    words = " ".join(predicate.split()).strip(" .,;:")
    if not object_is_date:
        words = _DATE_INSIDE.sub("", words)
        called = _CALLING.fullmatch(words)
        if called and called["what"].split()[-1] not in PREPOSITIONS:
            words = f"was {called['verb']} {_what(called['verb'], called['what'])} by"
            return Wording(words, turned=True, refused=NAME_INSIDE if name_inside(words, plain) else "")
    elif words and words.split()[-1].casefold() not in _STANDS_BEFORE_A_DATE:
        words = f"{words} {'on' if _WHOLE_DAY.search(when) else 'in'}"
    single = _single_preposition(words, object_is_date)
    if single is None:
        inside = NAME_INSIDE if name_inside(words, plain) else TWO_PREPOSITIONS
        return Wording(words, refused=inside)
    words = single
    return Wording(words, refused=NAME_INSIDE if name_inside(words, plain) else "")


def _what(verb: str, what: str) -> str:
    """ "thief" as English has it behind the verb: "a thief", "as a hero", "as running mate"."""
    first, *_ = words = what.split()
    head = words[-1]
    plain = (
        first in _NO_NOUNS or head in _OFFICES | {"mate"} or (head.endswith("s") and not head.endswith("ss"))
    )
    article = "" if plain else "an " if first[0] in "aeiou" else "a "
    return f"{'' if verb in _NAMED_OUTRIGHT else 'as '}{article}{what}"


def deed(predicate: str, types: Mapping[str, str], plain: Collection[str]) -> tuple[str, str] | None:
    """Of "endorsed Joe Brandt on" with a date behind it: "endorsed" and "Joe Brandt"; None for other forms.

    `types` are the types of known names: what is named has to be one of them.
    """
    name = name_inside(predicate, plain)
    before, _, after = predicate.partition(name) if name else ("", "", "")
    if not before.strip() or after.strip() not in _BEFORE_A_DATE or name not in types:
        return None
    return before.strip(), name
