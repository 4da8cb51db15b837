"""Reports made by hand: realistic ones, empty ones, and ones with names that try to break out of a page."""

from collections.abc import Sequence

import numpy as np

from kg.paths.protocol import DEPTHS
from services.evaluate.matrix import AnswerVerdict, Matrix, crossing_tables, difficulty_matrix
from services.report.content import (
    Ablation,
    Compared,
    HopLoss,
    KindRow,
    LinkShare,
    Rate,
    Rebinned,
    Report,
    RunFacts,
    RunSection,
    Worst,
)
from services.statistics.agreement import Agreement
from services.statistics.intervals import Interval, wilson
from services.statistics.rankings import Mean
from services.statistics.trend import Correlation

HOSTILE = "</style><script>alert(1)</script>]]>\u202e\x1b[31m<img src=x onerror=y>\"'&amp;\ud800"
NAMES = ("vector-10", "two-rounds", "decompose-rerank", "graph-walk", "hybrid")


def make_matrix(seed: int = 0, a_cell: int = 48, skill: float = 0.0) -> Matrix:
    """A matrix whose error rises with depth and distance; 5 hops have a quarter of the questions."""
    dice = np.random.default_rng(seed)
    rows = []
    for depth in DEPTHS:
        for quartile in range(1, 5):
            for number in range(a_cell // 4 if depth == 5 else a_cell):
                chance = min(0.97, max(0.02, 0.02 + 0.09 * depth + 0.07 * quartile - skill))
                rows.append(
                    AnswerVerdict(
                        question_id=f"question-{depth}-{quartile}-{number}",
                        hops=depth,
                        bin=quartile,
                        difficulty=0.2 * quartile + 0.1 * float(dice.random()),
                        wrong=bool(dice.random() < chance),
                        cluster=f"article-{int(dice.integers(40)) ** 2 // 40}",
                    )
                )
    return difficulty_matrix(rows)


def make_facts(name: str = NAMES[0], **changes: object) -> RunFacts:
    """What produced a run."""
    facts: dict[str, object] = {
        "name": name,
        "system": "single-step",
        "retriever": "vector",
        "reranker": "none",
        "generator": "rules reader 3",
        "embedder": "all-MiniLM-L6-v2 int8",
        "judge": "exact match",
        "prompts": ("answer-1", "decompose-2"),
        "top": 10,
        "dataset": "v-3f9a12c07be4",
        "questions": 1_038,
        "answers": 1_038,
        "errors": 3,
        "abstained": 112,
        "input_tokens": 1_204_331,
        "output_tokens": 20_118,
        "cost": 0.42,
        "seconds": 372.4,
        "started_at": "2026-10-30T09:12:44Z",
        "finished_at": "2026-10-30T09:18:57Z",
        "seed": 0,
    }
    return RunFacts(**(facts | changes))  # type: ignore[arg-type]


def make_rate(name: str, hits: int, n: int) -> Rate:
    """A share with Wilson's interval."""
    return Rate(name, n, hits, hits / n if n else None, wilson(hits, n))


def make_run(name: str = NAMES[0], seed: int = 0, skill: float = 0.0) -> RunSection:
    """A run with every section filled."""
    matrix = make_matrix(seed, skill=skill)
    return RunSection(
        facts=make_facts(name),
        matrix=matrix,
        kinds=_kinds(matrix),
        ablation=_ablation(),
        losses=tuple(_loss(depth, matrix) for depth in DEPTHS),
        hop_recall=tuple(make_rate(f"hop {hop}", 620 - 80 * hop, 640 - 40 * hop) for hop in range(1, 6)),
        worst=_worst(),
        agreements=(
            Agreement("exact match", "judge-large", 640, 588, 0.77, Interval(0.70, 0.83)),
            Agreement("judge-large", "hand", 12, 12, None, None),
        ),
        rebinned=(
            Rebinned("all-MiniLM-L6-v2 int8", "64-128/25", "depth", make_matrix(seed + 10, skill=skill)),
            Rebinned("all-MiniLM-L6-v2 int8", "256-512/100", "global", make_matrix(seed + 20, skill=skill)),
        ),
        crossings=crossing_tables(make_crossed()),
        retrieval=_retrieval(0.1 * skill),
    )


def _retrieval(skill: float) -> dict[str, Mean]:
    values = {"MRR@10": 0.4203, "MAP@10": 0.3431, "Hits@10": 0.6381, "Hits@4": 0.504}
    return {
        name: Mean(value + skill, 812, Interval(value + skill - 0.04, value + skill + 0.04))
        for name, value in values.items()
    }


def make_crossed() -> list[AnswerVerdict]:
    """Verdicts on 90 questions that cross up to three geographic borders and one temporal one."""
    return [
        AnswerVerdict(f"q{n}", 2 + n % 4, 1 + n % 4, n / 90, n % 3 < n // 40, f"c{n % 7}", (), _crossings(n))
        for n in range(90)
    ]


def _crossings(number: int) -> dict[str, int]:
    return {"place": min(number // 25, 3)} | ({"time": number % 2} if number < 60 else {})


def _kinds(matrix: Matrix) -> tuple[KindRow, ...]:
    total = matrix.total
    return (
        KindRow(
            "chain",
            "inference",
            make_rate("chain", total.n - total.errors, total.n),
            0.53,
            0.51,
            0.6,
            0.58,
            70,
            3,
        ),
        KindRow(
            "comparison", "comparison", make_rate("comparison", 148, 204), 0.725, 0.725, 0.74, 0.73, 12, 0
        ),
        KindRow("temporal", "temporal", make_rate("temporal", 61, 120), 0.51, 0.51, 0.53, 0.52, 9, 0),
        KindRow("null", "null", make_rate("null", 40, 88), 0.45, 0.45, 0.46, 0.45, 40, 0),
        KindRow("bridge entity", "inference", make_rate("bridge entity", 5, 14), 0.36, 0.36, 0.5, 0.44, 1, 0),
        KindRow("bridge topic", "inference", make_rate("bridge topic", 0, 0), None, None, None, None, 0, 0),
    )


def _ablation() -> tuple[Ablation, ...]:
    def found(r: float) -> Correlation:
        return Correlation(r, 4, 0.08)

    return (
        Ablation("min", {2: found(0.93), 3: found(0.88), 4: found(0.91), 5: None}, 0.907),
        Ablation("mean", {2: found(0.61), 3: found(-0.12), 4: found(0.44), 5: None}, 0.31),
        Ablation("power", {2: found(0.9), 3: found(0.8), 4: found(0.85), 5: None}, 0.85),
    )


def _loss(depth: int, matrix: Matrix) -> HopLoss:
    wrong = next(cell.errors for cell in matrix.by_depth if cell.hops == depth)
    lost = tuple(wrong // (depth + hop) for hop in range(1, depth + 1))
    failed = 1 if wrong else 0
    return HopLoss(depth, wrong, lost, wrong - sum(lost) - failed, failed, wrong // 5)


def _worst() -> dict[str, tuple[Worst, ...]]:
    return {
        "articles": (Worst("article-9c1f", "Article", "Harbour board meets on the new quay", 44, 31),),
        "entities": (
            Worst("entity-51ab", "ORG", "Oske Valley Trust", 11, 9),
            Worst("entity-77c0", "CONCEPT", "tolvamine", 24, 18),
        ),
        "claims": (
            Worst(
                "claim-0aa1",
                "Claim",
                "The trust that runs the clinic at Ormelund was founded by Greta Lindqvist, who had left the "
                "harbour board two years before.",
                26,
                19,
            ),
        ),
    }


def make_comparison(first: str, second: str, scope: str, difference: float, decided: bool) -> Compared:
    """A comparison with all its figures."""
    half = abs(difference) * 0.7 if decided else abs(difference) + 0.03
    return Compared(
        first=first,
        second=second,
        scope=scope,
        n=624 if scope == "all" else 192,
        clusters=38,
        difference=difference,
        interval=Interval(difference - half, difference + half),
        p_value=0.004 if decided else 0.08,
        p_holm=0.02 if decided else 0.24,
        naive_interval=Interval(difference - half / 2, difference + half / 2),
        naive_p=0.0002 if decided else 0.03,
        design_effect=2.6,
        effective_n=240.2,
    )


def make_report(runs: int = 2, names: Sequence[str] = NAMES) -> Report:
    """A report on some runs with every section filled."""
    sections = tuple(make_run(names[number], number, 0.07 * number) for number in range(runs))
    return Report(
        corpus="ormelund",
        version="0.1.0",
        dataset="v-3f9a12c07be4",
        generators=("templates 4",),
        bins="depth",
        runs=sections,
        links=(
            LinkShare(2, 192, 40, 12, 50),
            LinkShare(3, 192, 71, 25, 88),
            LinkShare(4, 192, 90, 41, 120),
            LinkShare(5, 0, 0, 0, 0),
        ),
        comparisons=tuple(
            make_comparison(names[first], names[second], scope, difference, decided)
            for first in range(runs)
            for second in range(first + 1, runs)
            for scope, difference, decided in (
                ("all", 0.071, True),
                ("2 hops", 0.09, True),
                ("3 hops", -0.012, False),
                ("4 hops", 0.05, False),
                ("5 hops", 0.11, False),
            )
        ),
        notes=(
            "Clusters are questions whose answer stands in one article.",
            "Three answers failed with a time-out and were not asked again.",
        ),
    )


def empty_run(name: str = NAMES[0]) -> RunSection:
    """A run that answered nothing."""
    facts = make_facts(
        name, prompts=(), dataset="", answers=0, questions=0, errors=0, cost=None, seconds=0.0,
        finished_at="", reranker="", seed=None,
    )  # fmt: skip
    return RunSection(facts, difficulty_matrix([]), (), (), (), (), {}, (), ())


def empty_report(runs: int = 0) -> Report:
    """A report in which every section is empty."""
    sections = tuple(empty_run(NAMES[number]) for number in range(runs))
    return Report("ormelund", "0.1.0", "", (), "depth", sections, (), (), ())
