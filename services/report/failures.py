"""Where a run's answers go wrong: lost hops, evidence that was retrieved, and the nodes that fail most."""

from collections.abc import Mapping, Sequence

from kg.paths.walk import DEPTHS
from kg.queries import query
from kg.store.graph import Graph
from services.report.answers import GivenAnswer
from services.report.content import HopLoss, Rate, Worst
from services.report.kinds import rate_of

LEAST_ANSWERS = 5
"""A node with fewer answers is not listed; one with fewer than 20 is marked as small."""
WORST_LISTED = 10

_WORST = {
    "entities": ("Entity", "reports/read_worst_entities"),
    "claims": ("Claim", "reports/read_worst_claims"),
    "articles": ("Article", "reports/read_worst_articles"),
}


def hop_losses(answers: Sequence[GivenAnswer]) -> tuple[HopLoss, ...]:
    """For each depth with answers to chain questions, where the chains of the wrong ones broke first."""
    chains = [answer for answer in answers if answer.kind == "chain"]
    return tuple(
        _losses(hops, [answer for answer in chains if answer.hops == hops and not answer.right])
        for hops in DEPTHS
        if any(answer.hops == hops for answer in chains)
    )


def _losses(hops: int, wrong: Sequence[GivenAnswer]) -> HopLoss:
    lost = [answer.first_lost for answer in wrong if answer.broken_by == "retrieval"]
    return HopLoss(
        hops=hops,
        wrong=len(wrong),
        retrieval=tuple(lost.count(hop) for hop in range(1, hops + 1)),
        reasoning=sum(answer.broken_by == "reasoning" for answer in wrong),
        errors=sum(answer.broken_by == "error" for answer in wrong),
        abstained=sum(answer.abstained for answer in wrong),
        untold=sum(answer.broken_by == "not told" for answer in wrong),
    )


def hop_recall(answers: Sequence[GivenAnswer]) -> tuple[Rate, ...]:
    """For each hop, on how many chain questions that have it its evidence was retrieved; last, all hops'."""
    chains = [answer for answer in answers if answer.kind == "chain" and answer.hops_found]
    deepest = max((len(answer.hops_found) for answer in chains), default=0)
    rates = []
    for hop in range(deepest):
        with_hop = [answer for answer in chains if len(answer.hops_found) > hop]
        found = [answer.hops_found[hop] for answer in with_hop]
        rates.append(rate_of(f"hop {hop + 1}", found, [answer.cluster for answer in with_hop]))
    if chains:
        whole = [all(answer.hops_found) for answer in chains]
        rates.append(rate_of("every hop", whole, [answer.cluster for answer in chains]))
    return tuple(rates)


def read_worst_nodes(graph: Graph, run: str) -> Mapping[str, tuple[Worst, ...]]:
    """The entities, claims and articles on which the run with this id fails most often, worst first."""
    return {
        plural: tuple(
            Worst(row["id"], label, row["name"], row["answers"], row["wrong"])
            for row in graph.rows(query(statement), run=run, least=LEAST_ANSWERS, limit=WORST_LISTED)
        )
        for plural, (label, statement) in _WORST.items()
    }
