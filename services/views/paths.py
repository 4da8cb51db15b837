"""Hop paths of a corpus that were drawn or saved: a list by slices, and one hop by hop."""

from collections.abc import Sequence
from dataclasses import dataclass

from kg.queries import query
from kg.store.async_graph import AsyncGraph
from services.views.claims import EntityName
from services.views.cursors import Slice, cut, decode
from services.views.missing import missing, require_known


@dataclass(frozen=True, slots=True)
class PathFacts:
    """A path; `alternatives` counts the shortest paths of its pair, `error_rate` is over `answers`."""

    id: str
    hops: int
    alternatives: int
    crosses_articles: bool
    uses_exact: bool
    uses_context: bool
    drawn: bool
    saved: bool
    answers: int
    error_rate: float | None


@dataclass(frozen=True, slots=True)
class PathSummary(PathFacts):
    """A path with the names along it."""

    names: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class PathStep:
    """One hop: its triple, its sentence, and how it joins the one before (`link`)."""

    index: int
    link: str
    subject: str
    predicate: str
    object: str
    reversed: bool
    mirrored: bool
    edge: str
    claim: str
    sentence: str
    article: str
    title: str


@dataclass(frozen=True, slots=True)
class PathDetail(PathFacts):
    """A path hop by hop, and the ids of the questions that follow it."""

    entities: tuple[EntityName, ...]
    steps: tuple[PathStep, ...]
    questions: tuple[str, ...]


async def list_paths(
    graph: AsyncGraph, corpus: str, hops: Sequence[int], link: str, cursor: str | None, limit: int
) -> Slice[PathSummary]:
    """Paths by depth, then by id; `link` is shared, exact, context, or empty for all.

    Raises:
        MissingError: there is no such corpus.
        SettingsError: the cursor can't be read.
    """
    rows = await graph.rows(
        query("views/list_paths"),
        corpus=corpus,
        hops=list(hops),
        link=link,
        after=decode(cursor, int, str),
        limit=limit + 1,
    )
    if not rows:
        await require_known(graph, corpus)
    found = [PathSummary(**row | {"names": tuple(row["names"])}) for row in rows]
    return cut(found, limit, lambda one: [one.hops, one.id])


async def read_path(graph: AsyncGraph, corpus: str, id_: str) -> PathDetail:
    """One path.

    Raises:
        MissingError: the corpus has none of this id.
    """
    found = await graph.rows(query("views/read_path"), corpus=corpus, id=id_)
    if not found:
        await require_known(graph, corpus)
        raise missing("path", id_, corpus)
    row = found[0]
    parts = {
        "entities": tuple(EntityName(**one) for one in row["entities"]),
        "steps": tuple(PathStep(**one) for one in row["steps"]),
        "questions": tuple(row["questions"]),
    }
    return PathDetail(**row | parts)
