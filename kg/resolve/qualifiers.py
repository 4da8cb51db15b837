"""What tells two names apart however alike they look: numbers, and words that come in opposites."""

import re
from collections.abc import Iterable, Mapping
from types import MappingProxyType

from kg.resolve.normal_form import normal_form

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
