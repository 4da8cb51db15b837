"""All that a corpus says about one name, whatever types and articles it came with.

One key for a date however it is written.

What tells two names apart however alike they look: numbers, and words that come in opposites.

Which entity types can belong to one thing, and which type a thing gets from several votes.

The type of a name by a vote of the whole corpus: its mentions, its words, and what its predicates take.

The small model labels a name anew in each article, and errs the same way each time where it doesn't know the
name: a drug becomes a place, a satellite a person. What is said of the thing knows better: somebody is born,
a club is played for, a drug is approved. Each predicate that takes few types only is a vote for these, from
`_USUAL`, which was written on the development corpora, or learnt from names in the corpus of a clear type.
Where the votes are against every type, a name stays MISC, a thing of unknown type.
"""

import calendar
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import Literal, NamedTuple, get_args

from kg.model import LITERAL_TYPES, PLACE_TYPES, EntityName, EntityType
from kg.resolve.normal_form import normal_form
from kg.text.lexicon import GIVEN_NAMES_OF_PLACES, NOUN_KINDS, countries, genders

_MONTHS = {name.casefold(): number for number, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.casefold(): number for number, name in enumerate(calendar.month_abbr) if name}
_MONTHS["sept"] = 9
_DAYS = "|".join(name.casefold() for name in (*calendar.day_name, *calendar.day_abbr))
_BEFORE = re.compile(rf"^(?:(?:on|in|the|{_DAYS})\b[.,]? ?)+")
_DAY, _MONTH, _YEAR = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<month>[a-z]{3,9})\.?", r"(?P<year>\d{4})"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"{_DAY} (?:of )?{_MONTH},? {_YEAR}",
        rf"{_MONTH} (?:the )?{_DAY},? {_YEAR}",
        rf"{_MONTH}(?: of)?,? {_YEAR}",
    )
)


def date_key(name: str) -> str:
    """ "2031-09-05" for "5 September 2031" and for "September 5th, 2031", "2031-09" for "Sept. 2031".

    What is no day or month of a year stays as it is written, in lower case: "03/04/2031" is two dates.
    """
    folded = " ".join(name.casefold().split())
    bare = _BEFORE.sub("", folded)
    for form in _FORMS:
        found = form.fullmatch(bare)
        if found and (month := _MONTHS.get(found["month"])):
            year, day = int(found["year"]), found.groupdict().get("day")
            if day is None:
                return f"{year:04}-{month:02}"
            if 1 <= int(day) <= calendar.monthrange(year, month)[1]:
                return date(year, month, int(day)).isoformat()
    return folded


_CALENDAR = re.compile(r"\d{4}-\d\d(?:-\d\d)?")


def entity_key(name: str) -> str:
    """The normal form of a name, of a day or month of a year that of its calendar form.

    "5 September 2031" and "2031-09-05" are both "2031 09 05".
    """
    key = date_key(name)
    return normal_form(key if _CALENDAR.fullmatch(key) else name)


NUMBERS = "numbers"
_DIGITS = re.compile(r"\d+")
_ROMAN = re.compile(r"(?=[IVX])X{0,3}(?:IX|IV|V?I{0,3})")
_LINES = """
    compass: north/northern south/southern east/eastern west/western northeast/northeastern
      northwest/northwestern southeast/southeastern southwest/southwestern central
    generation: jr/junior sr/senior
    order: first/1st second/2nd third/3rd fourth/4th fifth/5th sixth/6th seventh/7th eighth/8th ninth/9th
      tenth/10th
    rank: deputy vice assistant under acting
    time: former/ex incoming outgoing current
    sex: men/mens man/male boys/boy women/womens woman/female girls/girl
    size: upper/greater lower/lesser inner outer
    age: old new
    side: left right
    house: king queen prince princess duke duchess count countess lord lady sheikh sheikha
"""


def _axes() -> dict[str, tuple[str, str]]:
    """For each word: its axis and what it means on it."""
    table: dict[str, tuple[str, str]] = {}
    axis = ""
    for part in _LINES.split():
        if part.endswith(":"):
            axis = part[:-1]
        else:
            table.update((word, (axis, part)) for word in part.split("/"))
    return table


_AXES: Mapping[str, tuple[str, str]] = MappingProxyType(_axes())

Marks = Mapping[str, frozenset[str]]


def marks(name: str, key: str = "") -> Marks:
    """The numbers and the opposites in a name, by axis: "North Vell 2" has compass and numbers.

    `key` is the normal form, where it is known already.
    """
    found: dict[str, set[str]] = {}
    for word in (key or normal_form(name)).split():
        axis, meaning = _AXES.get(word, ("", ""))
        if axis:
            found.setdefault(axis, set()).add(meaning)
            continue
        for digits in _DIGITS.findall(word):
            found.setdefault(NUMBERS, set()).add(digits.lstrip("0") or "0")
    # A numeral counts in capitals and behind a name only: the I of "I Claudius" is a word.
    for word in name.split()[1:]:
        if _ROMAN.fullmatch(word.rstrip(",.")):
            found.setdefault(NUMBERS, set()).add(word.rstrip(",."))
    return {axis: frozenset(values) for axis, values in found.items()}


def conflict(one: Marks, other: Marks) -> str:
    """The axis on which both have something and nothing in common, or ""."""
    return next((axis for axis in sorted(one.keys() & other.keys()) if not one[axis] & other[axis]), "")


def conflict_among(one: Iterable[Marks], other: Iterable[Marks]) -> str:
    """The first conflict between any of the one and any of the other, or ""."""
    others = list(other)
    return next((axis for mine in one for theirs in others if (axis := conflict(mine, theirs))), "")


def same_marks(one: str, other: str) -> bool:
    """Whether two names have the same numbers and opposites."""
    return marks(one) == marks(other)


VAGUE_TYPES: frozenset[EntityType] = frozenset({"MISC", "CONCEPT"})
_ORDER: dict[EntityType, int] = {kind: index for index, kind in enumerate(get_args(EntityType))}


def family(kind: EntityType) -> str:
    """The group within which types may be one thing; empty for a vague type, which fits any name."""
    if kind in VAGUE_TYPES:
        return ""
    return "place" if kind in PLACE_TYPES else kind


def compatible(one: EntityType, other: EntityType) -> bool:
    """Whether two names of these types can be one thing; dates and numbers fit only their own type."""
    if one in LITERAL_TYPES or other in LITERAL_TYPES:
        return one == other
    families = {family(one), family(other)} - {""}
    return len(families) <= 1


def voted_type(counts: Mapping[EntityType, int]) -> EntityType:
    """The type with most votes; a vague type wins only alone, MISC only without CONCEPT; ties go by
    the order of `EntityType`."""
    for losers in (VAGUE_TYPES, frozenset[EntityType]({"MISC"}), frozenset[EntityType]()):
        running = [kind for kind in counts if kind not in losers]
        if running:
            return min(running, key=lambda kind: (-counts[kind], _ORDER[kind]))
    return "MISC"


@dataclass(frozen=True, slots=True)
class PooledName:
    """A name with its key; `votes` are (type, mentions), `surfaces` what articles resolved to it.

    `marks` are its numbers and opposites; a literal has none.
    """

    name: str
    key: str
    type: EntityType
    count: int
    votes: tuple[tuple[EntityType, int], ...]
    articles: frozenset[str]
    surfaces: frozenset[str]
    marks: Marks


def pool_names(names: Iterable[EntityName]) -> dict[str, PooledName]:
    """One entry a name, in the order of the names; rows of one name under several types are added up."""
    rows: defaultdict[str, list[EntityName]] = defaultdict(list)
    for row in names:
        rows[row.name].append(row)
    return {name: _pool_name(name, rows[name]) for name in sorted(rows)}


def _pool_name(name: str, rows: list[EntityName]) -> PooledName:
    votes: Counter[EntityType] = Counter()
    for row in rows:
        votes[row.type] += row.count
    kind = voted_type(votes)
    literal = kind in LITERAL_TYPES
    key = _literal_key(name, kind) if literal else normal_form(name)
    return PooledName(
        name=name,
        key=key,
        type=kind,
        count=votes.total(),
        votes=tuple(sorted(votes.items())),
        articles=frozenset().union(*(row.articles for row in rows)),
        surfaces=frozenset().union(*(row.surfaces for row in rows)),
        marks={} if literal else marks(name, key),
    )


def _literal_key(name: str, kind: EntityType) -> str:
    return date_key(name) if kind == "DATE" else " ".join(name.casefold().split())


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


def _roles(verbs: str, kinds: str) -> Iterator[tuple[Side, str, str]]:
    """What is done to a thing: the object of the active verb, the subject of the passive one."""
    yield "object", rf"{_HAVE}(?:{verbs})", kinds
    yield "subject", rf".*\b{_BE}(?:{verbs})\b.*", kinds


_USUAL: tuple[tuple[Side, re.Pattern[str], Kinds], ...] = tuple(
    (side, re.compile(pattern), _kinds(kinds))
    for side, pattern, kinds in (
        *_roles(r"recalled(?! to\b)|injected|prescribed|manufactured|delivers|delivered|patented", "product"),
        *_roles(r"approved", "product law work event"),
        *_roles(r"developed|develops|tested at|tested in", "product work"),
        *_roles(r"built|builds", "product fac"),
        *_roles(r"launched (?:from|on|into)", "product"),
        *_roles(r"discovered", "misc loc product"),
        *_roles(r"founded|established", "org fac gpe event work"),
        *_roles(r"elected|married|arrested|sentenced|convicted|buried|jailed|hired", "person"),
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
    return {name: _vote_type(one, learnt) for one in told for name in one.names}


def is_usual(said: PredicateSide) -> bool:
    """Whether it is known what the predicate takes on this side, in any corpus."""
    return _pattern_of(said) is not None


def _vote_type(one: NameVotes, learnt: Mapping[PredicateSide, Kinds]) -> EntityType:
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
