"""Hop paths: those that were drawn, and those between two entities."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from kg.paths.path_rows import paths_between as find_between
from kg.paths.walk import MAX_HOPS, Walk
from services.api.parameters import LONGEST_TEXT, CorpusName, Cursor, Hops, Id, Limit
from services.api.resources import Reading, Shared
from services.views import paths as paths_view
from services.views.cursors import Slice
from services.views.paths import PathDetail, PathSummary, WaysBetween, meant_entity, tell_ways

paths_router = APIRouter(prefix="/corpora/{corpus}", tags=["paths"])

End = Annotated[str, Query(description="Any name of the entity, or its id.", max_length=LONGEST_TEXT)]


@paths_router.get("/paths")
async def list_paths(
    graph: Reading,
    corpus: CorpusName,
    hops: Hops = [],  # noqa: B006
    link: Annotated[
        Literal["shared", "exact", "context", ""],
        Query(description="Paths with such a link; shared: with no other. Empty for any."),
    ] = "",
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Slice[PathSummary]:
    """Paths that were drawn or saved, by depth."""
    return await paths_view.list_paths(graph, corpus, hops, link, cursor, limit)


@paths_router.get("/paths/between")
async def paths_between(
    shared: Shared,
    corpus: CorpusName,
    start: End,
    end: End,
    max_hops: Annotated[int, Query(ge=1, le=MAX_HOPS)] = MAX_HOPS,
    mirrored: Annotated[bool, Query(description="Take edges that context added.")] = True,
    undirected: Annotated[bool, Query(description="Walk edges against their direction too.")] = False,
    limit: Annotated[int, Query(description="Paths to tell; all are counted.", ge=1, le=100)] = 20,
) -> WaysBetween:
    """All shortest paths from one entity to another, with the claim and the sentence behind each hop."""
    first = await meant_entity(shared.graph, corpus, start)
    last = await meant_entity(shared.graph, corpus, end)
    walk = Walk(undirected, mirrored)
    found = await shared.in_thread(
        find_between, shared.lent, corpus, first.id, last.id, walk, max_hops, limit
    )
    return tell_ways(first, last, found)


@paths_router.get("/paths/{path}")
async def read_path(graph: Reading, corpus: CorpusName, path: Id) -> PathDetail:
    """A path hop by hop, and the questions that follow it."""
    return await paths_view.read_path(graph, corpus, path)
