"""How exports are read back: by the importers of other sets' files, which trust no row."""

from collections.abc import Iterator
from pathlib import Path

from kg.errors import InputError
from kg.ingest.read import read_articles
from kg.model import ArticleRow, Reject
from services.benchmarks.question import BenchmarkQuestion
from services.benchmarks.question_files import read_questions

_REMEDY = "Export the dataset anew."
_NOTHING = (b"", b"[]")


def table(split: str, name: str = "questions") -> str:
    """What an account calls a table of a split."""
    return f"{split}/{name}" if split else name


def imported(path: Path, form: str) -> Iterator[BenchmarkQuestion]:
    """The questions of a file or folder, as an import would take them, which refuses a file without any.

    Raises:
        InputError: a row would be set aside.
    """
    for one in () if _is_empty(path) else read_questions(path, form):
        if isinstance(one, Reject):
            raise InputError(f"{one.place}: {one.reason}.", _REMEDY)
        yield one


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
