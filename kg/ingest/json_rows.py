"""The passages that question sets bring along: each becomes an article of its own.

Read are HotpotQA, 2WikiMultiHopQA and MoreHopQA (`context`: [title, [sentences]], or titles and sentences in
two columns), MuSiQue (`paragraphs`), and a corpus that is one object of {title: [sentences]}.

Rows out of a corpus that is one JSON object of {title: [sentences]}, entry by entry.

Rows out of files with one JSON object a line.

Rows out of a JSON array, element by element, however long the array is.

The elements' ends are found by counting brackets outside strings, and each element is parsed by
itself. So a broken element costs only itself as long as its brackets and quotes pair up, and one
that is too long is skipped without being held. A missing or doubled comma is forgiven.
"""

import json
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TextIO

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


@dataclass(frozen=True, slots=True)
class Passage:
    """A passage with its sentences in order; one that comes whole is one sentence."""

    title: str
    sentences: tuple[str, ...]


def brings_passages(row: RawRow) -> bool:
    """Whether a row is a question with passages rather than an article."""
    if "question" not in row.cells:
        return False
    paragraphs, context = row.cells.get("paragraphs"), row.cells.get("context")
    return isinstance(paragraphs, list) or (
        isinstance(context, dict) or (isinstance(context, list) and not all(map(_is_text, context)))
    )


def passage_rows(row: RawRow) -> Iterator[RawRow | Reject]:
    """The passages of a question as rows of articles, each at the question's place."""
    if isinstance(paragraphs := row.cells.get("paragraphs"), list):
        passages = _paragraphs(paragraphs)
    else:
        passages = context_passages(row.cells.get("context"))
    for passage in passages:
        yield Reject(row.place, passage) if isinstance(passage, str) else _row(row.place, passage)


def object_row(place: str, title: str, value: object) -> RawRow | Reject:
    """An entry of a corpus that is one object: a title with its sentences, or with its whole text."""
    if isinstance(value, str):
        return _row(place, Passage(title, (value,)))
    if isinstance(value, list) and all(map(_is_text, value)):
        return _row(place, Passage(title, tuple(value)))
    return Reject(place, f"what stands under {title[:60]!r} is neither sentences nor text")


def context_passages(context: object) -> Iterator[Passage | str]:
    """The passages of a question's `context` in order; in place of one in bad form, what is wrong with it."""
    if isinstance(context, dict):
        titles = context.get("title")
        sentences = context.get("sentences", context.get("content"))
        if not isinstance(titles, list) or not isinstance(sentences, list) or len(titles) != len(sentences):
            yield "its context is not titles with as many lists of sentences"
            return
        context = [[title, one] for title, one in zip(titles, sentences, strict=True)]
    if not isinstance(context, list):
        return
    for number, item in enumerate(context, start=1):
        match item:
            case [str(title), list(sentences)] if all(map(_is_text, sentences)):
                yield Passage(title.strip(), tuple(sentences))
            case _:
                yield f"passage {number} of its context is not a title with sentences"


def joined(sentences: Sequence[str]) -> str:
    """Sentences as one text, with a blank where neither of two has one."""
    text = ""
    for sentence in sentences:
        gap = " " if text and not text[-1].isspace() and not sentence[:1].isspace() else ""
        text += gap + sentence
    return text.strip()


def _paragraphs(paragraphs: Sequence[object]) -> Iterator[Passage | str]:
    for number, item in enumerate(paragraphs, start=1):
        match item:
            case {"title": str(title), "paragraph_text": str(text)}:
                yield Passage(title.strip(), (text,))
            case _:
                yield f"paragraph {number} has no title with paragraph_text"


def _row(place: str, passage: Passage) -> RawRow:
    return RawRow(place, {"title": passage.title, "body": joined(passage.sentences)})


def _is_text(value: object) -> bool:
    return isinstance(value, str)


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
