"""Every two runs of a report compared on the questions that both answered."""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations

from kg.ids import run_id
from kg.paths.walk import DEPTHS
from kg.store.graph import Graph
from services.evaluate.run_answers import GivenAnswer, read_answers
from services.report.content import Compared, Repeats
from services.report.run_facts import rate_of
from services.statistics.paired import Paired, compare_paired
from services.statistics.repeats import repeated_mean
from services.statistics.several_tests import holm

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


def compare_runs(
    answers: Mapping[str, Sequence[GivenAnswer]], seed: int, repeats: Mapping[str, str] | None = None
) -> tuple[Compared, ...]:
    """Compare every two runs, given by name, over all questions and at each depth, adjusted together.

    What is found of two runs depends neither on which others stand in the report nor on the order of runs and
    answers; only the adjustment does. `repeats` has the common name of runs that repeat each other, which are
    one system: they are told of by `repeated_runs`, and not compared.
    """
    alike = repeats or {}
    tested = [
        one
        for first, second in combinations(answers, 2)
        if not alike.get(first) or alike.get(first) != alike.get(second)
        for one in _tests(first, second, answers, seed)
    ]
    adjusted = holm([one.paired.test.p_value if one.paired.test else None for one in tested])
    return tuple(_compared(one, p_holm) for one, p_holm in zip(tested, adjusted, strict=True))


def repeated_runs(
    answers: Mapping[str, Sequence[GivenAnswer]], repeats: Mapping[str, str]
) -> tuple[Repeats, ...]:
    """How far runs vary that differ in the seed only, given by name with their common name.

    Null questions count too; those that not all of the runs answered are left out. See `repeated_mean`.
    """
    groups: dict[str, list[str]] = {}
    for run in answers:
        if repeats.get(run):
            groups.setdefault(repeats[run], []).append(run)
    found = (_repeats(name, {run: answers[run] for run in runs}) for name, runs in sorted(groups.items()))
    return tuple(one for one in found if one is not None)


def _repeats(name: str, answers: Mapping[str, Sequence[GivenAnswer]]) -> Repeats | None:
    rows = [{answer.question: answer for answer in given} for given in answers.values()]
    common = sorted(set.intersection(*(set(row) for row in rows)))
    if len(rows) < 2 or not common:
        return None
    verdicts = [[row[question].right for row in rows] for question in common]
    clusters = [rows[0][question].cluster for question in common]
    return Repeats(
        name=name,
        runs=tuple(answers),
        accuracy=repeated_mean(verdicts, clusters),
        unsteady=rate_of("unsteady", [len(set(row)) > 1 for row in verdicts], clusters),
    )


def _tests(
    first: str, second: str, answers: Mapping[str, Sequence[GivenAnswer]], seed: int
) -> Iterator[_Tested]:
    others = {answer.question: answer for answer in answers[second]}
    ordered = sorted(answers[first], key=lambda answer: answer.question)
    pairs = [(one, others[one.question]) for one in ordered if one.question in others]
    for hops in (None, *DEPTHS):
        inside = [
            pair for pair in pairs if hops is None or (pair[0].kind == "chain" and pair[0].hops == hops)
        ]
        paired = compare_paired(
            [one.right for one, _ in inside],
            [other.right for _, other in inside],
            [one.cluster for one, _ in inside],
            seed,
        )
        if paired is not None:
            yield _Tested(first, second, ALL if hops is None else f"{hops} hops", paired)


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
