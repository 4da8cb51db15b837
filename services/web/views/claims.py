"""Claims of a corpus: a list by slices, and one with its triples."""

from dataclasses import dataclass

from kg.queries import query
from kg.store.async_graph import AsyncGraph
from services.web.views.cursors import Slice, cut, decode, missing, require_known


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
    rows = await graph.rows(
        query("claims/page_claims"),
        corpus=corpus,
        article=filters.article,
        entity=filters.entity,
        verified=filters.verified,
        after=decode(cursor, str),
        limit=limit + 1,
    )
    if not rows:
        await require_known(graph, corpus)
    return cut([ClaimSummary(**row) for row in rows], limit, lambda one: [one.id])


async def read_claim(graph: AsyncGraph, corpus: str, id_: str) -> ClaimDetail:
    """One claim.

    Raises:
        MissingError: the corpus has none of this id.
    """
    found = await graph.rows(query("claims/read_details"), corpus=corpus, id=id_)
    if not found:
        await require_known(graph, corpus)
        raise missing("claim", id_, corpus)
    triples = tuple(
        TripleOfClaim(
            **one | {"subject": EntityName(**one["subject"]), "object": EntityName(**one["object"])}
        )
        for one in found[0]["triples"]
    )
    return ClaimDetail(**found[0] | {"chunks": tuple(found[0]["chunks"]), "triples": triples})
