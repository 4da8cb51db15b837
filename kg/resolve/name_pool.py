"""All that a corpus says about one name, whatever types and articles it came with.

One key for a date however it is written.

What tells two names apart however alike they look: numbers, and words that come in opposites.

Which entity types can belong to one thing, and which type a thing gets from several votes.
"""

import calendar
import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from datetime import date
from types import MappingProxyType
from typing import get_args

from kg.model import LITERAL_TYPES, PLACE_TYPES, EntityName, EntityType
from kg.resolve.normal_form import normal_form

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
    return {name: _pooled(name, rows[name]) for name in sorted(rows)}


def _pooled(name: str, rows: list[EntityName]) -> PooledName:
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
