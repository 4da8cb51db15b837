"""Corpora, and what their graphs hold: articles, chunks, claims, entities and hop paths."""

from typing import Annotated, Literal

from fastapi import APIRouter, Query

from kg.model import EntityType
from kg.paths.path_rows import paths_between as find_between
from kg.paths.protocol import MAX_HOPS, Walk
from services.datasets.description import DatasetStatistics
from services.datasets.description import read_statistics as read_figures
from services.evaluate.graph_quality import GraphQuality, measure_built
from services.web.api.parameters import (
    LONGEST_TEXT,
    CorpusName,
    Cursor,
    Day,
    Depths,
    Id,
    Limit,
    OptionalId,
    Text,
    day_text,
)
from services.web.api.resources import Reading, Shared
from services.web.views import articles as articles_view
from services.web.views import corpora
from services.web.views import entities as entities_view
from services.web.views import questions as questions_view
from services.web.views.articles import (
    ArticleDetail,
    ArticleFilters,
    ArticleSummary,
    ChunkDetail,
    ChunkSummary,
    ClaimDetail,
    ClaimFilters,
    ClaimSummary,
)
from services.web.views.corpora import CorpusDetail, CorpusSummary
from services.web.views.cursors import Slice, require_known
from services.web.views.entities import EntityDetail, EntityFilters, EntitySummary, Neighbour
from services.web.views.questions import PathDetail, PathSummary, WaysBetween, meant_entity, tell_ways

corpora_router = APIRouter(tags=["corpora"])


@corpora_router.get("/corpora")
async def list_corpora(graph: Reading) -> tuple[CorpusSummary, ...]:
    """Every corpus with the numbers of its parts."""
    return await corpora.list_corpora(graph)


@corpora_router.get("/corpora/{corpus}")
async def read_corpus(graph: Reading, corpus: CorpusName) -> CorpusDetail:
    """What a corpus was made with, and how far its pipeline is."""
    return await corpora.read_corpus(graph, corpus)


@corpora_router.get("/corpora/{corpus}/statistics")
async def read_statistics(shared: Shared, corpus: CorpusName) -> DatasetStatistics:
    """Articles by category, and the kept questions by type, pieces of evidence, first word and answer."""
    await require_known(shared.graph, corpus)
    return await shared.in_thread(read_figures, shared.lent, corpus)


@corpora_router.get("/corpora/{corpus}/graph-quality")
async def read_graph_quality(shared: Shared, corpus: CorpusName) -> GraphQuality:
    """Figures on the graph: pairs by distance, need of links, hubs, and what each gate keeps out of paths.

    Every pair of entities is counted, once for each state of the graph: of a large one, 503 says that it
    takes longer than a request may; then ask again.
    """
    await require_known(shared.graph, corpus)
    return await shared.of_graph(corpus, measure_built)


articles_router = APIRouter(prefix="/corpora/{corpus}", tags=["articles"])


@articles_router.get("/articles")
async def list_articles(
    graph: Reading,
    corpus: CorpusName,
    source: Text = "",
    category: Text = "",
    text: Text = "",
    since: Day = None,
    until: Day = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Slice[ArticleSummary]:
    """Articles, also those of a source, a category or some days, or with a text in their title."""
    filters = ArticleFilters(source, category, text, day_text(since), day_text(until))
    return await articles_view.list_articles(graph, corpus, filters, cursor, limit)


@articles_router.get("/articles/{article}")
async def read_article(graph: Reading, corpus: CorpusName, article: Id) -> ArticleDetail:
    """An article with its text and the places of its chunks."""
    return await articles_view.read_article(graph, corpus, article)


@articles_router.get("/chunks")
async def list_chunks(
    graph: Reading, corpus: CorpusName, article: OptionalId = "", cursor: Cursor = None, limit: Limit = 50
) -> Slice[ChunkSummary]:
    """Chunks with their texts, also those of one article."""
    return await articles_view.list_chunks(graph, corpus, article, cursor, limit)


@articles_router.get("/chunks/{chunk}")
async def read_chunk(graph: Reading, corpus: CorpusName, chunk: Id) -> ChunkDetail:
    """A chunk with its neighbours, the claims in it and the names in it."""
    return await articles_view.read_chunk(graph, corpus, chunk)


claims_router = APIRouter(prefix="/corpora/{corpus}", tags=["claims"])


@claims_router.get("/claims")
async def list_claims(
    graph: Reading,
    corpus: CorpusName,
    article: OptionalId = "",
    entity: OptionalId = "",
    verified: bool | None = None,
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Slice[ClaimSummary]:
    """Claims, also those of one article, about one entity, or verified ones only."""
    return await articles_view.list_claims(
        graph, corpus, ClaimFilters(article, entity, verified), cursor, limit
    )


@claims_router.get("/claims/{claim}")
async def read_claim(graph: Reading, corpus: CorpusName, claim: Id) -> ClaimDetail:
    """A claim with its triples and the chunks that hold its sentence."""
    return await articles_view.read_claim(graph, corpus, claim)


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


paths_router = APIRouter(prefix="/corpora/{corpus}", tags=["paths"])

End = Annotated[str, Query(description="Any name of the entity, or its id.", max_length=LONGEST_TEXT)]


@paths_router.get("/paths")
async def list_paths(
    graph: Reading,
    corpus: CorpusName,
    hops: Depths = [],  # noqa: B006
    link: Annotated[
        Literal["shared", "exact", "context", ""],
        Query(description="Paths with such a link; shared: with no other. Empty for any."),
    ] = "",
    cursor: Cursor = None,
    limit: Limit = 50,
) -> Slice[PathSummary]:
    """Paths that were drawn or saved, by depth."""
    return await questions_view.list_paths(graph, corpus, hops, link, cursor, limit)


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
    return await questions_view.read_path(graph, corpus, path)
