"""Rows out of text: CSV and TSV files with a header, and articles that are a text file each.

A text file may have front matter.
"""

import csv
import os
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TextIO

import yaml

from kg.errors import InputError
from kg.ingest.rows import (
    MAX_ROW_CHARACTERS,
    TOO_LONG_REASON,
    UNDECODABLE,
    UNDECODABLE_REASON,
    Encoding,
    RawRow,
    RowTooLongError,
    choose_columns,
    next_line,
    open_text,
    path_text,
    row_place,
)
from kg.model import Reject

_DELIMITERS = (",", "\t", ";", "|")


def csv_columns(path: Path, encoding: Encoding) -> tuple[str, ...]:
    """The names in the header.

    Raises:
        InputError: there is no header that can be read.
    """
    with open_text(path, encoding, newline="") as file:
        return _read_header(path, file).columns


def csv_rows(path: Path, encoding: Encoding) -> Iterator[RawRow | Reject]:
    """One row for each record below the header, in order.

    Quotes are read strictly: a record whose quotes don't pair up is set aside with all its lines,
    since a lenient reading would glue it to the record below.
    """
    with open_text(path, encoding, newline="") as file:
        header = _read_header(path, file)
        lines = _Lines(file, header.lines)
        reader = _reader(lines, header.delimiter, strict=True)
        while True:
            lines.begin_record()
            place = row_place(path, lines.number + 1)
            try:
                cells = next(reader)
            except StopIteration:
                return
            except RowTooLongError:
                yield Reject(place, f"the record is set aside: {TOO_LONG_REASON}")
            except csv.Error as error:
                yield Reject(place, f"its quotes do not pair up by line {lines.number}: {error}")
            else:
                if cells:
                    yield _row(place, header.columns, cells)


def _row(place: str, columns: tuple[str, ...], cells: list[str]) -> RawRow | Reject:
    if len(cells) != len(columns):
        return Reject(place, f"the header has {len(columns)} columns, this record has {len(cells)}")
    if any(UNDECODABLE in cell for cell in cells):
        return Reject(place, UNDECODABLE_REASON)
    return RawRow(place, dict(zip(columns, cells, strict=True)))


@dataclass(frozen=True, slots=True)
class _Header:
    """Column names, the character between cells, and how many lines of the file the header took."""

    columns: tuple[str, ...]
    delimiter: str
    lines: int


class _Lines:
    """A file's lines as `csv.reader` wants them, counted, and bounded in each record's length."""

    def __init__(self, file: TextIO, number: int = 0) -> None:
        self.number = number
        self._file = file
        self._record_characters = 0

    def begin_record(self) -> None:
        self._record_characters = 0

    def __iter__(self) -> "_Lines":
        return self

    def __next__(self) -> str:
        self.number += 1
        line = next_line(self._file)
        if not line:
            self.number -= 1
            raise StopIteration
        self._record_characters += len(line)
        # Without this bound a quote that is never closed would gather the rest of the file.
        if self._record_characters > MAX_ROW_CHARACTERS:
            raise RowTooLongError
        return line


def _read_header(path: Path, file: TextIO) -> _Header:
    """The header at the start of `file`, which is left standing behind it."""
    remedy = "Its first line must name the columns: title,body,..."
    number, line = 0, "\n"
    try:
        while line.isspace():
            number += 1
            line = next_line(file)
        delimiter = max(_DELIMITERS, key=lambda mark: len(next(_reader([line], mark, strict=False), [])))
        lines = _Lines(file, number)
        columns = next(_reader(chain([line], lines), delimiter, strict=True), [])
    except RowTooLongError as error:
        raise InputError(f"{path}: the header can't be read: {TOO_LONG_REASON}.", remedy) from error
    except csv.Error as error:
        raise InputError(f"{path}: the header can't be read: {error}.", remedy) from error
    if any(UNDECODABLE in column for column in columns):
        raise InputError(f"{path}: the header holds bytes that are not text.", "Save the file as UTF-8.")
    return _Header(tuple(column.strip() for column in columns), delimiter, lines.number)


def _reader(lines: Iterable[str], delimiter: str, *, strict: bool) -> Iterator[list[str]]:
    # The limit is the process's own and 131,072 at first, less than a long article.
    if csv.field_size_limit() < MAX_ROW_CHARACTERS:
        csv.field_size_limit(MAX_ROW_CHARACTERS)
    return csv.reader(lines, delimiter=delimiter, strict=strict)


TEXT_SUFFIXES = frozenset({".txt", ".md", ".markdown"})

_FENCE = re.compile(r"---[ \t]*\n")
_CLOSING_FENCE = re.compile(r"^(?:---|\.\.\.)[ \t]*(?:\n|\Z)", re.M)
_MOST_FRONT_MATTER = 65_536
_HEADING = re.compile(r"(?:\A\s*#{1,6}|^#)[ \t]+(\S.{0,300})$", re.M)
_YAML_NULLS = frozenset({"", "~", "null"})


def folder_texts(folder: Path) -> list[Path]:
    """The text files in a folder and the folders in it, sorted; hidden ones are left out."""
    found: list[Path] = []
    for parent, folders, names in os.walk(folder):
        folders[:] = [name for name in folders if not name.startswith(".")]
        found.extend(
            Path(parent, name)
            for name in names
            if not name.startswith(".") and Path(name).suffix.lower() in TEXT_SUFFIXES
        )
    return sorted(found)


def text_row(path: Path, encoding: Encoding, mapping: Mapping[str, str]) -> RawRow | Reject:
    """The file as a row whose columns are named like our fields.

    The front matter's names are recognised and mapped like columns, but none has to be there. The
    title is the front matter's, else the Markdown heading at the top or the first one of level 1,
    else the file's name. A heading at the top that is the title is not repeated in the body.
    """
    place = path_text(path)
    with open_text(path, encoding) as file:
        text = file.read(MAX_ROW_CHARACTERS + 1)
    if len(text) > MAX_ROW_CHARACTERS:
        return Reject(place, f"the file is set aside: {TOO_LONG_REASON}")
    if UNDECODABLE in text:
        return Reject(place, UNDECODABLE_REASON)
    try:
        front, body = split_front_matter(text)
    except ValueError as error:
        return Reject(place, str(error))
    columns = choose_columns(front, {field: name for field, name in mapping.items() if field != "body"})
    cells = {field: front[column] for field, column in columns.items()}
    heading = _HEADING.search(body)
    heading_title = heading.group(1).rstrip("# \t") if heading else ""
    title = cells.get("title") or heading_title or path_text(Path(path.stem))
    if heading and title == heading_title and not body[: heading.start()].strip():
        body = body[heading.end() :].lstrip("\n")
    return RawRow(place, {**cells, "title": title, "body": body})


def split_front_matter(text: str) -> tuple[dict[str, object], str]:
    """The YAML between two lines of --- at the top of `text`, and the text below.

    Values come as they are written, never as dates, numbers or booleans ("title: No" is "No").
    What is between the lines but no mapping is no front matter: a rule may open an article too.

    Raises:
        ValueError: the front matter is not YAML.
    """
    opening = _FENCE.match(text)
    closing = opening and _CLOSING_FENCE.search(text, opening.end(), opening.end() + _MOST_FRONT_MATTER)
    if not opening or not closing:
        return {}, text
    # The base loader makes nothing but strings, lists and mappings.
    loader = yaml.BaseLoader(text[opening.end() : closing.start()].replace("\0", ""))
    try:
        values = loader.get_single_data()
    except yaml.MarkedYAMLError as error:
        # Lines count from 0 below the opening fence.
        where = f" in line {error.problem_mark.line + 2}" if error.problem_mark else ""
        raise ValueError(f"the front matter is not YAML{where}: {error.problem or error.context}") from error
    except (yaml.YAMLError, RecursionError) as error:
        raise ValueError("the front matter is not YAML") from error
    finally:
        loader.dispose()
    if not isinstance(values, dict):
        return {}, text
    front = {
        str(name): value
        for name, value in values.items()
        if not (isinstance(value, str) and value in _YAML_NULLS)
    }
    return front, text[closing.end() :].lstrip("\n")
