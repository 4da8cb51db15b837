"""A row as a format's reader found it, before its columns are read as an article's fields."""

import os
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

MAX_BODY_CHARACTERS = 5_000_000
"""An article with a longer body is set aside."""

MAX_FIELD_CHARACTERS = 1_000
"""A longer title, source, category or author is cut there, a longer url or id is left out: the store's
indexes hold some 8,000 bytes, and four is the most that a character takes."""

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
    place = f"{path_text(path)}:{line}"
    return f"{place}, row {number}" if number else place


def path_text(path: Path) -> str:
    """A path as a text that any file and database can hold; bytes that are no UTF-8 are written out."""
    return os.fsencode(path).decode("utf-8", "backslashreplace")


def file_and_line(place: str) -> tuple[str, int]:
    """The file and the line of a place; a place without a line is a file, and its line is 0."""
    found = _PLACE.fullmatch(place)
    return (found[1], int(found[2])) if found else (place, 0)
