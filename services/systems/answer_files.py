"""Files of answers, by the format that they are in.

A reader yields a row or a reject for every answer that the file holds, in the file's order. Readers of other
tools' files are in `services.systems.formats`; they import `AnswerRow` from `services.systems.answer_rows`.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

from kg.errors import SettingsError
from kg.model import Reject
from kg.own_system import OwnAnswer
from services.benchmarks.formats.cells import Cells, RowTroubleError
from services.systems.answer_rows import AnswerRow
from services.systems.formats.graphrag import read_graphrag
from services.systems.formats.hipporag import read_hipporag
from services.systems.formats.lightrag import read_lightrag
from services.systems.formats.rows import read_rows
from services.systems.replies import BadReplyError, read_reply

AnswerReader = Callable[[Path], Iterator[AnswerRow | Reject]]

OWN = "jsonl"


def read_own(path: Path) -> Iterator[AnswerRow | Reject]:
    """The answers of a file of JSON objects: `id` or `question`, and what `services.systems.replies` reads.

    Raises:
        InputError: the file can't be read at all.
    """
    return read_rows(path, _answer)


def _answer(cells: Cells) -> OwnAnswer:
    try:
        return read_reply(cells)
    except BadReplyError as error:
        raise RowTroubleError(str(error)) from error


ANSWER_FORMATS: Mapping[str, AnswerReader] = {
    OWN: read_own,
    "graphrag": read_graphrag,
    "lightrag": read_lightrag,
    "hipporag": read_hipporag,
}
"""The readers by the name of their format."""


def answer_reader(form: str) -> AnswerReader:
    """The reader of a format.

    Raises:
        SettingsError: there is none of this name.
    """
    if form not in ANSWER_FORMATS:
        raise SettingsError(
            f"{form!r} is not a format of answers.", f"Use one of: {', '.join(ANSWER_FORMATS)}."
        )
    return ANSWER_FORMATS[form]
