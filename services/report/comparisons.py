"""Every two runs of a report compared on the questions that both answered.

A run beside its two ceilings: what the same generator knows from memory, and what it makes of gold evidence
(MultiHop-RAG, table 6). What is lost between them is told apart: by retrieval, and by reading.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from itertools import combinations

from kg.ids import run_id
from kg.llm.roles import model_behind
from kg.paths.protocol import DEPTHS
from kg.queries import query
from kg.store.graph import Graph, Row
from services.answers import EXACT_MATCH, NULL
from services.evaluate.run_analysis import GivenAnswer, read_answers
from services.report.content import ALL, CHAIN, Ceilings, Compared, Repeats, RunFacts
from services.report.run_facts import REVISED, rate_of
from services.statistics.clustered_means import repeated_mean
from services.statistics.paired import compare_paired
from services.statistics.several_tests import holm


def compare_named(graph: Graph, corpus: str, first: str, second: str, seed: int = 0) -> tuple[Compared, ...]:
    """Compare two runs of a corpus, given by name; see `compare_runs`."""
    return compare_runs({name: read_answers(graph, run_id(corpus, name)) for name in (first, second)}, seed)


def compare_pair(
    graph: Graph, corpus: str, first: str, second: str, seed: int = 0
) -> tuple[Compared | None, tuple[Compared, ...]]:
    """Two runs of a corpus, given by name: over all chain questions, and as `compare_runs` has them.

    The first is tested by itself and is also the change of their totals; None where they have no chain
    question in common.
    """
    answers = {name: read_answers(graph, run_id(corpus, name)) for name in (first, second)}
    chains = {name: [answer for answer in given if answer.kind == "chain"] for name, given in answers.items()}
    of_chains = _compared(first, second, CHAIN, _pairs(first, second, chains), seed)
    # Adjusted for no other test, its p-value stays as it is.
    alone = None if of_chains is None else replace(of_chains, p_holm=of_chains.p_value)
    return alone, compare_runs(answers, seed)


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
    adjusted = holm([one.p_value for one in tested])
    return tuple(replace(one, p_holm=p_holm) for one, p_holm in zip(tested, adjusted, strict=True))


def repeated_runs(
    answers: Mapping[str, Sequence[GivenAnswer]], repeats: Mapping[str, str]
) -> tuple[Repeats, ...]:
    """How far runs vary that differ in the seed only, given by name with their common name.

    `unsteady` is the share of questions that some of the runs got right and others not; none of the papers
    has it. Null questions count too; those that not all of the runs answered are left out. See
    `repeated_mean`.
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
) -> Iterator[Compared]:
    pairs = _pairs(first, second, answers)
    for hops in (None, *DEPTHS):
        inside = [
            pair for pair in pairs if hops is None or (pair[0].kind == "chain" and pair[0].hops == hops)
        ]
        if tested := _compared(first, second, ALL if hops is None else f"{hops} hops", inside, seed):
            yield tested


def _pairs(
    first: str, second: str, answers: Mapping[str, Sequence[GivenAnswer]]
) -> list[tuple[GivenAnswer, GivenAnswer]]:
    """The answers of both to each question that both answered."""
    others = {answer.question: answer for answer in answers[second]}
    ordered = sorted(answers[first], key=lambda answer: answer.question)
    return [(one, others[one.question]) for one in ordered if one.question in others]


def _compared(
    first: str, second: str, scope: str, pairs: Sequence[tuple[GivenAnswer, GivenAnswer]], seed: int
) -> Compared | None:
    """The comparison before it is adjusted for the others, None where there is none."""
    paired = compare_paired(
        [one.right for one, _ in pairs],
        [other.right for _, other in pairs],
        [one.cluster for one, _ in pairs],
        seed,
    )
    if paired is None:
        return None
    return Compared(
        first=first,
        second=second,
        scope=scope,
        n=paired.n,
        clusters=paired.clusters,
        difference=paired.difference,
        interval=paired.interval,
        p_value=paired.test.p_value if paired.test else None,
        p_holm=None,
        naive_interval=paired.naive_interval,
        naive_p=paired.naive_p,
        design_effect=paired.design_effect,
        effective_n=paired.effective_n,
        p_error=paired.test.standard_error if paired.test else None,
    )


def read_ceilings(
    graph: Graph, corpus: str, facts: RunFacts, answers: Sequence[GivenAnswer], seed: int
) -> Ceilings | None:
    """A run beside its ceilings, None where the corpus has none for it, or it is one itself.

    See `choose_ceilings`. A system of one's own has them where its run says by which model it answers.
    """
    gold, closed = choose_ceilings(facts, graph.rows(query("runs/list_ceilings"), corpus=corpus))
    if facts.name in (gold, closed):
        return None
    others = {name: read_answers(graph, run_id(corpus, name)) for name in filter(None, (closed, gold))}
    return compare_ceilings(answers, (closed, others.get(closed)), (gold, others.get(gold)), seed)


def choose_ceilings(facts: RunFacts, rows: Sequence[Row]) -> tuple[str, str]:
    """The names of a run's ceilings, on gold evidence and closed-book, empty where there is none.

    `rows` are those of `runs/list_ceilings`. The generator must be the same model, whoever serves it
    (`model_behind`), and the judge have the same name. Of several runs, that of the same system counts before
    others, and then the first by name.
    """
    if facts.evidence or not facts.generator:
        return "", ""
    behind, judge = model_behind(facts.generator), facts.judge.removesuffix(REVISED)
    fitting = sorted(
        (
            row
            for row in rows
            if model_behind(row["generator"] or "") == behind and (row["judge"] or EXACT_MATCH) == judge
        ),
        key=lambda row: (row["system"] != facts.system, row["name"]),
    )
    gold, closed = (
        next((row["name"] for row in fitting if row["evidence"] == evidence), "")
        for evidence in ("gold", "none")
    )
    return gold, closed


def compare_ceilings(
    answers: Sequence[GivenAnswer],
    closed_book: tuple[str, Sequence[GivenAnswer] | None],
    gold: tuple[str, Sequence[GivenAnswer] | None],
    seed: int,
) -> Ceilings | None:
    """Accuracy from memory, of a system, and from gold evidence, with what retrieval and reading lose.

    MultiHop-RAG's table 6 (section 4.2) has the second and the third; what is lost is ours to tell.
    Over the questions with evidence that all of these runs, given by name and answers, have answered; a null
    question has none. Lost in retrieval is gold less system, paired by question; lost in reading is 1 less
    gold. Both have intervals by cluster. None where there is neither ceiling or no such question.
    """
    given = [
        {one.question: one for one in found if one.kind != NULL}
        for found in (answers, closed_book[1], gold[1])
        if found is not None
    ]
    shared = sorted(set.intersection(*map(set, given)))
    if len(given) == 1 or not shared:
        return None
    clusters = [given[0][question].cluster for question in shared]
    right = [[of[question].right for question in shared] for of in given]
    system, of_gold = right[0], right[-1] if gold[1] is not None else None
    return Ceilings(
        closed_book=closed_book[0],
        gold=gold[0],
        from_memory=rate_of("closed-book", right[1], clusters) if closed_book[1] is not None else None,
        system=rate_of("system", system, clusters),
        from_gold=None if of_gold is None else rate_of("gold evidence", of_gold, clusters),
        retrieval=None if of_gold is None else compare_paired(system, of_gold, clusters, seed),
        reading=None
        if of_gold is None
        else rate_of("lost in reading", [not one for one in of_gold], clusters),
    )
