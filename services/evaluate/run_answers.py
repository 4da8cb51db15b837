"""The answers of a run as a report counts them."""

from dataclasses import dataclass

from kg.queries import query
from kg.store.graph import Graph, Row
from services.answer_match import holds_key
from services.answers import NULL, any_word_match, counted_kind, question_cluster
from services.evaluate.write_back import BrokenBy, find_loss
from services.statistics.rankings import found_at, gold_pieces


@dataclass(frozen=True, slots=True)
class GivenAnswer:
    """One answer to a kept question; `right` is its verdict, `error` why there is none.

    `cluster` is the question's group of shared evidence (`answers.question_cluster`). `holds_key` tells
    whether the gold answer or another form of it stands in the answer, in whatever company. `any_word` tells
    whether it shares a word with the gold answer, all that MultiHop-RAG's script asks for. `unaligned` counts
    retrieved texts that are in no chunk of the corpus; `retrieval_reported` is False where the system keeps
    to itself what it retrieved. `hops_cited` tells of each hop whether the answer cites a chunk that states
    it, empty where it cites none. `bin` is the quartile of distance, `confidence` in [0, 1] as the system
    tells it, None without one. `ranks` has the rank, from 1, at which each piece of the question's evidence
    was first retrieved, None where it was not; it is empty for null questions, which have nothing to find.
    `query_type` is MultiHop-RAG's for questions of our own, and the set's own word for imported ones.
    """

    question: str
    kind: str
    query_type: str
    hops: int
    right: bool
    exact_match: bool
    answer_match: bool
    holds_key: bool
    any_word: bool
    f1: float
    abstained: bool
    error: str
    judged_by: str
    seconds: float
    input_tokens: int
    output_tokens: int
    cost: float | None
    hops_found: tuple[bool, ...]
    first_lost: int | None
    broken_by: BrokenBy | None
    cluster: str
    unaligned: int = 0
    retrieval_reported: bool = True
    cached_input_tokens: int = 0
    reasoning_tokens: int = 0
    bin: int | None = None
    hops_cited: tuple[bool, ...] = ()
    confidence: float | None = None
    ranks: tuple[int | None, ...] = ()


def read_answers(graph: Graph, run: str) -> list[GivenAnswer]:
    """The answers of the run with this id, in the order of their questions' ids."""
    return [_answer(row) for row in graph.rows(query("answers/read_reported"), run=run)]


def _answer(row: Row) -> GivenAnswer:
    failed = bool(row["error"])
    abstained = bool(row["abstained"]) and not failed
    kind = counted_kind(row["kind"], row["query_type"])
    pieces = gold_pieces(((one["hop"], one["chunk"]) for one in row["evidence"]), row["unmatched"])
    return GivenAnswer(
        question=row["question"],
        kind=kind,
        query_type=row["query_type"],
        hops=row["hops"],
        right=bool(row["correct"]),
        exact_match=bool(row["exact_match"]),
        answer_match=bool(row["answer_match"]),
        holds_key=not failed and holds_key(row["given"], (row["gold"], *row["accepted"])),
        any_word=not failed and any_word_match(row["given"], row["gold"]),
        f1=float(row["f1"] or 0.0),
        abstained=abstained,
        error=row["error"],
        judged_by=row["judged_by"],
        seconds=float(row["seconds"]),
        input_tokens=row["input_tokens"],
        output_tokens=row["output_tokens"],
        cost=row["cost"],
        hops_found=tuple(row["hops_found"]),
        first_lost=row["first_lost"],
        broken_by=row["broken_by"],
        cluster=question_cluster(row["question"], ((one["hop"], one["article"]) for one in row["evidence"])),
        unaligned=row["unaligned"],
        retrieval_reported=row["told"],
        cached_input_tokens=row["cached_input_tokens"],
        reasoning_tokens=row["reasoning_tokens"],
        bin=row["bin"],
        hops_cited=_cited(row) if row["cites"] else (),
        confidence=row["confidence"],
        ranks=() if kind == NULL else tuple(found_at(row["retrieved"], pieces)),
    )


def _cited(row: Row) -> tuple[bool, ...]:
    return find_loss(((one["hop"], one["cited"]) for one in row["evidence"]), correct=True).hops_found
