"""Rows out of a corpus that is one JSON object of {title: [sentences]}, entry by entry."""

import json
import re
from collections.abc import Iterator
from pathlib import Path
from typing import TextIO

from kg.ingest.passages import object_row
from kg.ingest.rows import MAX_ROW_CHARACTERS, RawRow, row_place
from kg.ingest.text_stream import TOO_LONG_REASON, UNDECODABLE, UNDECODABLE_REASON, Encoding, open_text
from kg.model import Reject

_DECODER = json.JSONDecoder(strict=False)
_WINDOW_CHARACTERS = 1 << 18
_BETWEEN = re.compile(r"[\s,]*")
_CLOSES = re.compile(r"\}\s*")
_COLON = re.compile(r"\s*:\s*")
_OPENS = re.compile(r'\s*\{\s*"(?:[^"\\]|\\.)*"\s*:\s*\[\s*"', re.S)
_REST = "; from here on the file is not read"


def opens_corpus_object(head: str) -> bool:
    """Whether a file that begins so is an object whose first value is a list of texts."""
    return _OPENS.match(head) is not None


def json_object_rows(path: Path, encoding: Encoding) -> Iterator[RawRow | Reject]:
    """One row for each entry of the object in the file, in order.

    An entry that is not JSON ends the reading: nothing tells where the next one would begin.
    """
    with open_text(path, encoding) as file:
        reader = _Reader(file)
        reader.skip(re.compile(r"\s*\{"))
        number = line = 0
        while True:
            reader.skip(_BETWEEN)
            number += 1
            place = row_place(path, reader.line, number if reader.line == line else 0)
            line = reader.line
            if reader.at_end():
                yield Reject(row_place(path, line), "the file ends before its object is closed")
                return
            if reader.next_is("}"):
                reader.skip(_CLOSES)
                if not reader.at_end():
                    yield Reject(
                        row_place(path, reader.line), "what follows the end of the object is not read"
                    )
                return
            try:
                title, value = reader.entry()
            except (ValueError, RecursionError) as error:
                why = error.msg if isinstance(error, json.JSONDecodeError) else str(error)
                yield Reject(place, f"invalid JSON: {why[:1].lower()}{why[1:]}{_REST}")
                return
            row = object_row(place, title, value)
            if isinstance(row, RawRow) and any(UNDECODABLE in str(cell) for cell in row.cells.values()):
                row = Reject(place, UNDECODABLE_REASON)
            yield row


class _Reader:
    """A file's text from where it was read to, with as much of it in memory as the entry at hand takes."""

    def __init__(self, file: TextIO) -> None:
        self.line = 1
        self._file = file
        self._text = ""
        self._at = 0

    def skip(self, pattern: re.Pattern[str]) -> None:
        """Past what a pattern matches here, however far it goes."""
        while True:
            match = pattern.match(self._text, self._at)
            if match and match.end() < len(self._text):
                self._pass(match.end())
                return
            if not self._read_on():
                self._pass(match.end() if match else self._at)
                return

    def at_end(self) -> bool:
        return self._at >= len(self._text)

    def next_is(self, mark: str) -> bool:
        return self._text.startswith(mark, self._at)

    def entry(self) -> tuple[str, object]:
        """The key and the value that stand here.

        Raises:
            ValueError: they are not JSON, or too long.
        """
        key = self._value()
        if not isinstance(key, str):
            raise ValueError("an entry begins with a text in quotes")
        self.skip(_COLON)
        return key, self._value()

    def _value(self) -> object:
        while True:
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError:
                if len(self._text) - self._at > MAX_ROW_CHARACTERS:
                    raise ValueError(TOO_LONG_REASON) from None
                if not self._read_on():
                    raise
            else:
                self._pass(end)
                return value

    def _read_on(self) -> bool:
        # As much again as there is, so that a long entry is tried a few times only.
        more = self._file.read(max(_WINDOW_CHARACTERS, len(self._text) - self._at))
        self._text = self._text[self._at :] + more
        self._at = 0
        return bool(more)

    def _pass(self, end: int) -> None:
        self.line += self._text.count("\n", self._at, end)
        self._at = end
