"""The search for entities, one entity, and one article that names them.

The path explorer: all shortest paths between two entities, drawn and as tables.
"""

from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, Response

from kg.errors import NothingToDoError
from kg.paths.path_rows import Between, ToldPath, paths_between
from kg.paths.walk import MAX_HOPS, Walk
from services.report.html_values import visible
from services.web.api.resources import Shared
from services.web.pages.parameters import CorpusName, Id, one_of, require_known, short_text, whole_number
from services.web.pages.pictures import neighbour_picture, paths_picture
from services.web.pages.rendering import PageRoute, page
from services.web.views.page_entity import (
    EntityRow,
    marked_pieces,
    meant_entities,
    read_article,
    read_entity,
    read_facts,
    search_entities,
)

router = APIRouter(route_class=PageRoute, include_in_schema=False)

PATHS_SHOWN = 12
FACTS_DRAWN = 30
ON, OFF = "on", "off"


@router.get("/c/{corpus}/paths")
async def paths(
    shared: Shared,
    corpus: CorpusName,
    start: Annotated[str, Query(alias="from")] = "",
    end: Annotated[str, Query(alias="to")] = "",
    depth: str = "",
    mirrored: str = ON,
    undirected: str = OFF,
) -> Response:
    """With two entities, the shortest paths from one to the other; with one, what lies around it."""
    await require_known(shared.graph, corpus)
    names = {"from": short_text(start, "from"), "to": short_text(end, "to")}
    most = whole_number(depth, "depth", 1, MAX_HOPS) or MAX_HOPS
    walk = Walk(
        undirected=one_of(undirected, "undirected", (ON, OFF)) == ON,
        mirrored=one_of(mirrored, "mirrored", (ON, OFF)) == ON,
    )
    meant = {
        key: await meant_entities(shared.graph, corpus, text) if text else () for key, text in names.items()
    }
    near = {
        key: await search_entities(shared.graph, corpus, text)
        for key, text in names.items()
        if text and not meant[key]
    }
    one, other = (_the_only(meant[key]) for key in ("from", "to"))
    found: Between | None = None
    picture = None
    if one and other and one.id != other.id:
        found = await shared.in_thread(
            paths_between, shared.lent, corpus, one.id, other.id, walk, most, PATHS_SHOWN
        )
        if found:
            picture = paths_picture(corpus, [(path.entities, path.hops) for path in found.paths])
    elif one and not names["to"]:
        facts = await read_facts(shared.graph, one.id, FACTS_DRAWN)
        picture = neighbour_picture(
            corpus, one.id, [fact for fact in facts if walk.mirrored or not fact.mirrored]
        )
    return page(
        "paths.html",
        "Paths",
        corpus,
        "paths",
        names=names,
        meant=meant,
        near=near,
        start=one,
        end=other,
        depth=most,
        depths=range(1, MAX_HOPS + 1),
        walk=walk,
        found=found,
        picture=picture,
        told=[_told(path) for path in found.paths] if found else [],
        examples=() if names["from"] else (await search_entities(shared.graph, corpus, ""))[:8],
    )


def _the_only(meant: tuple[EntityRow, ...]) -> EntityRow | None:
    return meant[0] if len(meant) == 1 else None


def _told(path: ToldPath) -> tuple[str, list[dict[str, object]]]:
    """A path's heading and its hops, each with the link before it."""
    heading = " \u2192 ".join(stop["name"] for stop in path.entities)
    return heading, [{**hop, "link": link} for hop, link in zip(path.hops, path.links, strict=True)]


SUGGESTED = 10
DRAWN = 30
"""Facts that are drawn around an entity: more of them make a knot."""


@router.get("/c/{corpus}/entities")
async def entities(shared: Shared, corpus: CorpusName, text: str = "") -> Response:
    """The entities that a text may mean; without one, those that answers fail on most."""
    await require_known(shared.graph, corpus)
    sought = short_text(text, "text")
    found = await search_entities(shared.graph, corpus, sought)
    return page("entities.html", "Entities", corpus, "entities", text=sought, found=found)


@router.get("/c/{corpus}/suggested-names")
async def suggested_names(shared: Shared, corpus: CorpusName, text: str = "") -> Response:
    """Names to choose from while one is typed, as JSON."""
    sought = short_text(text, "text")
    found = await search_entities(shared.graph, corpus, sought)
    return JSONResponse([visible(one.name) for one in found[:SUGGESTED]])


@router.get("/c/{corpus}/entities/{id}")
async def entity(shared: Shared, corpus: CorpusName, id_: Id) -> Response:
    """One entity: its names, merges with their evidence, facts, questions and error rate."""
    await require_known(shared.graph, corpus)
    found = await read_entity(shared.graph, corpus, id_)
    if found is None:
        raise NothingToDoError(f"there is no entity {id_!r}.", "Search for it by its name.")
    return page(
        "entity.html",
        found.entity.name,
        corpus,
        "entities",
        view=found,
        picture=neighbour_picture(corpus, id_, found.facts[:DRAWN]),
        drawn_facts=min(DRAWN, len(found.facts)),
    )


@router.get("/c/{corpus}/articles/{id}")
async def article(shared: Shared, corpus: CorpusName, id_: Id, claim: str = "") -> Response:
    """One article; a claim that was asked for is marked in its text."""
    await require_known(shared.graph, corpus)
    found = await read_article(shared.graph, corpus, id_)
    if found is None:
        raise NothingToDoError(f"there is no article {id_!r}.", "Choose one from a question or an entity.")
    spans = [(one.start, one.end) for one in found.claims if one.id == claim]
    return page(
        "article.html",
        found.title or "An article without a title",
        corpus,
        None,
        view=found,
        pieces=marked_pieces(found.body, spans),
    )
