"""A question of somebody else's set, in the one form that all their formats are read into.

Values out of a row of somebody else's file, checked before they are believed.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

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


def required(cells: Cells, *names: str) -> str:
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
