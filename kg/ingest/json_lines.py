"""Rows out of files with one JSON object a line."""

import json
from collections.abc import Iterator
from pathlib import Path

from kg.ingest.rows import RawRow, row_place
from kg.ingest.text_stream import (
    TOO_LONG_REASON,
    UNDECODABLE,
    UNDECODABLE_REASON,
    Encoding,
    RowTooLongError,
    next_line,
    open_text,
)
from kg.model import Reject

# Not strict: a raw tab or NUL inside a string costs nobody an article.
_DECODER = json.JSONDecoder(strict=False)


def json_line_rows(path: Path, encoding: Encoding) -> Iterator[RawRow | Reject]:
    """One row for each line that is not blank, in order."""
    number = 0
    with open_text(path, encoding) as file:
        while True:
            number += 1
            try:
                line = next_line(file)
            except RowTooLongError:
                yield Reject(row_place(path, number), f"the line is set aside: {TOO_LONG_REASON}")
                continue
            if not line:
                return
            if not line.isspace():
                # A line that breaks off is at fault itself, not the line below.
                yield parse_row(line.rstrip("\r\n"), path, number)


def parse_row(text: str, path: Path, line: int, column: int = 1, number: int = 0) -> RawRow | Reject:
    """The JSON object that starts in `line` and `column` of the file (from 1); `number` is for its place."""
    place = row_place(path, line, number)
    if UNDECODABLE in text:
        return Reject(place, UNDECODABLE_REASON)
    try:
        value = _DECODER.decode(text)
    except json.JSONDecodeError as error:
        bad_line = line + error.lineno - 1
        bad_column = error.colno if error.lineno > 1 else column + error.colno - 1
        what = error.msg[:1].lower() + error.msg[1:]
        return Reject(place, f"invalid JSON in line {bad_line}, column {bad_column}: {what}")
    except RecursionError:
        return Reject(place, "its lists and objects are nested too deeply")
    except ValueError:
        return Reject(place, "it holds a number with too many digits")
    if not isinstance(value, dict):
        return Reject(place, f"it is not a JSON object but {_kind(value)}")
    return RawRow(place, value)


def _kind(value: object) -> str:
    if value is None:
        return "null"
    if isinstance(value, bool):
        return "true or false"
    return "a list" if isinstance(value, list) else "text" if isinstance(value, str) else "a number"
