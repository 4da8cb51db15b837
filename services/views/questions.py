"""Questions of a corpus: a list by slices, and one with its path, evidence and answers."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg.queries import query
from kg.store.async_graph import AsyncGraph
from services.views.claims import EntityName
from services.views.cursors import Slice, cut, decode, missing, require_known


@dataclass(frozen=True, slots=True)
class QuestionSummary:
    """A question; `bin` is its quartile of distance (1 near to 4 far), `error_rate` is over `answers`.

    `difficulty` is the distance to its farthest evidence; it and `bin` are None where not rated. `crossings`
    are the borders that its hops must cross, by what evidence is clustered by, as far as the corpus tells.
    """

    id: str
    kind: str
    hops: int
    bin: int | None
    difficulty: float | None
    text: str
    answer: str
    status: str
    rejected_by: str
    rejected_why: str
    answers: int
    error_rate: float | None
    crossings: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class RestingOn:
    """A claim that a question rests on; `index` is its hop, from 1; the triple is empty off a path."""

    index: int
    link: str
    subject: str
    predicate: str
    object: str
    claim: str
    sentence: str
    article: str


@dataclass(frozen=True, slots=True)
class Evidence:
    """A chunk that supports a hop, and how near it is to the question (cosine)."""

    hop: int
    similarity: float | None
    chunk: str
    article: str
    title: str


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
    rows = await graph.rows(
        query("views/list_questions"),
        corpus=corpus,
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
    if not rows:
        await require_known(graph, corpus)
    found = [QuestionSummary(**row | {"crossings": _told(row["crossings"])}) for row in rows]
    return cut(found, limit, lambda one: [one.hops, one.id])


async def read_question(graph: AsyncGraph, corpus: str, id_: str) -> QuestionDetail:
    """One question.

    Raises:
        MissingError: the corpus has none of this id.
    """
    found = await graph.rows(query("views/read_question"), corpus=corpus, id=id_)
    if not found:
        await require_known(graph, corpus)
        raise missing("question", id_, corpus)
    row = found[0]
    parts = {
        "crossings": _told(row["crossings"]),
        "spans": _told(row["spans"]),
        "accepted": tuple(row["accepted"]),
        "entities": tuple(EntityName(**one) for one in row["entities"]),
        "facts": tuple(RestingOn(**one) for one in row["facts"]),
        "evidence": tuple(Evidence(**one) for one in row["evidence"]),
        "given": tuple(GivenAnswer(**one) for one in row["given"]),
    }
    return QuestionDetail(**row | parts)


def _told(numbers: Mapping[str, int | None]) -> dict[str, int]:
    """Those that the corpus tells."""
    return {facet: number for facet, number in numbers.items() if number is not None}
