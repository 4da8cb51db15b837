"""Hop paths of a corpus that were drawn or saved: a list by slices, and one hop by hop.

The shortest ways between two entities, as the API and the page tell them.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from kg.paths.path_rows import Between, ToldPath
from kg.queries import query
from kg.resolve.normal_form import normal_form
from kg.store.async_graph import AsyncGraph
from services.views.claims import EntityName
from services.views.cursors import AmbiguousError, Slice, cut, decode, missing, require_known


@dataclass(frozen=True, slots=True)
class WayHop:
    """One hop of a way: its triple, the sentence behind it, and how it joins the one before (`link`).

    `mirrored` marks an edge that context added, `reversed` one that is walked against its direction.
    """

    edge: str
    link: str
    mirrored: bool
    reversed: bool
    subject: str
    predicate: str
    object: str
    claim: str
    sentence: str
    article: str
    title: str


@dataclass(frozen=True, slots=True)
class WayTold:
    """One way: the entities along it and its hops."""

    entities: tuple[EntityName, ...]
    hops: tuple[WayHop, ...]


@dataclass(frozen=True, slots=True)
class WaysBetween:
    """All shortest ways of a pair: their length (None where there is none), how many, the first of them."""

    start: EntityName
    end: EntityName
    hops: int | None
    alternatives: int
    ways: tuple[WayTold, ...]


async def meant_entity(graph: AsyncGraph, corpus: str, text: str) -> EntityName:
    """The entity that a text means: by id, name, another name, or normal form.

    Raises:
        MissingError: none does, or there is no such corpus.
        AmbiguousError: several do equally well; the message lists some of them.
    """
    rows = await graph.rows(query("entities/find_entities"), corpus=corpus, text=text, key=normal_form(text))
    best = [row for row in rows if row["rank"] == rows[0]["rank"]]
    if len(best) == 1:
        return EntityName(best[0]["id"], best[0]["name"], best[0]["type"])
    if best:
        listed = ", ".join(f"{row['name']!r} ({row['type']}, {row['id']})" for row in best[:10])
        raise AmbiguousError(f"{text!r} may mean {len(best)} entities: {listed}.", "Give the id instead.")
    await require_known(graph, corpus)
    raise missing("entity", text, corpus)


def tell_ways(start: EntityName, end: EntityName, found: Between | None) -> WaysBetween:
    """What was found between two entities."""
    if found is None:
        return WaysBetween(start, end, None, 0, ())
    return WaysBetween(start, end, found.hops, found.alternatives, tuple(map(_way, found.paths)))


def _way(path: ToldPath) -> WayTold:
    return WayTold(
        tuple(EntityName(one["id"], one["name"], one["type"]) for one in path.entities),
        tuple(
            WayHop(
                edge=hop["id"],
                link=link,
                mirrored=hop["mirrored"],
                reversed=hop["reversed"],
                subject=hop["subject"] or "",
                predicate=hop["predicate"] or "",
                object=hop["object"] or "",
                claim=hop["claim"] or "",
                sentence=hop["sentence"] or "",
                article=hop["article"] or "",
                title=hop["title"] or "",
            )
            for hop, link in zip(path.hops, path.links, strict=True)
        ),
    )


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
