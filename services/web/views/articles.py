"""Articles of a corpus with their chunks, and the claims of these with their triples."""

from dataclasses import dataclass

from kg.queries import query
from kg.store.async_graph import AsyncGraph
from services.datasets.records import ChunkPlace
from services.web.views.cursors import Slice, cut, decode, read_details, read_rows


@dataclass(frozen=True, slots=True)
class ClaimInChunk:
    """A claim whose sentence stands in a chunk; `start` and `end` are characters of the article's body."""

    id: str
    text: str
    start: int
    end: int


@dataclass(frozen=True, slots=True)
class ClaimSummary(ClaimInChunk):
    """A claim with its sentence; `factual` is a probability."""

    sentence: str
    article: str
    title: str
    factual: float
    verified: bool
    answers: int
    error_rate: float | None


@dataclass(frozen=True, slots=True)
class EntityName:
    """An entity in few words."""

    id: str
    name: str | None
    type: str | None


@dataclass(frozen=True, slots=True)
class TripleOfClaim:
    """A triple of a claim; `kept_out` tells why no path may take it, empty where paths may."""

    id: str
    subject: EntityName
    predicate: str
    object: EntityName
    subject_as_written: str
    object_as_written: str
    confidence: float
    negated: bool
    attributed_to: str
    kept_out: str


@dataclass(frozen=True, slots=True)
class ClaimDetail(ClaimSummary):
    """A claim with its triples; `doubt` tells why it could not be verified."""

    doubt: str
    extractor: str
    chunks: tuple[str, ...]
    triples: tuple[TripleOfClaim, ...]


@dataclass(frozen=True, slots=True)
class ClaimFilters:
    """What claims are wanted: of an article's id, about an entity's id; empty and None let all through."""

    article: str = ""
    entity: str = ""
    verified: bool | None = None


async def list_claims(
    graph: AsyncGraph, corpus: str, filters: ClaimFilters, cursor: str | None, limit: int
) -> Slice[ClaimSummary]:
    """Claims in the order of their ids.

    Raises:
        MissingError: there is no such corpus.
        SettingsError: the cursor can't be read.
    """
    rows = await read_rows(
        graph,
        query("claims/page_claims"),
        corpus,
        article=filters.article,
        entity=filters.entity,
        verified=filters.verified,
        after=decode(cursor, str),
        limit=limit + 1,
    )
    return cut([ClaimSummary(**row) for row in rows], limit, lambda one: [one.id])


async def read_claim(graph: AsyncGraph, corpus: str, id_: str) -> ClaimDetail:
    """One claim.

    Raises:
        MissingError: the corpus has none of this id.
    """
    row = await read_details(graph, query("claims/read_details"), corpus, "claim", id_)
    triples = tuple(
        TripleOfClaim(
            **one | {"subject": EntityName(**one["subject"]), "object": EntityName(**one["object"])}
        )
        for one in row["triples"]
    )
    return ClaimDetail(**row | {"chunks": tuple(row["chunks"]), "triples": triples})


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
    rows = await read_rows(
        graph, query("chunks/page_chunks"), corpus, article=article, after=after, limit=limit + 1
    )
    return cut([ChunkSummary(**row) for row in rows], limit, lambda one: [one.id])


async def read_chunk(graph: AsyncGraph, corpus: str, id_: str) -> ChunkDetail:
    """One chunk.

    Raises:
        MissingError: the corpus has none of this id.
    """
    row = await read_details(graph, query("chunks/read_details"), corpus, "chunk", id_)
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
    rows = await read_rows(
        graph,
        query("articles/page_articles"),
        corpus,
        source=filters.source,
        category=filters.category,
        text=filters.text,
        since=filters.since,
        until=filters.until,
        after=decode(cursor, str),
        limit=limit + 1,
    )
    return cut([ArticleSummary(**row) for row in rows], limit, lambda one: [one.id])


async def read_article(graph: AsyncGraph, corpus: str, id_: str) -> ArticleDetail:
    """One article.

    Raises:
        MissingError: the corpus has none of this id.
    """
    row = await read_details(graph, query("articles/read_details"), corpus, "article", id_)
    chunks = tuple(ChunkPlace(**chunk) for chunk in row["chunks"])
    return ArticleDetail(**row | {"chunks": chunks})
