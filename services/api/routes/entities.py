"""Entities: search, one with its names, and its neighbours."""

from typing import Annotated

from fastapi import APIRouter, Query

from kg.model import EntityType
from services.api.parameters import LONGEST_TEXT, CorpusName, Cursor, Id, Limit
from services.api.resources import Reading
from services.views import entities as entities_view
from services.views.cursors import Slice
from services.views.entities import EntityDetail, EntityFilters, EntitySummary, Neighbour

entities_router = APIRouter(prefix="/corpora/{corpus}", tags=["entities"])

TypeWanted = Annotated[EntityType | None, Query(alias="type", description="None for any.")]


@entities_router.get("/entities")
async def list_entities(
    graph: Reading,
    corpus: CorpusName,
    type_: TypeWanted = None,
    named: bool | None = None,
    hub: bool | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Slice[EntitySummary]:
    """Entities, those with most facts first."""
    filters = EntityFilters(type_ or "", named, hub)
    return await entities_view.list_entities(graph, corpus, filters, cursor, limit)


@entities_router.get("/entities/search")
async def search_entities(
    graph: Reading,
    corpus: CorpusName,
    text: Annotated[str, Query(min_length=1, max_length=LONGEST_TEXT, examples=["Port Averell"])],
    type_: TypeWanted = None,
    cursor: Cursor = None,
    limit: Limit = 20,
) -> Slice[EntitySummary]:
    """Entities by name: words of it, beginnings of words, up to two letters wrong; best first."""
    return await entities_view.search_entities(graph, corpus, text, type_ or "", cursor, limit)


@entities_router.get("/entities/{entity}")
async def read_entity(graph: Reading, corpus: CorpusName, entity: Id) -> EntityDetail:
    """An entity with the names merged into it and why, and what is the same in a context."""
    return await entities_view.read_entity(graph, corpus, entity)


@entities_router.get("/entities/{entity}/neighbours")
async def list_neighbours(
    graph: Reading,
    corpus: CorpusName,
    entity: Id,
    mirrored: Annotated[bool, Query(description="Edges that context added as well.")] = True,
    in_paths: Annotated[bool, Query(description="Only edges that a path may take.")] = False,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Slice[Neighbour]:
    """The edges around an entity, each with its claim and sentence."""
    return await entities_view.list_neighbours(
        graph, corpus, entity, cursor, limit, mirrored=mirrored, in_paths=in_paths
    )
