"""How exports are read back: by the importers of other sets' files, which trust no row."""

from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path

from kg.errors import InputError
from kg.ingest.read import read_articles
from kg.model import ArticleRow, Reject
from services.benchmarks.question import BenchmarkQuestion
from services.benchmarks.question_rows import RowReader, read_question_rows

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
    """The articles of a file, as `kg corpus ingest` would take them.

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
