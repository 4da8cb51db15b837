"""Every two runs of a report compared on the questions that both answered."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import combinations

import numpy as np

from kg.ids import content_hash, run_id
from kg.paths.walk import DEPTHS
from kg.store.graph import Graph
from services.evaluate.statistics.holm import holm
from services.evaluate.statistics.intervals import Interval
from services.evaluate.statistics.paired import Paired, compare_paired
from services.report.answers import GivenAnswer, read_answers
from services.report.content import Compared

ALL = "all"
"""The scope of all questions, of every kind; a depth's scope has chain questions only."""


@dataclass(frozen=True, slots=True)
class _Tested:
    """A comparison before it is adjusted for the others."""

    first: str
    second: str
    scope: str
    paired: Paired


def compare_named(graph: Graph, corpus: str, first: str, second: str, seed: int = 0) -> tuple[Compared, ...]:
    """Compare two runs of a corpus, given by name; see `compare_runs`."""
    return compare_runs({name: read_answers(graph, run_id(corpus, name)) for name in (first, second)}, seed)


def compare_runs(answers: Mapping[str, Sequence[GivenAnswer]], seed: int) -> tuple[Compared, ...]:
    """Compare every two runs, given by name, over all questions and at each depth, adjusted together.

    Each comparison draws from a generator of its own, seeded by its names and scope, so that it depends
    neither on which others stand in the report nor on the order of the runs; only the adjustment does.
    """
    tested = [
        one for first, second in combinations(answers, 2) for one in _tests(first, second, answers, seed)
    ]
    adjusted = holm([one.paired.test.p_value if one.paired.test else None for one in tested])
    return tuple(_compared(one, p_holm) for one, p_holm in zip(tested, adjusted, strict=True))


def _tests(
    first: str, second: str, answers: Mapping[str, Sequence[GivenAnswer]], seed: int
) -> Iterator[_Tested]:
    lower, upper = sorted((first, second))
    others = {answer.question: answer for answer in answers[upper]}
    ordered = sorted(answers[lower], key=lambda answer: answer.question)
    pairs = [(one, others[one.question]) for one in ordered if one.question in others]
    for hops in (None, *DEPTHS):
        scope = ALL if hops is None else f"{hops} hops"
        inside = [
            pair for pair in pairs if hops is None or (pair[0].kind == "chain" and pair[0].hops == hops)
        ]
        paired = compare_paired(
            [one.right for one, _ in inside],
            [other.right for _, other in inside],
            [one.cluster for one, _ in inside],
            np.random.default_rng([seed, int(content_hash((lower, upper, scope)), 16)]),
        )
        if paired is not None:
            yield _Tested(first, second, scope, paired if first == lower else _turned(paired))


def _turned(paired: Paired) -> Paired:
    """The same with the systems' places changed: what one gains the other loses."""
    return replace(
        paired,
        difference=0.0 - paired.difference,
        interval=None if paired.interval is None else _mirrored(paired.interval),
        naive_interval=_mirrored(paired.naive_interval),
    )


def _mirrored(interval: Interval) -> Interval:
    return Interval(0.0 - interval.high, 0.0 - interval.low)


def _compared(tested: _Tested, p_holm: float | None) -> Compared:
    paired = tested.paired
    return Compared(
        first=tested.first,
        second=tested.second,
        scope=tested.scope,
        n=paired.n,
        clusters=paired.clusters,
        difference=paired.difference,
        interval=paired.interval,
        p_value=paired.test.p_value if paired.test else None,
        p_holm=p_holm,
        naive_interval=paired.naive_interval,
        naive_p=paired.naive_p,
        design_effect=paired.design_effect,
        effective_n=paired.effective_n,
        p_error=paired.test.standard_error if paired.test else None,
    )
