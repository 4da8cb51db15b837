"""The hop-aware analysis of a run as one: its traces are read once, for figures and for why it failed."""

from dataclasses import dataclass

from kg.ids import run_id
from kg.store.graph import Graph
from services.evaluate.attribution.diagnose import diagnose
from services.evaluate.attribution.failures import Failure, failures_of
from services.evaluate.attribution.figures import AttributionFigures, attribution_figures
from services.evaluate.goal_seeking_table import GoalRow, read_goal_rows
from services.evaluate.hop_aware.analyse import hop_aware
from services.evaluate.hop_aware.content import HopAware
from services.evaluate.hop_aware.traces import read_traces
from services.evaluate.hop_aware.tracks import track_of


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
