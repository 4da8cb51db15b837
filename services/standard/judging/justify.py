"""A judgement with a sentence for each of its measures, from what a judge found."""

from collections.abc import Collection, Mapping, Sequence

from services.standard.judging.measures import (
    evidence_clusters,
    gold_hops,
    hop_pairs,
    hop_steps,
    measures_of,
    used_chunks,
)
from services.standard.judging.protocol import Item
from services.standard.records import Judgement

NO_GOLD = "The question has no gold evidence, so this is undefined."


def judgement_of(
    judge: str, item: Item, score: float, reason: str, bearers: Sequence[Collection[str]]
) -> Judgement:
    """The judgement of an answer: `score` with its `reason`, and for each hop the chunks that bear it.

    `bearers` has one entry for each of `gold_hops`; chunks that were not shown don't count.
    """
    question, answer = item.question, item.answer
    shown = {one.chunk for one in answer.evidence}
    borne = [frozenset(found) & shown for found in bearers]
    bearing = frozenset[str]().union(*borne)
    supports = {chunk: chunk in bearing for chunk in used_chunks(answer)} if question.gold else {}
    return measured_judgement(judge, item, score, reason, hop_steps(answer, borne), supports)


def measured_judgement(
    judge: str, item: Item, score: float, reason: str, steps: tuple[int, ...], supports: Mapping[str, bool]
) -> Judgement:
    """The judgement of an answer with all that follows from `steps` and `supports`.

    These are what a judge found in the evidence: the first search that brought each of `gold_hops`, 0 where
    none did, and whether each used chunk bears on the answer.
    """
    found = measures_of(item.question, item.answer, steps, supports)
    return Judgement(
        judge=judge,
        system=item.system,
        question=item.question.id,
        score=score,
        hops=tuple(step > 0 for step in steps),
        supports=supports,
        cluster_recall=found.cluster_recall,
        hop_consistency=found.hop_consistency,
        evidence_alignment=found.evidence_alignment,
        why={
            "verdict": reason,
            "cluster recall": _of_clusters(item, steps),
            "hop consistency": _of_hops(item, steps),
            "evidence alignment": _of_alignment(item, supports),
        },
        hop_steps=steps,
    )


def failed_judgement(judge: str, item: Item, reason: str) -> Judgement:
    """No judgement, and why: nothing of it is a verdict or a measure."""
    return Judgement(
        judge=judge,
        system=item.system,
        question=item.question.id,
        score=None,
        hops=(),
        supports={},
        cluster_recall=None,
        hop_consistency=None,
        evidence_alignment=None,
        why={},
        failed=reason,
    )


def _of_clusters(item: Item, steps: Sequence[int]) -> str:
    wanted, found = evidence_clusters(item.question, item.answer, steps)
    if not wanted:
        return NO_GOLD
    there = frozenset(found)
    missing = [cluster for cluster in wanted if cluster not in there]
    told = f"Gold evidence was shown from {len(found)} of {_counted(len(wanted), 'cluster')} that it spans"
    return f"{told}; none from {', '.join(missing)}." if missing else f"{told}."


def _of_hops(item: Item, steps: Sequence[int]) -> str:
    numbers = [number for number, _ in gold_hops(item.question)]
    if not numbers:
        return NO_GOLD
    pairs = hop_pairs(item.question, steps)
    if not pairs:
        return "The question has no two adjacent hops, so this is undefined."
    by_hop = dict(zip(numbers, steps, strict=True))
    reasons = [f"hop {hop} was not shown" for hop in numbers if not by_hop[hop]]
    reasons += [
        f"hop {hop} came by search {by_hop[hop]}, after hop {hop + 1} by search {by_hop[hop + 1]}"
        for hop, kept in pairs
        if not kept and by_hop[hop] and by_hop[hop + 1]
    ]
    kept = sum(kept for _, kept in pairs)
    told = f"{kept} of {_counted(len(pairs), 'pair')} of adjacent hops came in the order of the chain"
    return f"{told}: {'; '.join(reasons)}." if reasons else f"{told}."


def _of_alignment(item: Item, supports: Mapping[str, bool]) -> str:
    answer = item.answer
    if not item.question.gold:
        return NO_GOLD
    if answer.error or answer.abstained:
        return f"The system {'failed' if answer.error else 'abstained'}, so this is undefined."
    if not supports:
        return "Nothing was shown, so this is undefined."
    shown = {one.chunk for one in answer.evidence}
    kind = "cited" if shown.intersection(answer.cited) else "shown"
    bearing = sum(supports.values())
    return f"{bearing} of {_counted(len(supports), f'{kind} chunk')} {_agrees(bearing)} a gold fact."


def _agrees(number: int) -> str:
    return "states" if number == 1 else "state"


def _counted(number: int, what: str) -> str:
    return f"{number} {what}" if number == 1 else f"{number} {what}s"
