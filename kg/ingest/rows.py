"""A row as a format's reader found it, before its columns are read as an article's fields."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MAX_BODY_CHARACTERS = 5_000_000
"""An article with a longer body is set aside."""

MAX_ROW_CHARACTERS = 12_000_000
"""A row that takes more characters in its file is skipped without being held in memory."""


@dataclass(frozen=True, slots=True)
class RawRow:
    """Column names and values of one row; `place` is what `row_place` gives."""

    place: str
    cells: Mapping[str, object]


_PLACE = re.compile(r"(.*):(\d+)(?:, row \d+)?", re.S)


def row_place(path: Path, line: int, number: int = 0) -> str:
    """Where a row starts: "file:line", then its `number` (from 1) where other rows start on that line too."""
    return f"{path}:{line}, row {number}" if number else f"{path}:{line}"


def file_and_line(place: str) -> tuple[str, int]:
    """The file and the line of a place; a place without a line is a file, and its line is 0."""
    found = _PLACE.fullmatch(place)
    return (found[1], int(found[2])) if found else (place, 0)
