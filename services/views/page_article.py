"""What the page shows of an article: its text, cut where claims begin and end, and whom it names."""

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise

from kg.queries import query
from kg.store.async_graph import AsyncGraph
from services.views.page_entity import Named


@dataclass(frozen=True, slots=True)
class ArticleClaim:
    """A claim of an article at body[start:end]; `verified` is false where its statement is in doubt."""

    id: str
    text: str
    start: int
    end: int
    verified: bool
    error_rate: float | None


@dataclass(frozen=True, slots=True)
class Piece:
    """A stretch of the text, marked where it is the claim that was asked for."""

    text: str
    marked: bool


@dataclass(frozen=True, slots=True)
class ArticleView:
    """One article."""

    id: str
    title: str
    source: str
    category: str
    author: str
    url: str
    published: str
    tokens: int
    error_rate: float | None
    body: str
    claims: tuple[ArticleClaim, ...]
    entities: tuple[Named, ...]


async def read_article(graph: AsyncGraph, corpus: str, id_: str) -> ArticleView | None:
    """An article of a corpus; None where there is none of that id."""
    found = await graph.rows(query("page/read_article"), corpus=corpus, id=id_)
    if not found:
        return None
    article = found[0]["article"]
    texts = ("title", "source", "category", "author", "url", "published", "body")
    return ArticleView(
        id=article["id"],
        tokens=article["tokens"] or 0,
        error_rate=article["error_rate"],
        claims=tuple(
            ArticleClaim(
                claim["id"],
                claim["text"] or "",
                claim["start"],
                claim["end"],
                claim["verified"] is not False,
                claim["error_rate"],
            )
            for claim in found[0]["claims"]
        ),
        entities=tuple(Named(one["id"], one["name"] or one["id"]) for one in found[0]["entities"]),
        **{name: article[name] or "" for name in texts},
    )


def marked_pieces(body: str, spans: Sequence[tuple[int, int]]) -> tuple[Piece, ...]:
    """The body cut at the spans, which are marked; spans may overlap or lie outside."""
    cuts = sorted({0, len(body), *(min(max(0, edge), len(body)) for span in spans for edge in span)})
    return tuple(
        Piece(body[start:end], any(low <= start and end <= high for low, high in spans))
        for start, end in pairwise(cuts)
    )
