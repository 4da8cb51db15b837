"""Questions of a corpus: a list by slices, and one with its path, evidence and answers.

Hop paths of a corpus that were drawn or saved: a list by slices, and one hop by hop.

The shortest ways between two entities, as the API and the page tell them.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg.model import ChunkSource, StatedTriple
from kg.paths.path_rows import Between, ToldPath
from kg.queries import query
from kg.resolve.name_pool import entity_key
from kg.store.async_graph import AsyncGraph
from kg.store.graph import Row
from services.web.views.articles import EntityName
from services.web.views.cursors import (
    AmbiguousError,
    Slice,
    cut,
    decode,
    missing,
    read_details,
    read_rows,
    require_known,
)


@dataclass(frozen=True, slots=True)
class HopFact(StatedTriple):
    """The fact of a hop: its triple, the sentence behind it, and how it joins the one before (`link`).

    `attributed_to` is who is reported to have said so, empty where the article says it itself.
    """

    link: str
    attributed_to: str
    claim: str
    sentence: str
    article: str


@dataclass(frozen=True, slots=True)
class WayHop(HopFact):
    """One hop of a way.

    `mirrored` marks an edge that context added, `reversed` one that is walked against its direction.
    """

    edge: str
    mirrored: bool
    reversed: bool
    title: str


@dataclass(frozen=True, slots=True)
class WayTold:
    """One way: the entities along it and its hops."""

    entities: tuple[EntityName, ...]
    hops: tuple[WayHop, ...]


@dataclass(frozen=True, slots=True)
class WaysBetween:
    """All shortest ways of a pair: their length (None where there is none), how many, the first of them."""

    start: EntityName
    end: EntityName
    hops: int | None
    alternatives: int
    ways: tuple[WayTold, ...]


async def meant_entity(graph: AsyncGraph, corpus: str, text: str) -> EntityName:
    """The entity that a text means: by id, name, another name, or normal form.

    Raises:
        MissingError: none does, or there is no such corpus.
        AmbiguousError: several do equally well; the message lists some of them.
    """
    rows = await graph.rows(query("entities/find_entities"), corpus=corpus, text=text, key=entity_key(text))
    best = [row for row in rows if row["rank"] == rows[0]["rank"]]
    if len(best) == 1:
        return EntityName(best[0]["id"], best[0]["name"], best[0]["type"])
    if best:
        listed = ", ".join(f"{row['name']!r} ({row['type']}, {row['id']})" for row in best[:10])
        raise AmbiguousError(f"{text!r} may mean {len(best)} entities: {listed}.", "Give the id instead.")
    await require_known(graph, corpus)
    raise missing("entity", text, corpus)


def tell_ways(start: EntityName, end: EntityName, found: Between | None) -> WaysBetween:
    """What was found between two entities."""
    if found is None:
        return WaysBetween(start, end, None, 0, ())
    return WaysBetween(start, end, found.hops, found.alternatives, tuple(map(_way, found.paths)))


def _way(path: ToldPath) -> WayTold:
    return WayTold(
        tuple(EntityName(one["id"], one["name"], one["type"]) for one in path.entities),
        tuple(
            WayHop(
                edge=hop["id"],
                link=link,
                mirrored=hop["mirrored"],
                reversed=hop["reversed"],
                subject=hop["subject"] or "",
                predicate=hop["predicate"] or "",
                object=hop["object"] or "",
                attributed_to=hop["attributed_to"],
                claim=hop["claim"] or "",
                sentence=hop["sentence"] or "",
                article=hop["article"] or "",
                title=hop["title"] or "",
            )
            for hop, link in zip(path.hops, path.links, strict=True)
        ),
    )


@dataclass(frozen=True, slots=True)
class PathFacts:
    """A path; `alternatives` counts the shortest paths of its pair, `error_rate` is over `answers`."""

    id: str
    hops: int
    alternatives: int
    crosses_articles: bool
    uses_exact: bool
    uses_context: bool
    drawn: bool
    saved: bool
    answers: int
    error_rate: float | None


@dataclass(frozen=True, slots=True)
class PathSummary(PathFacts):
    """A path with the names along it."""

    names: tuple[str | None, ...]


@dataclass(frozen=True, slots=True)
class PathStep(WayHop):
    """One hop of a path that is kept, by its place on it."""

    index: int


@dataclass(frozen=True, slots=True)
class PathDetail(PathFacts):
    """A path hop by hop, and the ids of the questions that follow it."""

    entities: tuple[EntityName, ...]
    steps: tuple[PathStep, ...]
    questions: tuple[str, ...]


async def list_paths(
    graph: AsyncGraph, corpus: str, hops: Sequence[int], link: str, cursor: str | None, limit: int
) -> Slice[PathSummary]:
    """Paths by depth, then by id; `link` is shared, exact, context, or empty for all.

    Raises:
        MissingError: there is no such corpus.
        SettingsError: the cursor can't be read.
    """
    rows = await read_rows(
        graph,
        query("paths/page_paths"),
        corpus,
        hops=list(hops),
        link=link,
        saved=False,
        after=decode(cursor, int, str),
        limit=limit + 1,
    )
    found = [_path_summary(row) for row in rows]
    return cut(found, limit, lambda one: [one.hops, one.id])


def _path_summary(row: Row) -> PathSummary:
    shown = {name: row[name] for name in row if name != "fitting"}
    return PathSummary(**shown | {"names": tuple(row["names"])})


async def read_path(graph: AsyncGraph, corpus: str, id_: str) -> PathDetail:
    """One path.

    Raises:
        MissingError: the corpus has none of this id.
    """
    row = await read_details(graph, query("paths/read_details"), corpus, "path", id_)
    parts = {
        "entities": tuple(EntityName(**one) for one in row["entities"]),
        "steps": tuple(PathStep(**one) for one in row["steps"]),
        "questions": tuple(row["questions"]),
    }
    return PathDetail(**row | parts)


@dataclass(frozen=True, slots=True)
class QuestionFacts:
    """A question; `bin` is its quartile of distance (1 near to 4 far), `error_rate` is over all answers.

    `difficulty` is the distance to its farthest evidence; it and `bin` are None where not rated.
    """

    id: str
    kind: str
    bin: int | None
    difficulty: float | None
    text: str
    answer: str
    rejected_by: str
    error_rate: float | None


@dataclass(frozen=True, slots=True)
class QuestionSummary(QuestionFacts):
    """A question in a list. `crossings` are the borders that its hops must cross, by what evidence is
    clustered by, as far as the corpus tells."""

    hops: int
    status: str
    rejected_why: str
    answers: int
    crossings: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RestingOn(HopFact):
    """A claim that a question rests on; `index` is its hop, from 1; the triple is empty off a path."""

    index: int


@dataclass(frozen=True, slots=True)
class Evidence(ChunkSource):
    """A chunk that supports a hop, and how near it is to the question (cosine)."""

    hop: int
    similarity: float | None


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """What a run answered; `id` leads to the whole answer."""

    run: str
    id: str
    text: str
    correct: bool
    error: str


@dataclass(frozen=True, slots=True)
class QuestionDetail(QuestionSummary):
    """A question with all that hangs on it; `path` is empty where it follows none.

    `spans` are the clusters that its evidence lies in at least, by what it is clustered by.
    """

    spans: Mapping[str, int]
    accepted: tuple[str, ...]
    generator: str
    path: str
    entities: tuple[EntityName, ...]
    facts: tuple[RestingOn, ...]
    evidence: tuple[Evidence, ...]
    given: tuple[GivenAnswer, ...]


@dataclass(frozen=True, slots=True)
class QuestionFilters:
    """What questions are wanted; empty fields let all through. `text` stands in question or answer,
    `entity` is the id of one on the path, asked about, or the answer."""

    status: str = "kept"
    hops: Sequence[int] = ()
    bins: Sequence[int] = ()
    kinds: Sequence[str] = ()
    rejected_by: str = ""
    text: str = ""
    entity: str = ""


async def list_questions(
    graph: AsyncGraph, corpus: str, filters: QuestionFilters, cursor: str | None, limit: int
) -> Slice[QuestionSummary]:
    """Questions by depth, then by id.

    Raises:
        MissingError: there is no such corpus.
        SettingsError: the cursor can't be read.
    """
    rows = await read_rows(
        graph,
        query("questions/page_questions"),
        corpus,
        status=filters.status,
        hops=list(filters.hops),
        bins=list(filters.bins),
        kinds=list(filters.kinds),
        rejected_by=filters.rejected_by,
        text=filters.text,
        entity=filters.entity,
        after=decode(cursor, int, str),
        limit=limit + 1,
    )
    found = [QuestionSummary(**row | {"crossings": _known_numbers(row["crossings"])}) for row in rows]
    return cut(found, limit, lambda one: [one.hops, one.id])


async def read_question(graph: AsyncGraph, corpus: str, id_: str) -> QuestionDetail:
    """One question.

    Raises:
        MissingError: the corpus has none of this id.
    """
    row = await read_details(graph, query("questions/read_details"), corpus, "question", id_)
    parts = {
        "crossings": _known_numbers(row["crossings"]),
        "spans": _known_numbers(row["spans"]),
        "accepted": tuple(row["accepted"]),
        "entities": tuple(EntityName(**one) for one in row["entities"]),
        "facts": tuple(RestingOn(**one) for one in row["facts"]),
        "evidence": tuple(Evidence(**one) for one in row["evidence"]),
        "given": tuple(GivenAnswer(**one) for one in row["given"]),
    }
    return QuestionDetail(**row | parts)


def _known_numbers(numbers: Mapping[str, int | None]) -> dict[str, int]:
    """Those that the corpus tells."""
    return {facet: number for facet, number in numbers.items() if number is not None}
