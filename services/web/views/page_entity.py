"""What the page shows of entities: a search, and one entity with its names, facts and questions.

What the page shows of an article: its text, cut where claims begin and end, and whom it names.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise

from kg.queries import query
from kg.resolve.name_pool import entity_key
from kg.resolve.normal_form import normal_form
from kg.store.async_graph import AsyncGraph
from kg.store.graph import Row
from services.web.views.articles import ArticleSummary, ClaimInChunk, EntityName
from services.web.views.entities import EdgeAround, index_search

FACTS_SHOWN = 60
QUESTIONS_SHOWN = 20
FOUND_SHOWN = 30


@dataclass(frozen=True, slots=True)
class Named(EntityName):
    """Something with an id that the page can lead to: an entity (then with its type), an article, a question.

    `error_rate` is over all runs' `answers`, None without any; `degree` counts an entity's facts.
    """

    name: str
    type: str = ""
    error_rate: float | None = None
    answers: int | None = None
    degree: int | None = None


@dataclass(frozen=True, slots=True)
class Fact(EdgeAround):
    """A fact around an entity with its claim, and the title of the article that states it."""

    subject: Named
    object: Named
    title: str


EDGE_KINDS: Mapping[str, str] = {
    "paths": "facts that paths take",
    "mirrored": "edges that context added",
    "same": "the same in a context",
    "out": "facts in no path",
}
"""The kinds of edges between entities that can be explored, as people read them."""


@dataclass(frozen=True, slots=True)
class ExploredEdge:
    """An edge of one of EDGE_KINDS; `why` is why no path takes it, or by what evidence two are the same."""

    id: str
    kind: str
    source: str
    target: str
    predicate: str
    why: str
    claim: str
    sentence: str = ""
    article: str = ""
    title: str = ""


@dataclass(frozen=True, slots=True)
class Expansion:
    """An entity with the first of its `total` neighbours, and the edges to these."""

    entity: Named
    total: int
    neighbours: tuple[Named, ...]
    edges: tuple[ExploredEdge, ...]


@dataclass(frozen=True, slots=True)
class Joined:
    """A name that was merged, or an entity that is the same in a context: with the evidence for it."""

    name: str
    evidence: str
    score: float | None
    id: str = ""


@dataclass(frozen=True, slots=True)
class EntityView:
    """One entity; `fact_count` is of all facts, of which `facts` may be a part."""

    entity: Named
    hub_reason: str
    names: tuple[tuple[str, int], ...]
    aliases: tuple[Joined, ...]
    links: tuple[Joined, ...]
    kept_apart: tuple[tuple[str, str], ...]
    namesakes: tuple[Named, ...]
    articles: tuple[Named, ...]
    questions: tuple[Named, ...]
    facts: tuple[Fact, ...]
    fact_count: int


async def search_entities(graph: AsyncGraph, corpus: str, text: str) -> tuple[Named, ...]:
    """The entities whose names fit a text best; without a word in it, those that fail most or know most."""
    sought = index_search(text)
    if not sought:
        rows = await graph.rows(query("entities/list_by_errors"), corpus=corpus, limit=FOUND_SHOWN)
    else:
        rows = await graph.rows(
            query("entities/search_words"), corpus=corpus, words=sought, limit=FOUND_SHOWN
        )
    return tuple(map(_entity, rows))


async def meant_entities(graph: AsyncGraph, corpus: str, text: str) -> tuple[Named, ...]:
    """The entities that a text means equally well, by id or any name; none where it means nothing."""
    rows = await graph.rows(query("entities/find_entities"), corpus=corpus, text=text, key=entity_key(text))
    return tuple(_entity(row) for row in rows if row["rank"] == rows[0]["rank"])


async def read_facts(graph: AsyncGraph, id_: str, limit: int = FACTS_SHOWN) -> tuple[Fact, ...]:
    """The facts around an entity, mirrored ones last."""
    return tuple(map(_fact, await graph.rows(query("facts/read_around"), id=id_, limit=limit)))


EDGES_TO_ONE = 6
"""Edges to one neighbour that are explored: of those that repeat each other the rest says no more."""


async def explore_around(
    graph: AsyncGraph, corpus: str, id_: str, kinds: Sequence[str], limit: int
) -> Expansion | None:
    """At most `limit` neighbours of an entity by edges of these kinds; None where there is no such entity."""
    rows = await graph.rows(
        query("facts/explore_around"),
        id=id_,
        corpus=corpus,
        kinds=list(kinds),
        limit=limit,
        edges=EDGES_TO_ONE,
    )
    if not rows:
        return None
    edges = [edge for one in rows[0]["neighbours"] for edge in one["edges"]]
    ids = sorted({edge["claim"] for edge in edges if edge["claim"]})
    claims = {row["id"]: row for row in await graph.rows(query("claims/read_claims"), ids=ids)}
    told = ("sentence", "article", "title")
    return Expansion(
        _entity(rows[0]["entity"]),
        rows[0]["total"],
        tuple(_entity(one["entity"]) for one in rows[0]["neighbours"]),
        tuple(
            ExploredEdge(**edge, **{name: claims.get(edge["claim"], {}).get(name) or "" for name in told})
            for edge in edges
        ),
    )


async def read_entity(graph: AsyncGraph, corpus: str, id_: str) -> EntityView | None:
    """All that the page says of an entity; None where there is none of that id."""
    rows = await graph.rows(query("entities/read_shown"), corpus=corpus, id=id_, limit=QUESTIONS_SHOWN)
    if not rows:
        return None
    row, entity = rows[0], rows[0]["entity"]
    names = await graph.rows(query("entities/read_names"), id=id_)
    articles = await graph.rows(query("articles/read_naming"), id=id_)
    namesakes = await graph.rows(
        query("entities/read_namesakes"),
        corpus=corpus,
        id=id_,
        key=entity["key"] or normal_form(entity["name"]),
        name=entity["name"],
    )
    return EntityView(
        entity=_entity(entity),
        hub_reason=entity["hub_reason"] or "",
        names=tuple((one["name"], one["articles"]) for one in names),
        aliases=tuple(Joined(one["name"], one["evidence"] or "", one["score"]) for one in row["aliases"]),
        links=tuple(
            Joined(one["name"], one["evidence"] or "", one["score"], one["id"]) for one in row["links"]
        ),
        kept_apart=tuple((", ".join(one["names"] or ()), one["reason"] or "") for one in row["kept_apart"]),
        namesakes=tuple(Named(one["id"], one["name"]) for one in namesakes),
        articles=tuple(Named(one["id"], one["title"] or "") for one in articles),
        questions=tuple(
            Named(one["id"], one["text"], error_rate=one["error_rate"], answers=one["answers"])
            for one in row["questions"]
        ),
        facts=await read_facts(graph, id_),
        fact_count=row["facts"],
    )


def _entity(row: Row) -> Named:
    return Named(
        row["id"],
        row["name"] or row["id"],
        row["type"] or "",
        row.get("error_rate"),
        row.get("answers"),
        row.get("degree"),
    )


def _fact(row: Row) -> Fact:
    told = ("predicate", "kept_out", "sentence", "claim", "article", "title")
    return Fact(
        id=row["id"],
        mirrored=row["mirrored"],
        subject=_entity(row["subject"]),
        object=_entity(row["object"]),
        **{name: row[name] or "" for name in told},
    )


@dataclass(frozen=True, slots=True)
class ArticleClaim(ClaimInChunk):
    """A claim of an article at body[start:end]; `verified` is false where its statement is in doubt."""

    verified: bool
    error_rate: float | None
    answers: int | None


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text, marked where it is the claim that was asked for."""

    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class ArticleView(ArticleSummary):
    """One article with its text, its claims and whom it names."""

    body: str
    claims: tuple[ArticleClaim, ...]
    entities: tuple[Named, ...]


async def read_article(graph: AsyncGraph, corpus: str, id_: str) -> ArticleView | None:
    """An article of a corpus; None where there is none of that id."""
    rows = await graph.rows(query("articles/read_with_claims"), corpus=corpus, id=id_)
    if not rows:
        return None
    article = rows[0]["article"]
    texts = ("title", "source", "category", "author", "url", "published", "body")
    return ArticleView(
        id=article["id"],
        tokens=article["tokens"] or 0,
        error_rate=article["error_rate"],
        answers=article["answers"] or 0,
        claims=tuple(
            ArticleClaim(
                claim["id"],
                claim["text"] or "",
                claim["start"],
                claim["end"],
                claim["verified"] is not False,
                claim["error_rate"],
                claim["answers"],
            )
            for claim in rows[0]["claims"]
        ),
        entities=tuple(Named(one["id"], one["name"] or one["id"]) for one in rows[0]["entities"]),
        **{name: article[name] or "" for name in texts},
    )


def marked_pieces(body: str, spans: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
    """The body cut at the spans, which are marked; spans may overlap or lie outside."""
    cuts = sorted({0, len(body), *(min(max(0, edge), len(body)) for span in spans for edge in span)})
    return tuple(
        Piece(body[start:end], any(low <= start and end <= high for low, high in spans))
        for start, end in pairwise(cuts)
    )
