"""How each way of aggregating similarities goes with error, each with bins of its own (GRADE, table 3)."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from math import fsum

from kg.queries import query
from kg.store.graph import Graph
from services.evaluate.matrix import Judged, difficulty_matrix
from services.questions.difficulty import AGGREGATES, Aggregate, quartile_bins
from services.report.content import Ablation


@dataclass(frozen=True, slots=True)
class Difficulties:
    """The hops and difficulties of all kept chain questions of a corpus, each aggregate in the same order."""

    questions: tuple[str, ...]
    hops: tuple[int, ...]
    by_aggregate: Mapping[Aggregate, tuple[float, ...]]


def read_difficulties(graph: Graph, corpus: str) -> Difficulties:
    """The difficulties that stand on the kept chain questions of a corpus."""
    rows = graph.rows(query("reports/read_difficulties"), corpus=corpus)
    return Difficulties(
        questions=tuple(row["question"] for row in rows),
        hops=tuple(row["hops"] for row in rows),
        by_aggregate={aggregate: tuple(row[aggregate] for row in rows) for aggregate in AGGREGATES},
    )


def ablate(judged: Sequence[Judged], difficulties: Difficulties, bins: str) -> tuple[Ablation, ...]:
    """Pearson's r of bin and error rate within each depth, for bins cut by each aggregate.

    Bins are cut over all kept questions, within a depth or, where `bins` is "global", over all depths; a run
    that answered some of them is measured with the bins of all.
    """
    groups = None if bins == "global" else difficulties.hops
    return tuple(
        _ablation(judged, aggregate, difficulties.questions, values, groups)
        for aggregate, values in difficulties.by_aggregate.items()
    )


def _ablation(
    judged: Sequence[Judged],
    aggregate: Aggregate,
    questions: Sequence[str],
    values: Sequence[float],
    groups: Sequence[int] | None,
) -> Ablation:
    placed = dict(zip(questions, zip(values, quartile_bins(values, groups), strict=True), strict=True))
    moved = [
        replace(row, difficulty=placed[row.question_id][0], bin=placed[row.question_id][1]) for row in judged
    ]
    by_depth = {
        item.hops: item.bins for item in difficulty_matrix(moved).associations if item.hops is not None
    }
    found = [correlation.r for correlation in by_depth.values() if correlation is not None]
    return Ablation(aggregate, by_depth, fsum(found) / len(found) if found else None)
