"""Values of an address: what a form leaves empty stands for any.

The page's addresses. A name may hold any character, so a slash in it is written out twice.

What many views begin with: that the corpus is there, and its runs.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated, Any, TypeVar
from urllib.parse import quote, unquote, urlencode

from fastapi import Depends, Path

from kg.corpus import corpus_id
from kg.errors import CorpusError, NothingToDoError, SettingsError, command
from kg.queries import query
from kg.store.async_graph import AsyncGraph
from kg.store.graph import Row
from services.report.collect import is_whole


def address(
    corpus: str = "", *parts: str, **parameters: str | int | float | bool | tuple[str, ...] | None
) -> str:
    """The address of a view; empty parameters and None are left out, a tuple gives each of its values.

    `address("mine", "questions", hops=2)` is "/c/mine/questions?hops=2", `address()` the list of corpora.
    """
    path = "/" if not corpus else "/c/" + "/".join(map(segment, (corpus, *parts)))
    given = {
        name.rstrip("_"): value for name, value in parameters.items() if value not in (None, "", False, ())
    }
    return f"{path}?{urlencode(given, doseq=True)}" if given else path


def api_address(corpus: str, *parts: str) -> str:
    """The address of what the API tells of a corpus."""
    return "/api/corpora/" + "/".join(map(segment, (corpus, *parts)))


def segment(name: str) -> str:
    """A name as one part of a path, whatever it holds."""
    once = name.replace("%", "%25").replace("/", "%2F")
    if not once.strip("."):
        once = once.replace(".", "%2E")
    return quote(once, safe="")


def name_of(part: str) -> str:
    """The name that a part of a path stands for, after the server decoded it once."""
    return unquote(part)


@dataclass(frozen=True, slots=True)
class RunRow:
    """A run to choose: who answered and how many questions.

    `started` is ISO 8601, `retriever` is empty where it has none.
    """

    name: str
    system: str
    retriever: str
    generator: str
    judge: str
    answers: int
    started: str
    finished: bool


@dataclass(frozen=True, slots=True)
class CountedRun(RunRow):
    """A run with what came of its answers; `right` is by its judge."""

    right: int
    abstained: int
    errors: int


R = TypeVar("R", bound=RunRow)


async def require_known(graph: AsyncGraph, corpus: str) -> str:
    """The embedder of a corpus that must exist.

    Raises:
        CorpusError: there is none of that name, or it is half deleted.
    """
    rows = await graph.rows(query("corpus/read_properties"), id=corpus_id(corpus))
    if not rows:
        raise CorpusError(f"there is no corpus {corpus!r}.", "Choose one of the list of corpora.")
    if rows[0]["properties"].get("dropping"):
        raise CorpusError(f"corpus {corpus!r} is half deleted.", f"End it: {command('corpus drop', corpus)}")
    return str(rows[0]["properties"]["embedder"])


async def read_runs(graph: AsyncGraph, corpus: str) -> tuple[RunRow, ...]:
    """The runs of a corpus, newest first; no answer is read for it."""
    rows = await graph.rows(query("runs/list_short"), corpus=corpus)
    return _newest_first([RunRow(**_run_choice(row)) for row in rows])


async def read_counted_runs(graph: AsyncGraph, corpus: str) -> tuple[CountedRun, ...]:
    """The same with what came of them, for which every answer is read."""
    rows = await graph.rows(query("runs/list_runs"), corpus=corpus)
    counts = ("right", "abstained", "errors")
    return _newest_first(
        [CountedRun(**_run_choice(row), **{name: row[name] for name in counts}) for row in rows]
    )


def _run_choice(row: Row) -> dict[str, Any]:
    return {
        "name": row["name"],
        "system": row["system"] or "",
        "retriever": row["retriever"],
        "generator": row["generator"] or "",
        "judge": row["judge"] or "exact match",
        "answers": row["answers"],
        "started": f"{row['started_at']}" if row["started_at"] else "",
        "finished": row["finished_at"] is not None,
    }


def _newest_first(runs: Sequence[R]) -> tuple[R, ...]:
    """The runs by when they began, the last one first; those that don't tell come last, by name."""
    return tuple(sorted(sorted(runs, key=lambda run: run.name), key=lambda run: run.started, reverse=True))


def by_wholeness(runs: Sequence[RunRow]) -> tuple[list[RunRow], list[RunRow]]:
    """Those that answered about as many questions as the fullest, and the others, each in their order."""
    most = max((run.answers for run in runs), default=0)
    whole = [run for run in runs if is_whole(run.answers, most)]
    return whole, [run for run in runs if not is_whole(run.answers, most)]


def require_run(runs: tuple[RunRow, ...], corpus: str, name: str) -> str:
    """The name of a run that must exist.

    Raises:
        NothingToDoError: the corpus has none of that name.
    """
    if name not in (names := sorted(run.name for run in runs)):
        listed = ", ".join(map(repr, names)) or "none yet"
        raise NothingToDoError(f"corpus {corpus!r} has no run {name!r}.", f"It has: {listed}.")
    return name


T = TypeVar("T", bound=str)
MOST_CHARACTERS = 500


def whole_number(text: str, name: str, low: int, high: int) -> int | None:
    """The number that the text is; None where it is empty.

    Raises:
        SettingsError: it is none, or out of its bounds.
    """
    if not text.strip():
        return None
    if text.strip().isascii() and text.strip().isdigit() and low <= int(text[:9]) <= high:
        return int(text)
    raise SettingsError(f"{name}={text[:40]!r} can't be used.", f"Give a number from {low} to {high}.")


def one_of(text: str, name: str, choices: Sequence[T]) -> T:
    """The choice that the text is.

    Raises:
        SettingsError: it is none of them.
    """
    for choice in choices:
        if text == choice:
            return choice
    listed = ", ".join(choice or "(empty)" for choice in choices)
    raise SettingsError(f"{name}={text[:40]!r} can't be used.", f"Give one of: {listed}.")


def short_text(text: str, name: str) -> str:
    """The text without blanks around it.

    Raises:
        SettingsError: it is too long to be meant.
    """
    if len(text) > MOST_CHARACTERS:
        raise SettingsError(f"{name} is too long.", f"Give at most {MOST_CHARACTERS} characters.")
    return text.strip()


async def _corpus(corpus: Annotated[str, Path()]) -> str:
    return name_of(corpus)


async def _id(id: Annotated[str, Path()]) -> str:  # noqa: A002  the name in the address
    return name_of(id)


CorpusName = Annotated[str, Depends(_corpus)]
"""The corpus that an address names."""
Id = Annotated[str, Depends(_id)]
"""The id that an address ends with."""
