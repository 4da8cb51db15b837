"""Rows out of a JSON array, element by element, however long the array is.

The elements' ends are found by counting brackets outside strings, and each element is parsed by
itself. So a broken element costs only itself as long as its brackets and quotes pair up, and one
that is too long is skipped without being held. A missing or doubled comma is forgiven.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

from kg.ingest.json_lines import parse_row
from kg.ingest.rows import MAX_ROW_CHARACTERS, RawRow, row_place
from kg.ingest.text_stream import TOO_LONG_REASON, Encoding, open_text
from kg.model import Reject

_WINDOW_CHARACTERS = 1 << 18
_BETWEEN = re.compile(r"[\s,]*")
_STRING_RUN = re.compile(r'(?:[^"\\]+|\\.)*+', re.S)
_NESTED_STOP = re.compile(r'["{}\[\]]')
_SCALAR_STOP = re.compile(r'["{\[\],\s]')


def json_array_rows(path: Path, encoding: Encoding) -> Iterator[RawRow | Reject]:
    """One row for each element of the array in the file, in order."""
    splitter = _Splitter()
    number = line = 0
    with open_text(path, encoding) as file:
        while window := file.read(_WINDOW_CHARACTERS):
            for element in splitter.feed(window):
                number += 1
                told = number if element.line == line else 0
                line = element.line
                if element.text is None:
                    place = row_place(path, line, told)
                    yield Reject(place, f"the element is set aside: {TOO_LONG_REASON}")
                else:
                    yield parse_row(element.text, path, line, element.column, told)
    if splitter.inside_element:
        yield Reject(row_place(path, splitter.start_line), "the file ends inside this element")
    elif not splitter.closed:
        yield Reject(row_place(path, splitter.line), "the file ends before its array is closed")
    elif splitter.trailing_line:
        yield Reject(row_place(path, splitter.trailing_line), "what follows the end of the array is not read")


@dataclass(frozen=True, slots=True)
class _Element:
    """An element's text, None where it is too long, and where it starts."""

    text: str | None
    line: int
    column: int


@dataclass(slots=True)
class _Splitter:
    """Cuts an array that comes in windows into its elements."""

    line: int = 1
    column: int = 1
    opened: bool = False
    closed: bool = False
    trailing_line: int = 0
    inside_element: bool = False
    start_line: int = 0
    _start_column: int = 0
    _depth: int = 0
    _in_string: bool = False
    _after_backslash: bool = False
    _size: int = 0
    _pieces: list[str] = field(default_factory=list)

    def feed(self, window: str) -> Iterator[_Element]:
        """The elements that end in this window."""
        at = counted = kept = 0
        while at < len(window):
            if not self.inside_element:
                at = self._skip_between(window, at)
                self._count(window[counted:at])
                counted = at
                if at == len(window):
                    break
                if self.closed:
                    self.trailing_line = self.trailing_line or self.line
                    break
                if window[at] == "]":
                    self.closed = True
                    at += 1
                    continue
                self.inside_element = True
                self.start_line, self._start_column = self.line, self.column
                kept = at
            at, ended = self._step(window, at)
            if ended:
                self._keep(window[kept:at])
                yield self._finish()
        if self.inside_element:
            self._keep(window[kept:])
        self._count(window[counted:])

    def _skip_between(self, window: str, at: int) -> int:
        """Past the blanks and commas between elements, and past the bracket that opens the array."""
        at = _end_of(_BETWEEN, window, at)
        if not self.opened and at < len(window):
            self.opened = True
            at = _end_of(_BETWEEN, window, at + 1)
        return at

    def _step(self, window: str, at: int) -> tuple[int, bool]:
        """On to the next character that matters; whether the element ends there."""
        if self._after_backslash:
            self._after_backslash = False
            return at + 1, False
        if self._in_string:
            at = _end_of(_STRING_RUN, window, at)
            if at < len(window):
                self._in_string = False
                # The run stops at a quote, or at a backslash with nothing behind it in this window.
                if window[at] == "\\":
                    self._in_string = self._after_backslash = True
                at += 1
            return at, False
        stop = (_NESTED_STOP if self._depth else _SCALAR_STOP).search(window, at)
        if stop is None:
            return len(window), False
        character, at = stop.group(), stop.end()
        if character == '"':
            self._in_string = True
        elif character in "{[":
            self._depth += 1
        elif self._depth:
            self._depth -= 1
            return at, self._depth == 0
        else:
            return stop.start(), True
        return at, False

    def _keep(self, piece: str) -> None:
        self._size += len(piece)
        if self._size > MAX_ROW_CHARACTERS:
            self._pieces.clear()
        else:
            self._pieces.append(piece)

    def _finish(self) -> _Element:
        text = None if self._size > MAX_ROW_CHARACTERS else "".join(self._pieces)
        self._pieces.clear()
        self._size = 0
        self.inside_element = False
        return _Element(text, self.start_line, self._start_column)

    def _count(self, passed: str) -> None:
        newlines = passed.count("\n")
        self.line += newlines
        self.column = len(passed) - passed.rfind("\n") if newlines else self.column + len(passed)


def _end_of(pattern: re.Pattern[str], text: str, start: int) -> int:
    """Where a pattern that always matches stops."""
    match = pattern.match(text, start)
    return match.end() if match else start
