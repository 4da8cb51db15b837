"""Cluster Recall, Hop Consistency and Evidence Alignment of one answer, from what a judge found.

The blog on GADMEC names these measures without formulas; these definitions are ours.
"""

from collections.abc import Collection, Mapping, Sequence
from dataclasses import dataclass

from services.standard.records import Answer, GoldHop, Question


@dataclass(frozen=True, slots=True)
class Measures:
    """The three measures, each in [0, 1] or None where undefined."""

    cluster_recall: float | None
    hop_consistency: float | None
    evidence_alignment: float | None


def gold_hops(question: Question) -> tuple[tuple[int, tuple[GoldHop, ...]], ...]:
    """The hops that have gold evidence, in order, each with its number and all its evidence."""
    by_hop: dict[int, list[GoldHop]] = {}
    for gold in question.gold:
        by_hop.setdefault(gold.hop, []).append(gold)
    return tuple((number, tuple(by_hop[number])) for number in sorted(by_hop))


def shown_steps(answer: Answer) -> dict[str, int]:
    """The first search that brought each chunk which the generator was shown, in the order of rank."""
    steps: dict[str, int] = {}
    for one in sorted(answer.evidence, key=lambda one: one.rank):
        steps[one.chunk] = min(one.step, steps.get(one.chunk, one.step))
    return steps


def used_chunks(answer: Answer) -> tuple[str, ...]:
    """The chunks that the answer rests on: those shown that it cites; all that were shown if it cites none.

    What it cites without having been shown it can't have used.
    """
    shown = shown_steps(answer)
    return tuple(chunk for chunk in dict.fromkeys(answer.cited) if chunk in shown) or tuple(shown)


def hop_steps(answer: Answer, bearers: Sequence[Collection[str]]) -> tuple[int, ...]:
    """The first search that brought the evidence of each hop, 0 where none did.

    `bearers` are, for each of `gold_hops`, the shown chunks that bear its evidence.
    """
    steps = shown_steps(answer)
    return tuple(min((steps[chunk] for chunk in found), default=0) for found in bearers)


def measures_of(
    question: Question, answer: Answer, steps: Sequence[int], supports: Mapping[str, bool]
) -> Measures:
    """The measures; `steps` has one entry for each of `gold_hops`, as from `hop_steps`."""
    wanted, found = evidence_clusters(question, answer, steps)
    pairs = hop_pairs(question, steps)
    aligned = question.gold and supports and not answer.abstained and not answer.error
    return Measures(
        cluster_recall=len(found) / len(wanted) if wanted else None,
        hop_consistency=sum(kept for _, kept in pairs) / len(pairs) if pairs else None,
        evidence_alignment=sum(supports.values()) / len(supports) if aligned else None,
    )


def evidence_clusters(
    question: Question, answer: Answer, steps: Sequence[int]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The clusters that the gold evidence spans, and those of them from which some of it was shown.

    Where a hop's evidence was shown in another chunk than those that are gold for it, it counts for the
    cluster of its first gold chunk.
    """
    shown = shown_steps(answer)
    found: set[str] = set()
    for (_, golds), step in zip(gold_hops(question), steps, strict=True):
        if step:
            found.update([gold.cluster for gold in golds if gold.chunk in shown] or [golds[0].cluster])
    wanted = tuple(dict.fromkeys(gold.cluster for gold in question.gold))
    return wanted, tuple(cluster for cluster in wanted if cluster in found)


def hop_pairs(question: Question, steps: Sequence[int]) -> tuple[tuple[int, bool], ...]:
    """Each pair of adjacent hops, by the number of the first, and whether it is consistent.

    It is where the evidence of both was shown, the first's by a search no later than the second's.
    """
    by_hop = dict(zip((number for number, _ in gold_hops(question)), steps, strict=True))
    return tuple((hop, 0 < step <= by_hop[hop + 1]) for hop, step in by_hop.items() if hop + 1 in by_hop)
