"""A row as a format's reader found it, before its columns are read as an article's fields.

What a reader changed or left out in an article that it kept.

Text out of files of any quality, in bounded memory.

Which column of a file holds which field of an article.
"""

import codecs
import os
import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from difflib import get_close_matches
from pathlib import Path
from shlex import quote
from typing import Literal, TextIO

from kg.errors import InputError, SettingsError, command


@dataclass(frozen=True, slots=True)
class Note:
    """Something the reader could not take as it stood; the article at `place` is kept all the same."""

    place: str
    reason: str


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


Encoding = Literal["utf-8-sig", "utf-16", "utf-32"]

UNDECODABLE = "\udc80"
"""Stands for each byte that the encoding can't explain. No well-formed text decodes to it."""

UNDECODABLE_REASON = "it holds bytes that are not text in the file's encoding; save the file as UTF-8"
TOO_LONG_REASON = f"it is longer than {MAX_ROW_CHARACTERS:,} characters"

_MARK_BAD_BYTES = "hopgrade-mark-bad-bytes"
_PIECE_CHARACTERS = 1 << 20


class RowTooLongError(ValueError):
    """A line or a record has more than `MAX_ROW_CHARACTERS`; the file stands behind the line."""


def _mark_bad_bytes(error: UnicodeError) -> tuple[str, int]:
    if not isinstance(error, UnicodeDecodeError):
        raise error
    return UNDECODABLE * (error.end - error.start), error.end


# The built-in handler "surrogateescape" would do for UTF-8 but fails on UTF-16.
codecs.register_error(_MARK_BAD_BYTES, _mark_bad_bytes)


@contextmanager
def open_text(path: Path, encoding: Encoding, newline: Literal[""] | None = None) -> Iterator[TextIO]:
    """The file as text, bad bytes as `UNDECODABLE`.

    Raises:
        InputError: the file can't be opened or read.
    """
    try:
        with path.open(encoding=encoding, errors=_MARK_BAD_BYTES, newline=newline) as file:
            yield file
    except OSError as error:
        raise InputError(f"{path}: {unreadable(error)}.", "Check the path and its permissions.") from error


def unreadable(error: OSError) -> str:
    """Why the operating system would not let us read, as part of a sentence."""
    return f"the file can't be read ({(error.strerror or str(error)).lower()})"


def next_line(file: TextIO) -> str:
    """The next line with its line end, "" at the end of the file.

    Raises:
        RowTooLongError: the line is over `MAX_ROW_CHARACTERS`; it was skipped to its end.
    """
    pieces: list[str] = []
    size = 0
    while piece := file.readline(_PIECE_CHARACTERS):
        size += len(piece)
        if size <= MAX_ROW_CHARACTERS:
            pieces.append(piece)
        else:
            pieces.clear()
        if piece[-1] in "\r\n":
            break
    if size > MAX_ROW_CHARACTERS:
        raise RowTooLongError
    return pieces[0] if len(pieces) == 1 else "".join(pieces)


KNOWN_COLUMNS: Mapping[str, tuple[str, ...]] = {
    "body": ("body", "text", "content", "article", "article_body"),
    "title": ("title", "headline", "name", "source_title"),
    "published_at": ("published_at", "date", "published", "pub_date", "publishedAt", "datetime"),
    "author": ("author", "authors", "byline"),
    "source": ("source", "publisher", "outlet"),
    "category": ("category", "section", "topic"),
    "url": ("url", "link"),
    "id": ("id", "article_id", "_id", "doc_id", "chunk_id"),
}
"""Names recognised without a mapping. Where a file has two of them, the one named first here counts."""

_QUESTION_COLUMNS = frozenset({"question", "query"})
_MOST_NAMES_SHOWN = 15


def parse_mapping(options: Sequence[str]) -> dict[str, str]:
    """Options like "title=headline" as {"title": "headline"}: our field, their column.

    Raises:
        SettingsError: an option is not FIELD=COLUMN, or its field is unknown or named twice.
    """
    mapping: dict[str, str] = {}
    for option in options:
        field, _, column = (part.strip() for part in option.partition("="))
        if not field or not column:
            raise SettingsError(f'--map "{option}" is not of the form FIELD=COLUMN.', "Write --map body=text")
        if field not in KNOWN_COLUMNS:
            raise SettingsError(
                f'--map "{option}": there is no field "{field}".', f"Fields are {', '.join(KNOWN_COLUMNS)}."
            )
        if field in mapping:
            raise SettingsError(f'--map names a column for "{field}" twice.', "Keep one of them.")
        mapping[field] = column
    return mapping


def choose_columns(found: Collection[str], mapping: Mapping[str, str]) -> dict[str, str]:
    """Field -> column, for every field that has one among `found`.

    A mapped field is read from the mapped column and no other, and a mapped column is never taken
    for a second field on account of its name. The other fields go by `KNOWN_COLUMNS`: a name as it
    is written there comes before one that differs in case, spaces or hyphens ("Pub Date").
    """
    exact = set(found)
    mapped = set(mapping.values())
    folded: dict[str, str] = {}
    for column in found:
        if column not in mapped:
            folded.setdefault(_fold(column), column)
    chosen: dict[str, str] = {}
    for field, names in KNOWN_COLUMNS.items():
        if field in mapping:
            if mapping[field] in exact:
                chosen[field] = mapping[field]
            continue
        for name in names:
            column = name if name in exact and name not in mapped else folded.get(_fold(name), "")
            if column:
                chosen[field] = column
                break
    return chosen


def check_columns(
    path: Path, found: Sequence[str], mapping: Mapping[str, str], longest_column: str = ""
) -> None:
    """Make sure that the body and every mapped field have a column of their own in the file.

    `longest_column` is the column with the most text, the best guess at the body for the remedy.

    Raises:
        InputError: a column is missing, or two columns have the name of one that is needed.
    """
    shown = ", ".join(found[:_MOST_NAMES_SHOWN]) + (", ..." if len(found) > _MOST_NAMES_SHOWN else "")
    for field, column in mapping.items():
        if column not in found:
            (near,) = get_close_matches(column, found, 1) or ("COLUMN",)
            raise InputError(
                f'{path}: no column "{column}" for the {field} (found: {shown}).',
                f"Name one that is there: --map {quote(f'{field}={near}')}",
            )
    chosen = choose_columns(found, mapping)
    if "body" not in chosen:
        if _QUESTION_COLUMNS & set(found):
            raise InputError(
                f"{path}: these are questions, without articles (found: {shown}).",
                "Import them into a corpus that is built: "
                f"{command('questions import FILE')}; where a column holds "
                "articles all the same, name it: --map body=COLUMN",
            )
        raise InputError(
            f"{path}: no column for the body (found: {shown}).",
            f"Name it: --map {quote('body=' + (longest_column or 'COLUMN'))}",
        )
    for column in chosen.values():
        if found.count(column) > 1:
            raise InputError(f'{path}: two columns are named "{column}".', "Rename one of them.")


def _fold(name: str) -> str:
    return name.strip().casefold().replace(" ", "_").replace("-", "_")
