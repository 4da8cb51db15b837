"""The answers of a run as a report counts them.

The hop-aware analysis of a run as one: its traces are read once, for figures and for why it failed.

GoalSeeking's table: for each query type accuracy, goals achieved and iterations (its README, "Results").

A goal is achieved when the agent's own evaluator was content with the answer; that says nothing of whether
the answer is right, so it stands beside the accuracy, and beside that of the answers it was content with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg.ids import run_id
from kg.queries import query
from kg.store.graph import Graph, Row
from services.answer_match import holds_key
from services.answers import NULL, any_word_match, counted_kind, question_cluster
from services.evaluate.diagnose import (
    AttributionFigures,
    Failure,
    attribution_figures,
    diagnose,
    failures_of,
)
from services.evaluate.hop_aware import Figure, HopAware, hop_aware, mean, share
from services.evaluate.hop_traces import read_traces, track_of
from services.evaluate.write_back import BrokenBy, find_loss
from services.questions.draft import QUERY_TYPES
from services.rag.agents.goal_seeking.primitives import Ending, read_ending
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
        hops_cited=_cited_hops(row) if row["cites"] else (),
        confidence=row["confidence"],
        ranks=() if kind == NULL else tuple(found_at(row["retrieved"], pieces)),
    )


def _cited_hops(row: Row) -> tuple[bool, ...]:
    return find_loss(((one["hop"], one["cited"]) for one in row["evidence"]), correct=True).hops_found


ALL = "all"


@dataclass(frozen=True, slots=True)
class SoughtAnswer:
    """An answer of a goal-seeking agent; `ending` is None where the question ended with an error.

    `cluster` is the question's group of shared evidence.
    """

    query_type: str
    right: bool
    cluster: str
    ending: Ending | None


@dataclass(frozen=True, slots=True)
class GoalRow:
    """A line of the table. `iterations` and `achieved` leave out questions that ended with an error;
    `right_when_achieved` is the accuracy of answers that the evaluator was content with."""

    query_type: str
    accuracy: Figure
    achieved: Figure
    right_when_achieved: Figure
    iterations: Figure
    errors: int


def read_goal_rows(graph: Graph, corpus: str, run: str) -> tuple[GoalRow, ...]:
    """The table of a run, given its name; empty for the run of a system that seeks no goals."""
    key = run_id(corpus, run)
    thoughts = graph.rows(query("answers/read_endings"), run=key)
    endings = {row["question"]: ending for row in thoughts if (ending := read_ending(row["thought"]))}
    return goal_rows(sought_answers(read_answers(graph, key), endings)) if endings else ()


def sought_answers(answers: Sequence[GivenAnswer], endings: Mapping[str, Ending]) -> list[SoughtAnswer]:
    """The answers of a run with their endings, by question."""
    return [
        SoughtAnswer(one.query_type, one.right, one.cluster, endings.get(one.question)) for one in answers
    ]


def goal_rows(answers: Sequence[SoughtAnswer]) -> tuple[GoalRow, ...]:
    """Accuracy, goals achieved and iterations by query type, and over all (GoalSeeking, results).

    A goal is achieved where the evaluator was content; answers that ended with an error have neither goal nor
    iterations. MultiHop-RAG's types come first. Intervals are by cluster.
    """
    names = {one.query_type: None for one in answers}
    known = [name for name in dict.fromkeys(QUERY_TYPES.values()) if name in names]
    ordered = [*known, *sorted(name for name in names if name not in known)]
    rows = [_row(name, [one for one in answers if one.query_type == name]) for name in ordered]
    return (*rows, _row(ALL, answers)) if len(rows) > 1 else tuple(rows)


def _row(name: str, answers: Sequence[SoughtAnswer]) -> GoalRow:
    ended = [(one, one.ending) for one in answers if one.ending is not None]
    clusters = [one.cluster for one, _ in ended]
    achieved = [one for one, ending in ended if ending.status == "achieved"]
    return GoalRow(
        name,
        share([one.right for one in answers], [one.cluster for one in answers]),
        share([ending.status == "achieved" for _, ending in ended], clusters),
        share([one.right for one in achieved], [one.cluster for one in achieved]),
        mean([float(ending.iterations) for _, ending in ended], clusters),
        len(answers) - len(ended),
    )


@dataclass(frozen=True, slots=True)
class RunAnalysis:
    """What the traces of a run show: how it went hop by hop, and to what its failures are attributed.

    `goals` is empty for a system that seeks no goals.
    """

    hops: HopAware
    failures: AttributionFigures
    goals: tuple[GoalRow, ...] = ()


def analyse_traces(graph: Graph, corpus: str, run: str) -> RunAnalysis:
    """The analysis of a run, given its name, as its verdicts are now; nothing is written."""
    return analyse_failures(graph, corpus, run)[0]


def analyse_failures(graph: Graph, corpus: str, run: str) -> tuple[RunAnalysis, tuple[Failure, ...]]:
    """The analysis of a run, given its name, and its failures one by one, by question; nothing is written.

    A batch of traces is in memory at a time; of each answer only what the figures need is kept.
    """
    tracks, diagnoses = [], []
    for trace in read_traces(graph, run_id(corpus, run)):
        tracks.append(track_of(trace))
        diagnoses.append(diagnose(trace))
    analysis = RunAnalysis(
        hop_aware(corpus, run, tracks),
        attribution_figures(run, diagnoses),
        read_goal_rows(graph, corpus, run),
    )
    return analysis, failures_of(run, diagnoses)
