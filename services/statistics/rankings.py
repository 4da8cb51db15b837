"""How good a ranking is, for one question: pure functions over ids and groups of gold.

A ranking holds each id once, best first. Gold is a sequence of groups, one a piece of evidence: any id of a
group counts as having found the piece, and only the first time. Where every group is one id, these are the
usual measures, which `ir_measures` computes too.

How sure the measures of a question set are, where questions that share evidence count as one draw.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from math import log2

import numpy as np

from services.statistics.clustered_means import rate_means
from services.statistics.intervals import Interval, partition
from services.statistics.paired import compare_paired
from services.statistics.resampling import DRAWS

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


def mean_of(values: Sequence[float], clusters: Sequence[str]) -> Mean | None:
    """The mean of values within [0, 1] with its score interval by cluster; None without any question."""
    if not values:
        return None
    interval = rate_means(np.asarray(values, np.float64), partition(clusters)).column(0).interval
    return Mean(float(np.mean(values)), len(values), interval)


def difference_of(
    base: Sequence[float], other: Sequence[float], clusters: Sequence[str], seed: int = 0, draws: int = DRAWS
) -> Difference | None:
    """How far a system is above the base, paired by question; None without any question.

    Raises:
        ValueError: the three differ in length.
    """
    found = compare_paired(base, other, clusters, seed, draws)
    if found is None:
        return None
    p_value = None if found.test is None else found.test.p_value
    return Difference(found.difference, found.interval, p_value, found.naive_p)


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


Groups = Sequence[Sequence[str]]


def found_at(ranking: Sequence[str], gold: Groups) -> list[int | None]:
    """The rank, from 1, at which each piece of gold is first found; None where it is not."""
    ranks = {id_: rank for rank, id_ in reversed(list(enumerate(ranking, start=1)))}
    return [min((ranks[id_] for id_ in group if id_ in ranks), default=None) for group in gold]


def gold_pieces(evidence: Iterable[tuple[int, str]], missing: int = 0) -> tuple[tuple[str, ...], ...]:
    """The groups of gold of a question from (number of the piece, id that holds it).

    Pieces that the same ids hold are one; `missing` pieces that nothing holds are empty groups, which no
    ranking finds.
    """
    groups: defaultdict[int, set[str]] = defaultdict(set)
    for piece, id_ in evidence:
        groups[piece].add(id_)
    return (*dict.fromkeys(tuple(sorted(groups[piece])) for piece in sorted(groups)), *((),) * missing)


def recall(found: Sequence[int | None], k: int) -> float:
    """Recall@k: the share of the pieces of gold that the first k hold (Manning et al. 2008, section 8.3).

    MultiHop-RAG's paper calls this Hit@k (section 2.3).
    """
    return len(_within(found, k)) / len(found)


def all_gold(found: Sequence[int | None], k: int) -> float:
    """AllGold@k: 1 where the first k hold every piece of gold, else 0."""
    return float(len(_within(found, k)) == len(found))


def hits(found: Sequence[int | None], k: int) -> float:
    """Hits@k: 1 where the first k hold any piece of gold, else 0; `ir_measures` calls it Success@k.

    Table 5 of MultiHop-RAG's paper has Hits@4 and Hits@10 by the authors' script (`multihop_rag_official`).
    """
    return float(bool(_within(found, k)))


def reciprocal_rank(found: Sequence[int | None], k: int) -> float:
    """RR@k: 1 / rank of the first gold among the first k, else 0; its mean is MRR@k (Voorhees 1999).

    MultiHop-RAG, section 2.3 and table 5 (MRR@10).
    """
    return 1 / min(_within(found, k), default=float("inf"))


def average_precision(found: Sequence[int | None], k: int) -> float:
    """AP@k: (1 / |gold|) Σ P(r) over the ranks r ≤ k at which a piece is found; its mean is MAP@k.

    P(r) is the share of the first r that found a piece which none before them had (Manning et al. 2008,
    section 8.4, with duplicates of a piece counted as not relevant). MultiHop-RAG, section 2.3 and table 5
    (MAP@10, by the authors' script).
    """
    gaining = sorted(set(_within(found, k)))
    precision = {rank: place / rank for place, rank in enumerate(gaining, start=1)}
    return sum(precision[rank] for rank in _within(found, k)) / len(found)


def ndcg(found: Sequence[int | None], k: int) -> float:
    """nDCG@k with gain 1: Σ 1 / log2(r + 1) over the ranks r ≤ k that found a piece, over the best such sum.

    The best has the pieces at ranks 1 to min(|gold|, k) (Järvelin and Kekäläinen 2002).
    """
    gained = sum(1 / log2(rank + 1) for rank in set(_within(found, k)))
    return gained / sum(1 / log2(rank + 1) for rank in range(1, min(len(found), k) + 1))


MEASURES: Mapping[str, Callable[[Sequence[int | None]], float]] = {
    "Recall@2": lambda found: recall(found, 2),
    "Recall@4": lambda found: recall(found, 4),
    "Recall@5": lambda found: recall(found, 5),
    "Recall@10": lambda found: recall(found, 10),
    "AllGold@5": lambda found: all_gold(found, 5),
    "AllGold@10": lambda found: all_gold(found, 10),
    "MRR@10": lambda found: reciprocal_rank(found, 10),
    "MAP@10": lambda found: average_precision(found, 10),
    "Hits@4": lambda found: hits(found, 4),
    "Hits@10": lambda found: hits(found, 10),
    "nDCG@10": lambda found: ndcg(found, 10),
}
"""Every measure of a ranking by its name, over what `found_at` gives; gold must not be empty."""


def mean_measures(found: Sequence[Sequence[int | None]], clusters: Sequence[str]) -> dict[str, Mean]:
    """The mean of every measure over questions with gold, given what `found_at` gives for each."""
    means = {
        name: mean_of([measure(ranks) for ranks in found], clusters) for name, measure in MEASURES.items()
    }
    return {name: mean for name, mean in means.items() if mean is not None}


@dataclass(frozen=True, slots=True)
class Official:
    """What MultiHop-RAG's own evaluation script counts for one question."""

    hits_at_4: float
    hits_at_10: float
    mrr_at_10: float
    map_at_10: float


def multihop_rag_official(texts: Sequence[str], facts: Sequence[str]) -> Official:
    """The measures as the evaluation script of MultiHop-RAG computes them (Tang and Yang 2024).

    `texts` are the retrieved texts, best first, `facts` the gold facts, at least one. A text is relevant when
    it holds any fact as a substring, blanks and line ends removed. Hits@k is 1 where any of the first k is
    relevant. MAP differs from the standard one: each rank r up to 10 adds the number of facts that are new
    there, over r (not the precision of the first r), and the sum is divided by min(|facts|, 10).
    """
    wanted = [_strip_blanks(fact) for fact in facts]
    seen: set[str] = set()
    relevant: list[int] = []
    total = 0.0
    for rank, text in enumerate(map(_strip_blanks, texts[:10]), start=1):
        held = {fact for fact in wanted if fact in text}
        total += len(held - seen) / rank
        seen |= held
        if held:
            relevant.append(rank)
    first = min(relevant, default=float("inf"))
    return Official(
        hits_at_4=float(first <= 4),
        hits_at_10=float(first <= 10),
        mrr_at_10=1 / first,
        map_at_10=total / min(len(wanted), 10),
    )


def _within(found: Sequence[int | None], k: int) -> list[int]:
    return [rank for rank in found if rank is not None and rank <= k]


def _strip_blanks(text: str) -> str:
    return text.replace(" ", "").replace("\n", "")
