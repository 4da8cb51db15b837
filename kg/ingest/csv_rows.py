"""Rows out of CSV and TSV files with a header."""

import csv
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain
from pathlib import Path
from typing import TextIO

from kg.errors import InputError
from kg.ingest.rows import (
    MAX_ROW_CHARACTERS,
    TOO_LONG_REASON,
    UNDECODABLE,
    UNDECODABLE_REASON,
    Encoding,
    RawRow,
    RowTooLongError,
    next_line,
    open_text,
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
