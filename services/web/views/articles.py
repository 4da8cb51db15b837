"""Articles of a corpus: a list by slices, and one with its text and chunks.

Chunks of a corpus: a list by slices, and one with its neighbours, claims and names.
"""

from dataclasses import dataclass

from kg.queries import query
from kg.store.async_graph import AsyncGraph
from services.datasets.records import ChunkPlace
from services.web.views.claims import ClaimInChunk
from services.web.views.cursors import Slice, cut, decode, missing, require_known


@dataclass(frozen=True, slots=True)
class ChunkSummary(ChunkPlace):
    """A chunk with its text and its place in its article."""

    article: str
    title: str
    text: str
    answers: int
    error_rate: float | None


@dataclass(frozen=True, slots=True)
class NameInChunk:
    """A name as a chunk writes it, how often, and the entity that it means."""

    surface: str
    count: int
    entity: str
    name: str
    type: str


@dataclass(frozen=True, slots=True)
class ChunkDetail(ChunkSummary):
    """A chunk with what was read out of it; `before` and `next` are None at the article's ends."""

    before: str | None
    next: str | None
    claims: tuple[ClaimInChunk, ...]
    names: tuple[NameInChunk, ...]


async def list_chunks(
    graph: AsyncGraph, corpus: str, article: str, cursor: str | None, limit: int
) -> Slice[ChunkSummary]:
    """Chunks in the order of their ids, of one article unless `article` is empty.

    Raises:
        MissingError: there is no such corpus.
        SettingsError: the cursor can't be read.
    """
    after = decode(cursor, str)
    rows = await graph.rows(
        query("chunks/page_chunks"), corpus=corpus, article=article, after=after, limit=limit + 1
    )
    if not rows:
        await require_known(graph, corpus)
    return cut([ChunkSummary(**row) for row in rows], limit, lambda one: [one.id])


async def read_chunk(graph: AsyncGraph, corpus: str, id_: str) -> ChunkDetail:
    """One chunk.

    Raises:
        MissingError: the corpus has none of this id.
    """
    found = await graph.rows(query("chunks/read_details"), corpus=corpus, id=id_)
    if not found:
        await require_known(graph, corpus)
        raise missing("chunk", id_, corpus)
    row = found[0]
    parts = {
        "claims": tuple(ClaimInChunk(**claim) for claim in row["claims"]),
        "names": tuple(NameInChunk(**name) for name in row["names"]),
    }
    return ChunkDetail(**row | parts)


@dataclass(frozen=True, slots=True)
class ArticleSummary:
    """An article; `published` is an ISO date, empty where unknown, `error_rate` is over `answers`."""

    id: str
    title: str
    source: str
    category: str
    author: str
    published: str
    url: str
    tokens: int
    answers: int
    error_rate: float | None


@dataclass(frozen=True, slots=True)
class ArticleDetail(ArticleSummary):
    """An article with its text."""

    body: str
    sha256: str
    chunks: tuple[ChunkPlace, ...]


@dataclass(frozen=True, slots=True)
class ArticleFilters:
    """What articles are wanted; an empty field lets all through. Days are ISO dates, both inclusive."""

    source: str = ""
    category: str = ""
    text: str = ""
    since: str = ""
    until: str = ""


async def list_articles(
    graph: AsyncGraph, corpus: str, filters: ArticleFilters, cursor: str | None, limit: int
) -> Slice[ArticleSummary]:
    """Articles in the order of their ids; `text` stands in the title.

    Raises:
        MissingError: there is no such corpus.
        SettingsError: the cursor can't be read.
    """
    rows = await graph.rows(
        query("articles/page_articles"),
        corpus=corpus,
        source=filters.source,
        category=filters.category,
        text=filters.text,
        since=filters.since,
        until=filters.until,
        after=decode(cursor, str),
        limit=limit + 1,
    )
    if not rows:
        await require_known(graph, corpus)
    return cut([ArticleSummary(**row) for row in rows], limit, lambda one: [one.id])


async def read_article(graph: AsyncGraph, corpus: str, id_: str) -> ArticleDetail:
    """One article.

    Raises:
        MissingError: the corpus has none of this id.
    """
    found = await graph.rows(query("articles/read_details"), corpus=corpus, id=id_)
    if not found:
        await require_known(graph, corpus)
        raise missing("article", id_, corpus)
    chunks = tuple(ChunkPlace(**chunk) for chunk in found[0]["chunks"])
    return ArticleDetail(**found[0] | {"chunks": chunks})
