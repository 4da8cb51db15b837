"""Files as other tools write them, and their answers as read."""

import json
from collections.abc import Callable, Iterator
from pathlib import Path

from kg.model import Reject
from services.external.replies import AnswerRow

Reader = Callable[[Path], Iterator[AnswerRow | Reject]]


def lines(path: Path, *rows: object) -> Path:
    """A file with one row a line."""
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return path


def only(found: Iterator[AnswerRow | Reject]) -> AnswerRow:
    """The one answer of a file."""
    (one,) = found
    assert isinstance(one, AnswerRow), one
    return one


def rejects(found: Iterator[AnswerRow | Reject]) -> list[Reject]:
    """What was set aside."""
    return [one for one in found if isinstance(one, Reject)]
