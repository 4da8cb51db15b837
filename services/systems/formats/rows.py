"""Files of answers, row by row: JSON lines, a JSON array, or one object that is an answer itself."""

from collections.abc import Callable, Iterator
from pathlib import Path

from kg.errors import InputError
from kg.ingest.json_rows import json_array_rows, json_line_rows, parse_row
from kg.ingest.rows import RawRow, open_text
from kg.ingest.sniff import text_encoding
from kg.model import Reject
from kg.own_system import OwnAnswer
from services.benchmarks.formats.cells import Cells, RowTroubleError, text
from services.systems.replies import AnswerRow

AnswerReader = Callable[[Cells], OwnAnswer]
"""From a row's cells to the answer in it; a row without one is a `RowTroubleError`."""

IDS = ("question_id", "id", "_id")
QUESTIONS = ("question", "query")
"""Columns that tell which question was answered."""

_REMEDY = "Give a file with one JSON object for each answer: JSON lines, or one array."
_MOST_CHARACTERS = 64_000_000
_WINDOW_CHARACTERS = 1 << 16


def read_rows(path: Path, read: AnswerReader) -> Iterator[AnswerRow | Reject]:
    """The answers of a file in its order, each with its place; a row that can't be used is a `Reject`.

    Raises:
        InputError: the file can't be read at all.
    """
    for row in _raw_rows(path):
        if isinstance(row, Reject):
            yield row
            continue
        try:
            yield _answer_row(row, read)
        except RowTroubleError as error:
            yield Reject(row.place, str(error))


def _answer_row(row: RawRow, read: AnswerReader) -> AnswerRow:
    known, question = text(row.cells, *IDS), text(row.cells, *QUESTIONS)
    if not known and not question:
        raise RowTroubleError(f"it has none of {', '.join((*IDS, *QUESTIONS))}")
    return AnswerRow(known, question, read(row.cells), row.place)


def _raw_rows(path: Path) -> Iterator[RawRow | Reject]:
    if not path.is_file():
        raise InputError(f"{path}: there is no such file.", "Check the spelling of the path.")
    encoding = text_encoding(path)
    if not isinstance(encoding, str):
        raise InputError(f"{path}: {encoding.reason}.", _REMEDY)
    with open_text(path, encoding) as file:
        head = file.read(_WINDOW_CHARACTERS)
    if head.lstrip().startswith("["):
        yield from json_array_rows(path, encoding)
    elif _has_lines(head):
        yield from json_line_rows(path, encoding)
    else:
        # An object that goes over several lines is one answer, as json.dump(..., indent=2) writes it.
        with open_text(path, encoding) as file:
            yield parse_row(file.read(_MOST_CHARACTERS), path, 1)


def _has_lines(head: str) -> bool:
    """Whether the first line with text is a whole object, or goes on beyond what was looked at."""
    first, line_end, _ = head.lstrip().partition("\n")
    return not line_end or first.rstrip().endswith("}")
