"""Cluster Recall, Hop Consistency and Evidence Alignment of one answer, from what a judge found.

The blog on GADMEC names these measures without formulas; these definitions are ours.

A judgement with a sentence for each of its measures, from what a judge found.
"""

from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from services.answers import is_abstention
from services.comparison.records import Answer, Chunk, GoldHop, Judgement, Question


@dataclass(frozen=True, slots=True)
class Item:
    """An answer to be judged; `chunks` holds at least those that were shown, by id.

    Equal items get equal verdicts from a model that is asked once; with another `trial` it is asked again.
    """

    system: str
    question: Question
    answer: Answer
    chunks: Mapping[str, Chunk]
    trial: int = 0


class StandardJudge(Protocol):
    """A judge; see `services.comparison.judging.model_judge.open_judge`."""

    @property
    def name(self) -> str:
        """The name that the protocol calls him by."""
        ...

    def judge(self, items: Sequence[Item]) -> Iterator[Judgement]:
        """One judgement an item, in order, as they come; one that failed says why.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `kg.llm.protocol.Model.ask`;
                what was yielded before is good.
        """
        ...

    def reword(self, items: Sequence[Item]) -> Iterator[str]:
        """Each answer in the judge's own words, in order, "" where he gave none; nothing from rules.

        Raises:
            ModelRefusedError, ModelUnavailableError, BudgetReachedError: as `judge`.
        """
        ...


def plain_verdict(item: Item) -> tuple[float, str] | None:
    """The score of an answer and its reason where nobody has to weigh them, else None.

    An error counts as wrong. An abstention is right where the question can't be answered, else wrong.
    """
    answer, question = item.answer, item.question
    if answer.error:
        return 0.0, f"The system failed: {' '.join(answer.error.split())}"
    if not answer.abstained:
        return None
    if is_abstention(question.answer):
        return 1.0, "The system abstained, and the question can't be answered."
    return 0.0, "The system abstained, and the question has an answer."


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
    """Cluster Recall, Hop Consistency and Evidence Alignment: the names are the GADMEC blog's, formulas ours.

    Cluster Recall: of the clusters that the gold evidence lies in, the share from which some was shown. Hop
    Consistency: of the pairs of adjacent hops, the share of which the evidence of both was shown, the first's
    by a search no later than the second's. Evidence Alignment: of the chunks that the answer cites (all that
    were shown, if it cites none), the share that bears on a hop; undefined for an answer that is none.
    `steps` has one entry for each of `gold_hops`, as from `hop_steps`; `supports` tells of each chunk used
    whether it bears. All are undefined without gold evidence, as null questions are.
    """
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
    text = f"Gold evidence was shown from {len(found)} of {_counted(len(wanted), 'cluster')} that it spans"
    return f"{text}; none from {', '.join(missing)}." if missing else f"{text}."


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
    text = f"{kept} of {_counted(len(pairs), 'pair')} of adjacent hops came in the order of the chain"
    return f"{text}: {'; '.join(reasons)}." if reasons else f"{text}."


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
