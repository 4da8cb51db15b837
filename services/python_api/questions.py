"""Questions of a corpus as plain values."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kg.errors import NothingToDoError, command
from kg.queries import query
from kg.store.graph import Graph, Row

QUESTIONS_A_BATCH = 500
_ALL = 1_000_000_000


@dataclass(frozen=True, slots=True)
class Evidence:
    """A chunk that states the fact of a hop, counted from 1, in the article of this title.

    `similarity` is the cosine of chunk and question, None for questions without difficulty.
    """

    hop: int
    chunk: str
    title: str
    text: str
    similarity: float | None


@dataclass(frozen=True, slots=True)
class Question:
    """A question with its gold answer and evidence.

    `bin` is the quartile of its retrieval distance, 1 (near) to 4 (far), `difficulty` that distance, both
    None where it has none. `path` is the id of the hop path behind it, empty without one. `rejected_by` names
    the check that a rejected question failed.
    """

    id: str
    text: str
    answer: str
    accepted: tuple[str, ...]
    kind: str
    query_type: str
    hops: int
    bin: int | None
    difficulty: float | None
    status: str
    rejected_by: str
    rejected_why: str
    path: str
    evidence: tuple[Evidence, ...]


def iterate_questions(
    graph: Graph, corpus: str, hops: Sequence[int], kinds: Sequence[str], status: str, limit: int | None
) -> Iterator[Question]:
    """The questions of a corpus, chains first, by depth, kind and difficulty; an empty list means any."""
    listed = graph.rows(
        query("questions/list_questions"),
        corpus=corpus,
        hops=list(hops),
        kinds=list(kinds),
        status=status,
        rejected_by="",
        limit=_ALL if limit is None else limit,
    )
    ids = [row["id"] for row in listed]
    for row in graph.read_in_batches(query("questions/read_with_evidence"), ids, QUESTIONS_A_BATCH):
        yield _question(row)


def read_question(graph: Graph, id_: str) -> Question:
    """One question.

    Raises:
        NothingToDoError: there is none of this id.
    """
    for row in graph.rows(query("questions/read_with_evidence"), ids=[id_]):
        return _question(row)
    raise NothingToDoError(f"there is no question {id_!r}.", f"See them: {command('questions list')}")


def _question(row: Row) -> Question:
    kept = row["question"]
    return Question(
        id=kept["id"],
        text=kept["text"],
        answer=kept["answer"],
        accepted=tuple(kept["accepted"] or ()),
        kind=kept["kind"],
        query_type=kept["query_type"] or "",
        hops=kept["hops"],
        bin=kept["bin"],
        difficulty=kept["difficulty_min"],
        status=kept["status"],
        rejected_by=kept["rejected_by"] or "",
        rejected_why=kept["rejected_why"] or "",
        path=row["path"] or "",
        evidence=tuple(Evidence(**one) for one in row["evidence"]),
    )
