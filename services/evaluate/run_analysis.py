"""The hop-aware analysis of a run as one: its traces are read once, for figures and for why it failed.

GoalSeeking's table: for each query type accuracy, goals achieved and iterations (its README, "Results").

A goal is achieved when the agent's own evaluator was content with the answer; that says nothing of whether
the answer is right, so it stands beside the accuracy, and beside that of the answers it was content with.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from kg.ids import run_id
from kg.queries import query
from kg.store.graph import Graph
from services.evaluate.attribution.diagnose import (
    AttributionFigures,
    Failure,
    attribution_figures,
    diagnose,
    failures_of,
)
from services.evaluate.hop_aware.analyse import hop_aware
from services.evaluate.hop_aware.content import Figure, HopAware, mean, share
from services.evaluate.hop_aware.traces import read_traces
from services.evaluate.hop_aware.tracks import track_of
from services.evaluate.run_answers import GivenAnswer, read_answers
from services.questions.draft import QUERY_TYPES
from services.rag.agents.goal_seeking.primitives import Ending, read_ending

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
