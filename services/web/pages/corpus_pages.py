"""The search for entities, one entity, and one article that names them.

The graph to explore: an entity is searched, a click shows who lies around it, two that are picked are joined.

The path explorer: all shortest paths between two entities, drawn and as tables.
"""

import json
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Annotated

from fastapi import APIRouter, Query
from fastapi.responses import JSONResponse, RedirectResponse, Response

from kg.connect import browser_of
from kg.errors import NothingToDoError, SettingsError
from kg.paths.path_rows import Between, ToldPath, paths_between
from kg.paths.protocol import MAX_HOPS, Walk
from kg.queries import query
from services.report.html_values import plural, visible
from services.web.api.resources import Resources, Shared
from services.web.pages.parameters import (
    CorpusName,
    Id,
    address,
    one_of,
    require_known,
    short_text,
    whole_number,
)
from services.web.pages.pictures import elements, expansion_picture, neighbour_picture, paths_picture
from services.web.pages.rendering import PageRoute, page
from services.web.views.page_entity import (
    EDGE_KINDS,
    Named,
    explore_around,
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
        told=[_path_heading(path) for path in found.paths] if found else [],
        examples=() if names["from"] else (await search_entities(shared.graph, corpus, ""))[:8],
    )


def _the_only(meant: tuple[Named, ...]) -> Named | None:
    return meant[0] if len(meant) == 1 else None


def _path_heading(path: ToldPath) -> tuple[str, list[dict[str, object]]]:
    """A path's heading and its hops, each with the link before it."""
    heading = " \u2192 ".join(stop["name"] for stop in path.entities)
    return heading, [{**hop, "link": link} for hop, link in zip(path.hops, path.links, strict=True)]


NEIGHBOURS = 12
"""Neighbours that one click adds to the graph; the next click on the same entity adds as many more."""
CHOICES = 8
MOST_CLICKS = 40
"""Clicks that an address holds: more entities than these add make no picture that can be read."""
Kinds = Annotated[list[str], Query(alias="kind")]


@router.get("/c/{corpus}/graph")
async def graph(
    shared: Shared,
    corpus: CorpusName,
    text: str = "",
    opened: Annotated[str, Query(alias="open")] = "",
    kinds: Kinds = [],  # noqa: B006
    start: Annotated[str, Query(alias="from")] = "",
    end: Annotated[str, Query(alias="to")] = "",
) -> Response:
    """The graph to explore: `open` are the ids of entities in the order of the clicks on them."""
    await require_known(shared.graph, corpus)
    clicks = [id_ for id_ in opened.split(",") if id_]
    if len(clicks) > MOST_CLICKS:
        raise SettingsError(f"open names {len(clicks)} entities.", f"Give at most {MOST_CLICKS}.")
    wanted = wanted_kinds(kinds)
    sought = short_text(text, "text")
    meant = await meant_entities(shared.graph, corpus, sought) if sought else ()
    kept = {"from_": start, "to": end}
    if (only := _the_only(meant)) is not None:
        clicks = [*(id_ for id_ in clicks if id_ != only.id), only.id]
        return RedirectResponse(_graph_address(corpus, clicks, wanted, kept), 303)
    expansions = [
        await _expanded(shared, corpus, id_, wanted, number * NEIGHBOURS)
        for id_, number in Counter(clicks).items()
    ]
    found = meant or (await search_entities(shared.graph, corpus, sought) if sought or not clicks else ())
    return page(
        "graph.html",
        "Graph",
        corpus,
        "graph",
        text=sought,
        clicks=clicks,
        kinds=EDGE_KINDS,
        wanted=wanted,
        start=start,
        end=end,
        choices=[(one, _graph_address(corpus, [*clicks, one.id], wanted, kept)) for one in found[:CHOICES]],
        meant=meant,
        expansions=expansions,
        state=json.dumps({"expansions": expansions, "clicks": clicks}, ensure_ascii=False),
        browser=browser_of(shared.settings),
        statement=query("facts/draw_between").text,
        most=MOST_CLICKS,
    )


@router.get("/c/{corpus}/graph/around")
async def around(
    shared: Shared,
    corpus: CorpusName,
    entity: Annotated[str, Query(alias="id")],
    number: str = "",
    kinds: Kinds = [],  # noqa: B006
) -> Response:
    """What the clicks on one entity add to the graph, as JSON; `number` is how many there were."""
    clicks = whole_number(number, "number", 1, MOST_CLICKS) or 1
    return JSONResponse(await _expanded(shared, corpus, entity, wanted_kinds(kinds), clicks * NEIGHBOURS))


@router.get("/c/{corpus}/graph/way")
async def way(
    shared: Shared,
    corpus: CorpusName,
    start: Annotated[str, Query(alias="from")],
    end: Annotated[str, Query(alias="to")],
    kinds: Kinds = [],  # noqa: B006
) -> Response:
    """The shortest paths between two entities by id, as JSON: along the facts, else also against them."""
    mirrored = "mirrored" in wanted_kinds(kinds)
    one, other = [_the_only(await meant_entities(shared.graph, corpus, text)) for text in (start, end)]
    if one is None or other is None:
        raise NothingToDoError("one of the two is no entity of this corpus.", "Pick two in the graph.")
    for walk in (Walk(mirrored=mirrored), Walk(undirected=True, mirrored=mirrored)):
        found = await shared.in_thread(
            paths_between, shared.lent, corpus, one.id, other.id, walk, MAX_HOPS, PATHS_SHOWN
        )
        if found:
            picture = paths_picture(corpus, [(path.entities, path.hops) for path in found.paths])
            against = ", some facts walked against their direction" if walk.undirected else ""
            told = f"{plural(found.hops, 'hop')}, {plural(found.alternatives, 'shortest path')}{against}."
            options = {"mirrored": "" if mirrored else OFF, "undirected": ON if walk.undirected else ""}
            table = address(corpus, "paths", from_=start, to=end, **options)
            drawn = elements(picture.nodes, picture.edges)
            return JSONResponse({"told": told, "address": table, **drawn})
    return JSONResponse({"told": f"No path of at most {MAX_HOPS} hops joins them.", **elements((), ())})


def wanted_kinds(kinds: Sequence[str]) -> list[str]:
    """The kinds of edges that an address names, in their own order; all where it names none.

    Raises:
        SettingsError: there is no such kind.
    """
    chosen = {one_of(kind, "kind", tuple(EDGE_KINDS)) for kind in kinds}
    return [kind for kind in EDGE_KINDS if kind in chosen or not chosen]


def _graph_address(corpus: str, clicks: Sequence[str], kinds: Sequence[str], kept: Mapping[str, str]) -> str:
    chosen = () if len(kinds) == len(EDGE_KINDS) else tuple(kinds)
    return address(corpus, "graph", open=",".join(clicks), kind=chosen, **kept)


async def _expanded(
    shared: Resources, corpus: str, id_: str, kinds: Sequence[str], limit: int
) -> dict[str, object]:
    found = await explore_around(shared.graph, corpus, id_, kinds, limit)
    if found is None:
        raise NothingToDoError(f"there is no entity {id_!r}.", "Search for it by its name.")
    return expansion_picture(corpus, found)


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
