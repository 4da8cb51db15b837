"""Text out of files of any quality, in bounded memory."""

import codecs
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Literal, TextIO

from kg.errors import InputError
from kg.ingest.rows import MAX_ROW_CHARACTERS

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
