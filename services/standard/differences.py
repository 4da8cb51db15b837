"""Where a value computed anew is not what an archive holds: its place, and both values."""

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher
from itertools import zip_longest
from typing import TypeAlias

from services.standard.hashing import JsonData, canonical_json

RELATIVE_TOLERANCE = 1e-9
ABSOLUTE_TOLERANCE = 1e-12
"""Numbers nearer than this are equal: another machine may add the same numbers up in another order."""

MOST_ALIGNED = 5_000
"""Lines of a text up to which those of another are aligned with them; the work may grow with the square."""

_SHOWN_CHARACTERS = 100
_ABSENT = "nothing"

_Place: TypeAlias = tuple[str | int, ...]
"""Names of fields, and numbers in lists, from 1. It is joined to a text only to be shown: joined, what has a
dot in its name would be taken for another place."""


@dataclass(frozen=True, slots=True)
class Difference:
    """A place ("results.json: measures.3.mean"), what the archive has there, and what was computed."""

    place: str
    archived: str
    computed: str

    def __str__(self) -> str:
        """The difference in a few words."""
        return f"{self.place}: archived {self.archived}, computed {self.computed}"


def differing_values(file: str, archived: JsonData, computed: JsonData) -> Iterator[Difference]:
    """Every place in two documents where they differ, in the order of the archived one; parts of lists are
    counted from 1, and numbers equal within the tolerances."""
    old, new = dict(_leaves((), archived)), dict(_leaves((), computed))
    for place in (*old, *(place for place in new if place not in old)):
        if place not in old or place not in new or not _equal(old[place], new[place]):
            yield Difference(f"{file}: {_joined(place) or 'all'}", _shown(old, place), _shown(new, place))


def differing_lines(file: str, archived: str, computed: str) -> Iterator[Difference]:
    """The lines in which two texts differ, by their number in the archived one, counted from 1.

    A line too many shifts the others and leaves them equal, but in texts of over MOST_ALIGNED lines.
    """
    old, new = archived.splitlines(keepends=True), computed.splitlines(keepends=True)
    for start, before, after in _differing_blocks(old, new):
        for number, (one, other) in enumerate(zip_longest(before, after), start + 1):
            if one != other:
                yield Difference(f"{file}: line {number:,}", _line(one), _line(other))


def _differing_blocks(
    old: Sequence[str], new: Sequence[str]
) -> Iterator[tuple[int, Sequence[str], Sequence[str]]]:
    """Where lines differ: behind how many of the old ones, and what is there in either text."""
    if max(len(old), len(new)) > MOST_ALIGNED:
        yield 0, old, new
        return
    for kind, start, end, from_, to in SequenceMatcher(None, old, new).get_opcodes():
        if kind != "equal":
            yield start, old[start:end], new[from_:to]


def _leaves(place: _Place, value: JsonData) -> Iterator[tuple[_Place, JsonData]]:
    if isinstance(value, Mapping) and value:
        for name, part in value.items():
            yield from _leaves((*place, name), part)
    elif isinstance(value, Sequence) and not isinstance(value, str) and value:
        for number, part in enumerate(value, 1):
            yield from _leaves((*place, number), part)
    else:
        yield place, value


def _equal(old: JsonData, new: JsonData) -> bool:
    # True is 1 in Python, and is not in JSON.
    if isinstance(old, bool) or isinstance(new, bool):
        return old is new
    if isinstance(old, int | float) and isinstance(new, int | float):
        return math.isclose(old, new, rel_tol=RELATIVE_TOLERANCE, abs_tol=ABSOLUTE_TOLERANCE)
    return canonical_json(old) == canonical_json(new)


def _joined(place: _Place) -> str:
    return ".".join(str(step) if isinstance(step, int) else _name(step) for step in place)


def _name(name: str) -> str:
    """A name as part of a place; in quotes where it could be taken for more than one, or for a number."""
    plain = name and name.isprintable() and "." not in name and not name.isdigit()
    return _cut(name if plain else canonical_json(name))


def _shown(leaves: Mapping[_Place, JsonData], place: _Place) -> str:
    return _cut(canonical_json(leaves[place])) if place in leaves else _ABSENT


def _line(line: str | None) -> str:
    return _ABSENT if line is None else _cut(repr(line))


def _cut(text: str) -> str:
    return text if len(text) <= _SHOWN_CHARACTERS else f"{text[:_SHOWN_CHARACTERS]}…"
