"""How sure the measures of a question set are, where questions that share evidence count as one draw."""

from collections import Counter
from collections.abc import Collection, Sequence
from dataclasses import dataclass

import numpy as np

from services.evaluate.statistics.bootstrap import DRAWS, cluster_bootstrap
from services.evaluate.statistics.groups import partition
from services.evaluate.statistics.intervals import Interval
from services.evaluate.statistics.sign_flip import sign_flip

LARGEST_SHARE = 0.5
"""Clusters of which one holds more of the questions than this say too little; others are made then."""


@dataclass(frozen=True, slots=True)
class Mean:
    """A measure over n questions; the interval (95 %) is None where there are fewer than two clusters."""

    value: float
    n: int
    interval: Interval | None


@dataclass(frozen=True, slots=True)
class Difference:
    """A system's mean less the base's, on the same questions.

    `p_value` takes only clusters for independent, None where there are fewer than two; `naive_p` takes all
    questions for independent, to show what that would have claimed.
    """

    value: float
    interval: Interval | None
    p_value: float | None
    naive_p: float | None


def question_clusters(gold: Sequence[Collection[str]]) -> list[str]:
    """The cluster of each question, given the passages of its gold.

    Questions that share a passage are in one cluster, and so on (connected components). Where that makes one
    cluster of more than half of the questions, as in sets that ask often about the same articles, a question
    goes with the most asked-about of its passages instead.
    """
    components = _components(gold)
    if max(Counter(components).values(), default=0) <= max(1, LARGEST_SHARE * len(gold)):
        return components
    counts = Counter(passage for passages in gold for passage in set(passages))
    return [
        min(passages, key=lambda passage: (-counts[passage], passage)) if passages else f"question {place}"
        for place, passages in enumerate(gold)
    ]


def mean_of(
    values: Sequence[float], clusters: Sequence[str], generator: np.random.Generator, draws: int = DRAWS
) -> Mean | None:
    """The mean over questions with its interval by cluster bootstrap; None without any question."""
    if not values:
        return None
    parts = partition(clusters)
    interval = cluster_bootstrap(parts.sums(values), parts.sizes.astype(np.float64), generator, draws)
    return Mean(float(np.mean(values)), len(values), interval)


def difference_of(
    base: Sequence[float],
    other: Sequence[float],
    clusters: Sequence[str],
    generator: np.random.Generator,
    draws: int = DRAWS,
) -> Difference | None:
    """How far a system is above the base, paired by question; None without any question."""
    if not len(base) == len(other) == len(clusters):
        counted = f"{len(base)} and {len(other)} values and {len(clusters)} clusters"
        raise ValueError(f"{counted}: there must be one each a question.")
    if not base:
        return None
    gained = np.asarray(other, np.float64) - np.asarray(base, np.float64)
    parts = partition(clusters)
    sums = parts.sums(gained)
    by_cluster = sign_flip(sums, generator, draws)
    by_question = sign_flip(gained, generator, draws)
    return Difference(
        value=float(gained.mean()),
        interval=cluster_bootstrap(sums, parts.sizes.astype(np.float64), generator, draws),
        p_value=None if by_cluster is None else by_cluster.p_value,
        naive_p=None if by_question is None else by_question.p_value,
    )


def _components(gold: Sequence[Collection[str]]) -> list[str]:
    parents: dict[str, str] = {}

    def root(passage: str) -> str:
        while parents.setdefault(passage, passage) != passage:
            parents[passage] = passage = parents[parents[passage]]
        return passage

    for passages in gold:
        first, *others = sorted(passages) or [""]
        for other in others:
            parents[root(other)] = root(first)
    return [root(min(passages)) if passages else f"question {place}" for place, passages in enumerate(gold)]
