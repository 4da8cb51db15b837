"""Entities of a corpus: a list, a search by name, one with its names, and the edges around it."""

import re
from dataclasses import dataclass

from kg.queries import query
from kg.resolve.name_pool import entity_key
from kg.store.async_graph import AsyncGraph
from kg.store.graph import Row
from services.web.views.articles import EntityName
from services.web.views.cursors import Slice, cut, decode, encode, read_details, read_rows, require_known

MOST_FOUND = 1_000
"""Entities that a search looks at, over all corpora; who wants more names it better."""
MOST_WORDS = 8
"""Words of a search that count."""


@dataclass(frozen=True, slots=True)
class EntitySummary:
    """An entity; `degree` counts its facts, `error_rate` is over `answers`, None without any."""

    id: str
    name: str
    type: str
    degree: int
    hub: bool
    answers: int
    error_rate: float | None


@dataclass(frozen=True, slots=True)
class MergedName:
    """A name that was merged into an entity, with the evidence."""

    name: str
    score: float | None
    evidence: str


@dataclass(frozen=True, slots=True)
class SameInContext(EntityName):
    """An entity that is the same within a cluster of claims."""

    score: float | None
    evidence: str
    cluster: str | None


@dataclass(frozen=True, slots=True)
class EntityDetail(EntitySummary):
    """An entity with its names; `facts` and `mirrored` count the edges around it."""

    hub_reason: str
    other_names: tuple[str, ...]
    aliases: tuple[MergedName, ...]
    same_in_context: tuple[SameInContext, ...]
    facts: int
    mirrored: int


@dataclass(frozen=True, slots=True)
class EdgeAround:
    """An edge with its claim; `kept_out` tells why no path may take it, empty where paths may."""

    id: str
    mirrored: bool
    subject: EntityName
    predicate: str
    object: EntityName
    kept_out: str
    sentence: str
    claim: str
    article: str


@dataclass(frozen=True, slots=True)
class Neighbour(EdgeAround):
    """An edge of an entity, and whether a path may take it."""

    in_paths: bool


@dataclass(frozen=True, slots=True)
class EntityFilters:
    """What entities are wanted; an empty type and None let all through."""

    type: str = ""
    named: bool | None = None
    hub: bool | None = None


async def list_entities(
    graph: AsyncGraph, corpus: str, filters: EntityFilters, cursor: str | None, limit: int
) -> Slice[EntitySummary]:
    """Entities, those with most facts first.

    Raises:
        MissingError: there is no such corpus.
        SettingsError: the cursor can't be read.
    """
    rows = await read_rows(
        graph,
        query("entities/page_entities"),
        corpus,
        type=filters.type,
        named=filters.named,
        hub=filters.hub,
        after=decode(cursor, int, str),
        limit=limit + 1,
    )
    return cut([EntitySummary(**row) for row in rows], limit, lambda one: [one.degree, one.id])


async def search_entities(
    graph: AsyncGraph, corpus: str, text: str, type_: str, cursor: str | None, limit: int
) -> Slice[EntitySummary]:
    """Entities whose names share words with a text, begin like them, or are within two edits of them.

    Those that the text means by any of their names come first.

    Raises:
        MissingError: there is no such corpus.
        SettingsError: the cursor can't be read.
    """
    place = decode(cursor, int)
    skip = min(MOST_FOUND, max(0, int(place[0]))) if place else 0
    sought = index_search(text)
    rows: list[Row] = []
    if sought:
        answer = await graph.rows(
            query("entities/search_entities"),
            corpus=corpus,
            words=sought,
            key=entity_key(text),
            type=type_,
            skip=skip,
            limit=limit + 1,
            most=MOST_FOUND,
        )
        rows = answer[0]["found"]
    if not rows:
        await require_known(graph, corpus)
    found = tuple(EntitySummary(**row) for row in rows)
    return Slice(found[:limit], encode([skip + limit]) if len(found) > limit else None)


def index_search(text: str) -> str:
    """The words of a text as the index of names is asked for them; empty where it has none.

    Words behind the first MOST_WORDS don't count: of a few hundred the index would make too many clauses.
    """
    words = re.findall(r"\w+", text.lower())[:MOST_WORDS]
    # The star asks for words that begin so, the tilde for words within two edits.
    return " ".join(f"{word}^4 {word}*^2 {word}~" for word in words)


async def read_entity(graph: AsyncGraph, corpus: str, id_: str) -> EntityDetail:
    """One entity.

    Raises:
        MissingError: the corpus has none of this id.
    """
    row = await read_details(graph, query("entities/read_details"), corpus, "entity", id_)
    parts = {
        "other_names": tuple(row["other_names"]),
        "aliases": tuple(MergedName(**one) for one in row["aliases"]),
        "same_in_context": tuple(SameInContext(**one) for one in row["same_in_context"]),
    }
    return EntityDetail(**row | parts)


async def list_neighbours(
    graph: AsyncGraph,
    corpus: str,
    id_: str,
    cursor: str | None,
    limit: int,
    *,
    mirrored: bool = True,
    in_paths: bool = False,
) -> Slice[Neighbour]:
    """The edges around an entity, in the order of their ids; `in_paths` wants those that a path may take.

    Raises:
        MissingError: the corpus has no entity of this id.
        SettingsError: the cursor can't be read.
    """
    rows = await graph.rows(
        query("facts/page_neighbours"),
        corpus=corpus,
        id=id_,
        mirrored=mirrored,
        in_paths=in_paths,
        after=decode(cursor, str),
        limit=limit + 1,
    )
    if not rows:
        await read_entity(graph, corpus, id_)
    edges = [
        Neighbour(**row | {"subject": EntityName(**row["subject"]), "object": EntityName(**row["object"])})
        for row in rows
    ]
    return cut(edges, limit, lambda one: [one.id])
