"""What hop-aware analysis finds about a run: plain values, shown as tables, a page or JSON.

A mean over answers with an interval that takes only clusters of answers for independent.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from math import inf, isfinite

import numpy as np

from services.evaluate.matrix import SMALL
from services.statistics.clustered_means import clustered_means, share_interval
from services.statistics.groups import partition
from services.statistics.intervals import Interval


@dataclass(frozen=True, slots=True)
class Figure:
    """A mean of `n` values, None where there are none; `interval` is None where nothing can be said of it."""

    n: int
    value: float | None
    interval: Interval | None

    @property
    def small(self) -> bool:
        """Whether there are too few to say anything."""
        return self.n < SMALL


def share(hits: Sequence[bool], clusters: Sequence[str]) -> Figure:
    """The share of hits; its interval is by cluster, or Wilson's with fewer than two clusters."""
    n = len(hits)
    return Figure(n, sum(hits) / n if n else None, share_interval(hits, clusters))


def mean(
    values: Sequence[float], clusters: Sequence[str], low: float = 0.0, high: float | None = None
) -> Figure:
    """The mean of values that lie between `low` and `high`, with Student's interval by cluster.

    See `clustered_means`. No interval with one cluster, and none where values without a `high` are all alike.
    """
    if not len(values):
        return Figure(0, None, None)
    table = np.asarray(values, np.float64)
    found = clustered_means(table, partition(clusters), low, inf if high is None else high).column(0)
    bounded = found.interval is not None and isfinite(found.interval.high)
    return Figure(found.n, found.mean, found.interval if bounded else None)


@dataclass(frozen=True, slots=True)
class Group:
    """Some questions: of a kind, its query type, and a number of hops; None for the hops stands for all."""

    kind: str
    query_type: str
    hops: int | None

    @property
    def label(self) -> str:
        """Kind with query type, as tables name it."""
        if self.kind == self.query_type or not self.query_type:
            return self.kind
        return f"{self.kind} ({self.query_type})"


@dataclass(frozen=True, slots=True)
class Accuracies:
    """How many answers are right (AgenticRAGTracer, table 1).

    `right` is by the run's judge, `exact` and `f1` are computed after SQuAD's normalisation. `judged` is the
    share of answers that a judge on the scale 0 to 2 gives 1 or 2, over those that he scored; `scores` counts
    the 0, 1 and 2. `miscited` counts answers that cite a passage which was never shown, `unread` those that a
    model gave without having been shown any.
    """

    right: Figure
    exact: Figure
    f1: Figure
    judged: Figure
    scores: tuple[int, int, int]
    abstained: int
    errors: int
    miscited: int
    unread: int


@dataclass(frozen=True, slots=True)
class Depths:
    """How deep the chains are followed, over the answers whose prefix questions were all asked.

    `reached` is the mean of MaxD, `unbroken` that of the unbroken depth; `*_failed` are over the questions
    answered wrong. `by_depth` counts answers by MaxD.
    """

    reached: Figure
    unbroken: Figure
    reached_failed: Figure
    unbroken_failed: Figure
    by_depth: Mapping[int, int]


@dataclass(frozen=True, slots=True)
class Steps:
    """How searches were spent, over the answers of which that is known.

    `right` and `wrong` are Steps-C and Steps-I: mean numbers of searches on questions answered right and
    wrong (AgenticRAGTracer, section 4.3 and table 2). `by_count` maps a number of searches to how many
    answers with it are right and how many wrong. `collapsed` is the share with fewer searches than hops,
    `extended` with more than twice as many; both leave out questions of one hop, and null questions. `top_k`
    is the mean that a search asked for, `seen` how many chunks it brought: over searches. `top_k_by_search`
    is the mean over the first searches of the answers, over the second, and so on (figure 3 there).
    `redundant` is the share of searches that look for what an earlier one looked for.
    """

    right: Figure
    wrong: Figure
    by_count: Mapping[int, tuple[int, int]]
    collapsed: Figure
    extended: Figure
    top_k: Figure
    top_k_by_search: Mapping[int, Figure]
    seen: Figure
    redundant: Figure


@dataclass(frozen=True, slots=True)
class GroupFigures:
    """Everything about the answers to a group of questions; `faults` counts an agent's faults an answer, over
    the answers whose steps are known, and `fault_kinds` each kind's."""

    group: Group
    n: int
    clusters: int
    accuracies: Accuracies
    depths: Depths
    steps: Steps
    faults: Figure
    fault_kinds: Mapping[str, int]


@dataclass(frozen=True, slots=True)
class HopAware:
    """A run under hop-aware analysis: a line for each group of questions, and one for all.

    `notes` are sentences that a reader must know.
    """

    run: str
    answers: int
    groups: tuple[GroupFigures, ...]
    total: GroupFigures | None
    notes: tuple[str, ...]
