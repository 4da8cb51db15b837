"""Articles and their chunks."""

from fastapi import APIRouter

from services.api.parameters import CorpusName, Cursor, Day, Id, Limit, OptionalId, Text, day_text
from services.api.resources import Reading
from services.views import articles as articles_view
from services.views import chunks as chunks_view
from services.views.articles import ArticleDetail, ArticleFilters, ArticleSummary
from services.views.chunks import ChunkDetail, ChunkSummary
from services.views.cursors import Slice

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
    return await chunks_view.list_chunks(graph, corpus, article, cursor, limit)


@articles_router.get("/chunks/{chunk}")
async def read_chunk(graph: Reading, corpus: CorpusName, chunk: Id) -> ChunkDetail:
    """A chunk with its neighbours, the claims in it and the names in it."""
    return await chunks_view.read_chunk(graph, corpus, chunk)
