"""Long lists a slice at a time: a cursor holds the place of the last item, so that changes shift nothing.

How a view reads the rows of a corpus, and what it raises where the graph holds nothing of that name.
"""

import base64
import binascii
import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Generic, TypeVar

from kg.corpus import corpus_id
from kg.errors import SettingsError, UserError, command
from kg.ids import run_id
from kg.queries import Query, query
from kg.store.async_graph import AsyncGraph
from kg.store.graph import Row


class MissingError(UserError):
    """Nothing of that kind has this id or name."""


class AmbiguousError(UserError):
    """A name means several nodes equally well."""


def missing(kind: str, given: str, corpus: str) -> MissingError:
    """The error for a node that a corpus does not have."""
    return MissingError(
        f"corpus {corpus!r} has no {kind} {given!r}.", "Take an id from a list, or from a search."
    )


async def require_known(graph: AsyncGraph, corpus: str) -> None:
    """Make sure that there is a corpus of this name.

    Raises:
        MissingError: there is none.
    """
    if not await graph.rows(query("corpus/read_properties"), id=corpus_id(corpus)):
        raise MissingError(
            f"there is no corpus {corpus!r}.", f"Make it: {command('corpus ingest FILE --corpus', corpus)}"
        )


async def read_rows(graph: AsyncGraph, statement: Query, corpus: str, **parameters: object) -> list[Row]:
    """What a statement finds in a corpus, which may be nothing.

    Raises:
        MissingError: there is no such corpus.
    """
    rows = await graph.rows(statement, corpus=corpus, **parameters)
    if not rows:
        await require_known(graph, corpus)
    return rows


async def read_details(graph: AsyncGraph, statement: Query, corpus: str, kind: str, id_: str) -> Row:
    """The one row of a node; `kind` is what an error calls it.

    Raises:
        MissingError: there is no such corpus, or it has no such node.
    """
    rows = await read_rows(graph, statement, corpus, id=id_)
    if not rows:
        raise missing(kind, id_, corpus)
    return rows[0]


async def run_of(graph: AsyncGraph, corpus: str, run: str) -> str:
    """The id of a run, by its name.

    Raises:
        MissingError: there is no such corpus, or no such run in it.
    """
    id_ = run_id(corpus, run)
    if not await graph.rows(query("corpus/read_properties"), id=id_):
        await require_known(graph, corpus)
        raise MissingError(f"corpus {corpus!r} has no run {run!r}.", "See the list of its runs.")
    return id_


T = TypeVar("T")

Place = list[str | int]
"""Where an item stands in the order of its list: the values that it is ordered by, its id last."""

LONGEST_CURSOR = 1_000
_LARGEST = 2**63 - 1


@dataclass(frozen=True, slots=True)
class Slice(Generic[T]):
    """Some items of a list; `next_cursor` asks for those after them, None where these are the last."""

    items: tuple[T, ...]
    next_cursor: str | None


def cut(found: Sequence[T], limit: int, place: Callable[[T], Sequence[str | int]]) -> Slice[T]:
    """The first `limit` of what was found; one more than that tells that there are others."""
    items = tuple(found[:limit])
    return Slice(items, encode(place(items[-1])) if len(found) > limit else None)


def encode(place: Sequence[str | int]) -> str:
    """A place as a cursor, safe in an address."""
    return base64.urlsafe_b64encode(json.dumps(list(place)).encode()).decode().rstrip("=")


def decode(cursor: str | None, *types: type) -> Place:
    """The place behind a cursor, empty for none.

    Raises:
        SettingsError: it is none of the cursors of this list.
    """
    if cursor is None:
        return []
    try:
        text = base64.b64decode(cursor + "=" * (-len(cursor) % 4), altchars=b"-_", validate=True)
        place = json.loads(text)
    except (binascii.Error, ValueError, RecursionError) as error:
        raise _unreadable() from error
    if not isinstance(place, list) or [type(value) for value in place] != list(types):
        raise _unreadable()
    if any(not _sendable(value) for value in place):
        raise _unreadable()
    return place


def _sendable(value: str | int) -> bool:
    return value.isprintable() if isinstance(value, str) else abs(value) <= _LARGEST


def _unreadable() -> SettingsError:
    return SettingsError(
        "the cursor can't be read.", "Give `next_cursor` of the slice before as it is, with the same filters."
    )
