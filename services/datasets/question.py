"""A question of somebody else's set, in the one form that all their formats are read into, and how.

How exports are read back: by the importers of other sets' files, which trust no row.

Rows of question files, read one by one by whoever knows their form.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path

from kg.errors import InputError
from kg.ingest.json_rows import json_array_rows, json_line_rows
from kg.ingest.read import read_articles
from kg.ingest.rows import RawRow
from kg.ingest.sniff import identify
from kg.model import ArticleRow, Reject

Cells = Mapping[str, object]


class RowTroubleError(ValueError):
    """Why a row is no question that can be used, as part of a sentence."""


def text(cells: Cells, *names: str) -> str:
    """The first of some columns with text or a number, without blanks at its ends; "" where none has any."""
    for name in names:
        value = cells.get(name)
        if isinstance(value, bool):
            return "yes" if value else "no"
        if isinstance(value, str | int | float) and str(value).strip():
            return str(value).strip()
    return ""


def require_text(cells: Cells, *names: str) -> str:
    """The text that a row can't do without.

    Raises:
        RowTroubleError: there is none.
    """
    found = text(cells, *names)
    if not found:
        raise RowTroubleError(f"there is no {' or '.join(names)}")
    return found


def number(cells: Cells, *names: str) -> int:
    """A count of 0 or more; 0 where the row doesn't tell."""
    found = text(cells, *names)
    return int(found) if found.isascii() and found.isdigit() else 0


def texts(value: object) -> tuple[str, ...]:
    """A text as one, or the texts and numbers of a list, each once and none empty."""
    items = value if isinstance(value, list) else [value]
    kept = (str(item).strip() for item in items if isinstance(item, str | int) and not isinstance(item, bool))
    return tuple(dict.fromkeys(item for item in kept if item))


def objects(value: object, what: str) -> Iterator[Cells]:
    """The objects of a list; nothing where there is no list.

    Raises:
        RowTroubleError: it is something else, or holds something else.
    """
    if value is None:
        return
    if not isinstance(value, list) or not all(isinstance(item, dict) for item in value):
        raise RowTroubleError(f"its {what} is not a list of objects")
    yield from value


@dataclass(frozen=True, slots=True)
class Gold:
    """One piece of evidence as its set names it; what the set doesn't tell is empty.

    `given_id` is the set's id of an article or passage, `text` the sentence, fact or whole passage, and
    `sentence` counts the sentences of the article from 0 (-1: not told). `hop` counts from 1 (0: not told).
    """

    given_id: str = ""
    title: str = ""
    url: str = ""
    text: str = ""
    sentence: int = -1
    hop: int = 0


@dataclass(frozen=True, slots=True)
class HopQuestion:
    """A hop of a question whose set tells its whole chain: what it asks alone, and the question so far.

    Hops count from 1. `accepted` are other answers to the question so far; `topology` tells how the hop was
    joined: start, inference or comparison.
    """

    hop: int
    text: str
    answer: str
    so_far: str
    so_far_answer: str
    accepted: tuple[str, ...] = ()
    topology: str = "start"


@dataclass(frozen=True, slots=True)
class BenchmarkQuestion:
    """A question with its answer, other answers that count as right, and its evidence.

    `id` is the set's own, or the row's number where it has none. `type` is the set's own word, `hops` 0 where
    the set doesn't tell. `place` is "file:line" or "file:row". A question without `gold` is one that the set
    gives no evidence for, such as a null query. `chain` is there where the set tells each hop's question.
    """

    id: str
    text: str
    answer: str
    accepted: tuple[str, ...] = ()
    type: str = ""
    hops: int = 0
    gold: tuple[Gold, ...] = ()
    place: str = ""
    chain: tuple[HopQuestion, ...] = ()


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
    return each_id_once(limit_rows(questions_of_rows(file_rows(path), reader), path))


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


def limit_rows(
    found: Iterator[BenchmarkQuestion | Reject], path: Path
) -> Iterator[BenchmarkQuestion | Reject]:
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


def questions_to_import(path: Path, reader: QuestionReader) -> Iterator[BenchmarkQuestion]:
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


def articles_to_ingest(path: Path) -> Iterator[ArticleRow]:
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
