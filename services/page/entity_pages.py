"""The search for entities, one entity, and one article that names them."""

from fastapi import APIRouter
from fastapi.responses import JSONResponse, Response

from kg.errors import NothingToDoError
from services.api.resources import Shared
from services.page.known import require_known
from services.page.parameters import CorpusName, Id, short_text
from services.page.pictures import neighbour_picture
from services.page.rendering import PageRoute, page
from services.report.html_values import visible
from services.views.page_entity import marked_pieces, read_article, read_entity, search_entities

router = APIRouter(route_class=PageRoute, include_in_schema=False)

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
