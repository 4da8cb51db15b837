"""Before anything is asked: what so many questions in so many clusters can show, and how many it takes."""

from dataclasses import dataclass
from math import sqrt
from shlex import quote

import numpy as np

from kg.errors import NothingToDoError, SettingsError
from kg.ids import run_id
from kg.store.graph import Graph
from services.evaluate.statistics.clustered_means import clustered_means
from services.evaluate.statistics.few_clusters import FEW_CLUSTERS
from services.evaluate.statistics.groups import partition
from services.evaluate.statistics.power import (
    ALPHA,
    POWER,
    PairedSpread,
    detectable,
    plan_questions,
    power_of,
)
from services.report.answers import read_answers
from services.report.collect import choose_runs

PER_CLUSTER = 4.0
"""Assumed mean number of questions of a cluster."""


@dataclass(frozen=True, slots=True)
class Pilot:
    """What two runs on the same questions show of how their differences vary; `difference` is the second's
    accuracy less the first's."""

    first: str
    second: str
    questions: int
    clusters: int
    difference: float
    spread: PairedSpread


@dataclass(frozen=True, slots=True)
class Aim:
    """How a difference is to be shown: with chance `power`, while `hypotheses` tests share `alpha`."""

    power: float = POWER
    alpha: float = ALPHA
    two_sided: bool = True
    hypotheses: int = 1

    @property
    def level(self) -> float:
        """What a single p-value must not exceed in the worst case."""
        return self.alpha / self.hypotheses


@dataclass(frozen=True, slots=True)
class Design:
    """A number of questions in clusters and what it can show.

    `power` is the chance to show `difference`, None where none was given; `detectable` is what is shown with
    the chance that was asked for. `naive_questions` is how many would do if all were independent, None where
    the number was given. `warnings` are sentences.
    """

    questions: int
    clusters: int
    spread: PairedSpread
    design_effect: float
    effective_n: float
    standard_error: float
    difference: float | None
    power: float | None
    detectable: float
    naive_questions: int | None
    warnings: tuple[str, ...]


def design_for(spread: PairedSpread, difference: float, aim: Aim) -> Design:
    """The smallest design that shows `difference` with the power of `aim`.

    Raises:
        SettingsError: no number of questions would do.
    """
    lone = PairedSpread(spread.sd, 0.0, 1.0)
    try:
        plan = plan_questions(spread, difference, aim.power, aim.level, aim.two_sided)
        naive = plan_questions(lone, difference, aim.power, aim.level, aim.two_sided).questions
    except ValueError as error:
        raise SettingsError(str(error), "Plan for a larger --difference.") from error
    return _design(spread, plan.questions, plan.clusters, difference, naive, aim)


def design_of(
    spread: PairedSpread, questions: int, clusters: int, difference: float | None, aim: Aim
) -> Design:
    """What `questions` in `clusters` can show, and with which chance they show `difference`.

    Raises:
        SettingsError: there are fewer than two clusters, or more clusters than questions.
    """
    if not 2 <= clusters <= questions:
        raise SettingsError(
            f"{questions:,} questions can't be in {clusters:,} clusters and show a difference.",
            "Give at least 2 clusters, and no more than questions.",
        )
    shaped = PairedSpread(spread.sd, spread.intra_cluster, questions / clusters, spread.uneven)
    return _design(shaped, questions, clusters, difference, None, aim)


def read_pilot(graph: Graph, corpus: str, first: str, second: str) -> Pilot:
    """What two runs of a corpus tell for a plan, over the questions that both answered.

    Raises:
        NothingToDoError: there is no such run, or they share no two questions in different clusters.
        SettingsError: both are one run, or they never differ.
    """
    if first == second:
        raise SettingsError(f"{first!r} does not differ from itself.", "Name two runs: --pilot ONE OTHER.")
    choose_runs(graph, corpus, [first, second])
    before = {answer.question: answer for answer in read_answers(graph, run_id(corpus, first))}
    pairs = [
        (before[answer.question], answer)
        for answer in read_answers(graph, run_id(corpus, second))
        if answer.question in before
    ]
    parts = partition([answer.cluster for _, answer in pairs])
    if parts.size < 2:
        raise NothingToDoError(
            f"runs {first!r} and {second!r} share no questions of two clusters.",
            f"Let both answer the same: kg run list --corpus {quote(corpus)}",
        )
    gained = np.array([float(late.right) - float(early.right) for early, late in pairs])
    found = clustered_means(gained, parts).column(0)
    if not found.naive_error:
        raise SettingsError(
            f"runs {first!r} and {second!r} differ on no question, or on all alike: that tells no spread.",
            "Give --sd, or name other runs.",
        )
    sizes = parts.sizes
    return Pilot(
        first=first,
        second=second,
        questions=found.n,
        clusters=parts.size,
        difference=float(gained.mean()),
        spread=PairedSpread(
            sd=found.naive_error * sqrt(found.n),
            intra_cluster=found.intra_cluster or 0.0,
            per_cluster=found.n / parts.size,
            uneven=float(sizes.std() / sizes.mean()),
        ),
    )


def _design(
    spread: PairedSpread,
    questions: int,
    clusters: int,
    difference: float | None,
    naive_questions: int | None,
    aim: Aim,
) -> Design:
    error, freedom = spread.standard_error(clusters), spread.freedom(clusters)
    least = detectable(error, freedom, aim.power, aim.level, aim.two_sided)
    power = None if difference is None else power_of(difference, error, freedom, aim.level, aim.two_sided)
    return Design(
        questions=questions,
        clusters=clusters,
        spread=spread,
        design_effect=spread.design_effect,
        effective_n=questions / max(1.0, spread.design_effect),
        standard_error=error,
        difference=difference,
        power=power,
        detectable=min(1.0, least),
        naive_questions=naive_questions,
        warnings=tuple(_warnings(clusters, aim)),
    )


def _warnings(clusters: int, aim: Aim) -> list[str]:
    found = []
    if 2.0 ** (-clusters + aim.two_sided) > aim.level:
        found.append(
            f"A sign-flip test over {clusters} clusters can't reach p ≤ {aim.level:.3g}, whatever comes out."
        )
    elif clusters < FEW_CLUSTERS:
        found.append(
            f"With fewer than {FEW_CLUSTERS} clusters, intervals and tests hold only roughly what they say, "
            "and the sign-flip test sees less than the t test, by which this is planned."
        )
    return found
