"""Read a report on runs from the graph.

How each way of aggregating similarities goes with error, each with bins of its own (GRADE, table 3).

A run's matrix under the difficulty that another embedder or chunking gives (GRADE, A.7 and A.8).

Where a run's answers go wrong: lost hops, evidence that was retrieved, and the nodes that fail most.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import date
from math import fsum

from kg import __version__
from kg.errors import NothingToDoError, command
from kg.ids import run_id
from kg.paths.protocol import DEPTHS
from kg.queries import query
from kg.store.graph import Graph, Row
from services.evaluate.judge_by_hand import (
    read_agreements,
)
from services.evaluate.matrix import SMALL, AnswerVerdict, crossing_tables, difficulty_matrix
from services.evaluate.run_analysis import GivenAnswer, analyse_traces, read_answers
from services.evaluate.write_back import article_age, read_verdicts
from services.questions.difficulty import AGGREGATES, Aggregate, quartile_bins
from services.report.comparisons import compare_runs, read_ceilings, repeated_runs
from services.report.content import Ablation, HopLoss, LinkShare, Rate, Rebinned, Report, RunSection, Worst
from services.report.run_facts import (
    kind_rows,
    matrix_notes,
    rate_of,
    report_notes,
    retrieval_means,
    run_facts,
    run_notes,
)
from services.report.soundness import answer_grounds, answer_silences, cost_points

LEAST_ANSWERS = 5
"""A node with fewer answers is not listed; one with fewer than 20 is marked as small."""
WORST_LISTED = 10

_WORST = {"entities": "Entity", "claims": "Claim", "articles": "Article"}


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
    found: dict[str, list[Worst]] = {plural: [] for plural in _WORST}
    statement = query("runs/read_worst_parts")
    for row in graph.rows(statement, run=run, least=LEAST_ANSWERS, small=SMALL, limit=WORST_LISTED):
        part = row["part"]
        found[part].append(Worst(row["id"], _WORST[part], row["name"], row["answers"], row["wrong"]))
    return {plural: tuple(worst) for plural, worst in found.items()}


Placed = Mapping[str, tuple[float, int]]
"""Difficulty and bin by question."""


def read_ratings(graph: Graph, corpus: str) -> Mapping[tuple[str, str, str], Placed]:
    """The ratings of a corpus, by embedder, chunking and how bins were cut."""
    found: dict[tuple[str, str, str], dict[str, tuple[float, int]]] = {}
    for row in graph.rows(query("questions/read_ratings"), corpus=corpus):
        placed = found.setdefault((row["embedder"], row["chunking"], row["bins"]), {})
        placed[row["question"]] = (row["difficulty"], row["bin"])
    return found


def rebin(
    judged: Sequence[AnswerVerdict], ratings: Mapping[tuple[str, str, str], Placed]
) -> tuple[Rebinned, ...]:
    """The same verdicts under each rating; questions that a rating leaves out are left out of its matrix.

    GRADE's appendices A.7 and A.8 retrieve and answer anew, as `services.benchmarks.sweep.sweep` does.
    """
    return tuple(
        Rebinned(
            embedder,
            chunking,
            bins,
            difficulty_matrix(
                [
                    replace(row, difficulty=placed[row.question_id][0], bin=placed[row.question_id][1])
                    for row in judged
                    if row.question_id in placed
                ]
            ),
        )
        for (embedder, chunking, bins), placed in ratings.items()
    )


@dataclass(frozen=True, slots=True)
class Difficulties:
    """The hops and difficulties of all kept chain questions of a corpus, each aggregate in the same order."""

    questions: tuple[str, ...]
    hops: tuple[int, ...]
    by_aggregate: Mapping[Aggregate, tuple[float, ...]]


def read_difficulties(graph: Graph, corpus: str) -> Difficulties:
    """The difficulties that stand on the kept chain questions of a corpus."""
    kept = graph.rows(query("questions/list_of_status"), corpus=corpus, status="kept")
    rows = [row for row in kept if row["kind"] == "chain" and row["min"] is not None]
    return Difficulties(
        questions=tuple(row["id"] for row in rows),
        hops=tuple(row["hops"] for row in rows),
        by_aggregate={aggregate: tuple(row[aggregate] for row in rows) for aggregate in AGGREGATES},
    )


def ablate(judged: Sequence[AnswerVerdict], difficulties: Difficulties, bins: str) -> tuple[Ablation, ...]:
    """Pearson's r of bin and error rate within each depth, for bins cut by each aggregate (GRADE, table 3).

    Bins are cut over all kept questions, within a depth or, where `bins` is "global", over all depths; a run
    that answered some of them is measured with the bins of all.
    """
    groups = None if bins == "global" else difficulties.hops
    return tuple(
        _ablation(judged, aggregate, difficulties.questions, values, groups)
        for aggregate, values in difficulties.by_aggregate.items()
    )


def _ablation(
    judged: Sequence[AnswerVerdict],
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


WHOLE_RUN = 0.8
"""A run is whole where it answered at least so large a share of what the fullest of its corpus answered."""


def is_whole(answered: int, most: int) -> bool:
    """Whether a run that answered so many questions is whole, where `most` is what it is held against."""
    return answered >= WHOLE_RUN * most


def choose_runs(graph: Graph, corpus: str, given: Sequence[str]) -> list[str]:
    """The runs that were named, each once, or all whole runs of the corpus, by name.

    What was cut off or limited, and what a comparison asked, answered other questions than the rest: compared
    with everything it would say little, and each comparison more makes the others' p-values larger.

    Raises:
        NothingToDoError: there is no run, or none of such a name.
    """
    answers = _answers_by_run(graph, corpus)
    if not answers:
        raise NothingToDoError(
            f"corpus {corpus!r} has no run yet.",
            f"Make one: {command('run start single-step --corpus', corpus)}",
        )
    if unknown := [name for name in given if name not in answers]:
        raise NothingToDoError(
            f"corpus {corpus!r} has no run {unknown[0]!r}.", f"It has: {', '.join(map(repr, answers))}."
        )
    most = max(answers.values())
    return list(dict.fromkeys(given)) or [name for name, number in answers.items() if is_whole(number, most)]


def partial_runs_note(graph: Graph, corpus: str) -> str:
    """Which runs `choose_runs` leaves out where none is named, "" where it leaves out none."""
    answers = _answers_by_run(graph, corpus)
    most = max(answers.values(), default=0)
    left = [f"{name} ({number:,})" for name, number in answers.items() if not is_whole(number, most)]
    if not left:
        return ""
    return (
        f"Left out, as they answered far fewer questions than the {most:,} of the fullest run: "
        f"{', '.join(left)}. Name runs to have them in."
    )


def _answers_by_run(graph: Graph, corpus: str) -> dict[str, int]:
    return {row["name"]: row["answers"] for row in graph.rows(query("runs/list_short"), corpus=corpus)}


def collect_report(
    graph: Graph, corpus: str, runs: Sequence[str], seed: int = 0, traces: bool = True
) -> Report:
    """The report on these runs, in this order; `seed` is that of the sign-flips.

    What the analysis of a run wrote onto its answers must stand there (`write_back.analyse_run`). Without
    `traces`, which take the longest to read, there is no hop-aware analysis.

    Raises:
        NothingToDoError: there is no run of such a name.
    """
    names = choose_runs(graph, corpus, runs)
    facts = graph.rows(query("corpus/read_versions"), corpus=corpus)[0]
    difficulties, ratings = read_difficulties(graph, corpus), read_ratings(graph, corpus)
    answers = {name: read_answers(graph, run_id(corpus, name)) for name in names}
    sections, notes = [], []
    for name in names:
        section, told = _section(graph, corpus, name, answers[name], facts, difficulties, ratings)
        ceilings = read_ceilings(graph, corpus, section.facts, answers[name], seed)
        section = replace(section, ceilings=ceilings)
        if traces:
            section = replace(section, analysis=analyse_traces(graph, corpus, name))
        sections.append(section)
        notes += told
    repeats = {section.facts.name: section.facts.repeats for section in sections}
    comparisons = compare_runs(answers, seed, repeats)
    return Report(
        corpus=corpus,
        version=__version__,
        dataset=facts["dataset"],
        generators=tuple(facts["generators"]),
        bins=facts["bins"],
        runs=tuple(sections),
        links=read_links(graph, corpus),
        comparisons=comparisons,
        notes=(*report_notes(sections, facts["dataset"], comparisons), *notes, *matrix_notes(sections)),
        costs=cost_points(answers),
        repeats=repeated_runs(answers, repeats),
    )


def read_links(graph: Graph, corpus: str) -> tuple[LinkShare, ...]:
    """The need of missing links among the kept chain questions of each depth (GRADE, table 4)."""
    return tuple(LinkShare(**row) for row in graph.rows(query("questions/count_links"), corpus=corpus))


def _section(
    graph: Graph,
    corpus: str,
    name: str,
    answers: Sequence[GivenAnswer],
    facts: Row,
    difficulties: Difficulties,
    ratings: Mapping[tuple[str, str, str], Placed],
) -> tuple[RunSection, list[str]]:
    run = run_id(corpus, name)
    record = graph.rows(query("runs/read_record"), run=run)[0]
    judged = read_verdicts(graph, corpus, name)
    section = RunSection(
        facts=run_facts(record["run"], answers, facts["kept"]),
        matrix=difficulty_matrix(judged),
        kinds=kind_rows(answers),
        ablation=ablate(judged, difficulties, facts["bins"]),
        losses=hop_losses(answers),
        hop_recall=hop_recall(answers),
        worst=read_worst_nodes(graph, run),
        agreements=read_agreements(graph, corpus, name),
        rebinned=rebin(judged, ratings),
        crossings=crossing_tables(judged),
        grounds=answer_grounds(answers),
        silences=answer_silences(answers),
        retrieval=retrieval_means(answers),
    )
    cutoff = record["run"].get("model_cutoff")
    age = article_age(graph, corpus, date.fromisoformat(cutoff)) if cutoff else None
    return section, list(run_notes(section, answers, record["elsewhere"], corpus, age))
