"""How exports are read back: by the importers of other sets' files, which trust no row.

Rows of question files, read one by one by whoever knows their form.
"""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from kg.errors import InputError
from kg.ingest.json_rows import json_array_rows, json_line_rows
from kg.ingest.read import read_articles
from kg.ingest.rows import RawRow
from kg.ingest.sniff import identify
from kg.model import ArticleRow, Reject
from services.datasets.question import BenchmarkQuestion, Cells, RowTroubleError

RowReader = Callable[[Cells, str, int], BenchmarkQuestion]
"""From a row's cells, its place and its number from 0."""

MOST_ROWS = 2_000_000
"""A question file may have so many rows, those set aside included; the largest sets have a million."""

_ROWS_REMEDY = "Give a JSON array of questions, or JSON lines."


def read_question_rows(path: Path, reader: RowReader) -> Iterator[BenchmarkQuestion | Reject]:
    """The questions of a file whose rows `reader` reads; a row without use is a `Reject` with its place.

    Raises:
        InputError: the file can't be read at all, or has over `MOST_ROWS` rows.
    """
    return each_id_once(bounded(questions_of_rows(file_rows(path), reader), path))


def file_rows(path: Path) -> Iterator[RawRow | Reject]:
    """The rows of a file of JSON lines or of a JSON array."""
    source = identify(path)
    if source.format == "json lines":
        return json_line_rows(source.path, source.encoding)
    if source.format == "json array":
        return json_array_rows(source.path, source.encoding)
    raise InputError(
        f"{path}: questions are read as JSONL or as a JSON array, and this is neither.", _ROWS_REMEDY
    )


def questions_of_rows(
    rows: Iterator[RawRow | Reject], reader: RowReader
) -> Iterator[BenchmarkQuestion | Reject]:
    """Rows as questions; what the reader refuses is set aside with its place."""
    for number, row in enumerate(rows):
        if isinstance(row, Reject):
            yield row
            continue
        try:
            yield reader(row.cells, row.place, number)
        except RowTroubleError as error:
            yield Reject(row.place, str(error))


def bounded(found: Iterator[BenchmarkQuestion | Reject], path: Path) -> Iterator[BenchmarkQuestion | Reject]:
    """Everything, up to `MOST_ROWS`."""
    for number, one in enumerate(found):
        if number == MOST_ROWS:
            raise InputError(
                f"{path} has more than {MOST_ROWS:,} rows.", "Give the file in parts, each with fewer rows."
            )
        yield one


def each_id_once(found: Iterator[BenchmarkQuestion | Reject]) -> Iterator[BenchmarkQuestion | Reject]:
    """Everything, but questions whose id was met before: answers are told apart by it."""
    first: dict[str, str] = {}
    for one in found:
        if isinstance(one, BenchmarkQuestion):
            if one.id in first:
                yield Reject(one.place, f"its id {one.id!r} is that of the question at {first[one.id]}")
                continue
            first[one.id] = one.place
        yield one


QuestionReader = Callable[[Path], Iterator[BenchmarkQuestion | Reject]]
"""From a file or a folder to the questions in it."""

_REMEDY = "Export the dataset anew."
_NOTHING = (b"", b"[]")


def table(split: str, name: str = "questions") -> str:
    """What an account calls a table of a split."""
    return f"{split}/{name}" if split else name


def imported(path: Path, reader: QuestionReader) -> Iterator[BenchmarkQuestion]:
    """The questions of a file or folder, as an import would take them, which refuses a file without any.

    Raises:
        InputError: a row would be set aside.
    """
    for one in () if _is_empty(path) else reader(path):
        if isinstance(one, Reject):
            raise InputError(f"{one.place}: {one.reason}.", _REMEDY)
        yield one


def by_rows(reader: RowReader) -> QuestionReader:
    """A reader of files that reads each row as `reader` does."""
    return partial(read_question_rows, reader=reader)


def ingested(path: Path) -> Iterator[ArticleRow]:
    """The articles of a file, as ingestion would take them.

    Raises:
        InputError: a row would be set aside.
    """
    for one in () if _is_empty(path) else read_articles([path], {}):
        if isinstance(one, Reject):
            raise InputError(f"{one.place}: {one.reason}.", _REMEDY)
        if isinstance(one, ArticleRow):
            yield one


def _is_empty(path: Path) -> bool:
    with path.open("rb") as file:
        return file.read(8).strip() in _NOTHING
