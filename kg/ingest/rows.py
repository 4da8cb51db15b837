"""A row as a format's reader found it, before its columns are read as an article's fields."""

from collections.abc import Mapping
from dataclasses import dataclass

MAX_BODY_CHARACTERS = 5_000_000
"""An article with a longer body is set aside."""

MAX_ROW_CHARACTERS = 12_000_000
"""A row that takes more characters in its file is skipped without being held in memory."""


@dataclass(frozen=True, slots=True)
class RawRow:
    """Column names and values of one row. `place` is "file:line", the line where the row starts."""

    place: str
    cells: Mapping[str, object]
