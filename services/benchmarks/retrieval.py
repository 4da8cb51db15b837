"""Retrievers measured beside each other on one question set: measures, intervals, tests, latency, memory."""

from collections.abc import Mapping, Sequence
from dataclasses import astuple, dataclass, fields
from functools import partial

import numpy as np

from kg.progress import Progress
from services.benchmarks.contenders import Ground, ground_for, open_contender
from services.benchmarks.match_gold import MatchedQuestion
from services.benchmarks.measures import MEASURES, Official, found_at, multihop_rag_official
from services.benchmarks.question import Gold
from services.benchmarks.ranking import article_ranking
from services.benchmarks.retrieval_sets import ReadySet
from services.benchmarks.statistics import Difference, Mean, difference_of, mean_of, question_clusters
from services.benchmarks.trial import Trial, run_trial
from services.evaluate.statistics.holm import holm

TESTED = ("Recall@5", "AllGold@10", "MAP@10")
"""Measures on which systems are tested against the base; Holm's correction is over all tests of a set."""

OFFICIAL = {
    "hits_at_4": "official Hits@4",
    "hits_at_10": "official Hits@10",
    "mrr_at_10": "official MRR@10",
    "map_at_10": "official MAP@10",
}
"""Names of what MultiHop-RAG's own script counts."""


@dataclass(frozen=True, slots=True)
class Compared:
    """A difference to the base, with its p-value after Holm's correction; None where there is no test."""

    difference: Difference
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class SystemResult:
    """A retriever on a set.

    `found` has, for each question, the rank of each piece of gold in the ranking of passages. `means` has
    only measures that are defined; `compared` is empty for the base itself.
    """

    trial: Trial
    found: tuple[tuple[int | None, ...], ...]
    means: Mapping[str, Mean]
    compared: Mapping[str, Compared]


@dataclass(frozen=True, slots=True)
class SetResult:
    """All retrievers on a set. `clusters` names the cluster of each question."""

    ready: ReadySet
    base: str
    seed: int
    clusters: tuple[str, ...]
    systems: tuple[SystemResult, ...]


def measure_set(
    ground: Ground, ready: ReadySet, names: Sequence[str], base: str, seed: int, progress: Progress
) -> SetResult:
    """Ask every contender every question of a set, and measure what they ranked."""
    questions = [one.question.text for one in ready.questions]
    trials = []
    with ground_for(ground, names):
        progress.begin(f"{ready.files.name}: {len(questions)} questions to {len(names)} retrievers")
        for name in names:
            progress.step(f"{ready.files.name}: {name}", len(questions))
            trials.append(run_trial(name, partial(open_contender, name, ground), questions, progress))
        progress.end(f"{len(trials)} retrievers measured")
    return measured(ready, trials, base, seed)


def measured(ready: ReadySet, trials: Sequence[Trial], base: str, seed: int) -> SetResult:
    """The measures of what was ranked; every interval and test has the same seed."""
    article_of = {passage.chunk: passage.article for passage in ready.passages}
    text_of = {passage.chunk: passage.text for passage in ready.passages}
    gold = [gold_groups(question) for question in ready.questions]
    clusters = question_clusters([sorted({id_ for group in groups for id_ in group}) for groups in gold])
    found = [
        tuple(
            tuple(found_at(article_ranking(ranking, article_of), groups))
            for ranking, groups in zip(trial.rankings, gold, strict=True)
        )
        for trial in trials
    ]
    values = [
        {**_standard(one), **_official(ready.questions, trial.rankings, text_of)}
        for one, trial in zip(found, trials, strict=True)
    ]
    compared = _compared([trial.name for trial in trials], values, clusters, base, seed)
    return SetResult(
        ready=ready,
        base=base,
        seed=seed,
        clusters=tuple(clusters),
        systems=tuple(
            SystemResult(trial, ranks, _means(by_measure, clusters, seed), against)
            for trial, ranks, by_measure, against in zip(trials, found, values, compared, strict=True)
        ),
    )


def gold_groups(question: MatchedQuestion) -> list[tuple[str, ...]]:
    """The gold passages of a question, each once; one that the corpus lacks is an empty group.

    What the corpus lacks can't be retrieved and counts as not found: leaving it out would flatter everybody.
    """
    missing = {_passage(gold) for gold in question.missing} - {_passage(one.gold) for one in question.found}
    return [*question.article_groups, *(() for _ in missing)]


def _passage(gold: Gold) -> tuple[str, ...]:
    """What tells a piece's passage: two sentences of one are one."""
    return (gold.given_id, gold.title, gold.url) if gold.given_id or gold.title or gold.url else (gold.text,)


def gold_facts(question: MatchedQuestion, text_of: Mapping[str, str]) -> list[str]:
    """The text of each piece of gold: as the set has it, else that of the passage where it was found."""
    found = [one.gold.text or text_of[one.chunks[0]] for one in question.found]
    return [*found, *(gold.text for gold in question.missing if gold.text)]


def _standard(found: Sequence[Sequence[int | None]]) -> dict[str, list[float]]:
    return {name: [measure(ranks) for ranks in found] for name, measure in MEASURES.items()}


def _official(
    questions: Sequence[MatchedQuestion], rankings: Sequence[Sequence[str]], text_of: Mapping[str, str]
) -> dict[str, list[float]]:
    counted = [
        multihop_rag_official([text_of[chunk] for chunk in ranking], gold_facts(question, text_of))
        for question, ranking in zip(questions, rankings, strict=True)
    ]
    columns = zip(*map(astuple, counted), strict=True)
    return {
        OFFICIAL[field.name]: list(column) for field, column in zip(fields(Official), columns, strict=True)
    }


def _means(values: Mapping[str, Sequence[float]], clusters: Sequence[str], seed: int) -> dict[str, Mean]:
    found = {name: mean_of(each, clusters, np.random.default_rng(seed)) for name, each in values.items()}
    return {name: mean for name, mean in found.items() if mean is not None}


def _compared(
    names: Sequence[str],
    values: Sequence[Mapping[str, Sequence[float]]],
    clusters: Sequence[str],
    base: str,
    seed: int,
) -> list[dict[str, Compared]]:
    """For each system its differences to the base, by measure."""
    if base not in names:
        return [{} for _ in names]
    of_base = values[names.index(base)]
    tests = {
        (name, measure): found
        for name, of_other in zip(names, values, strict=True)
        for measure in TESTED
        if name != base
        and (
            found := difference_of(of_base[measure], of_other[measure], clusters, np.random.default_rng(seed))
        )
    }
    adjusted = dict(zip(tests, holm([found.p_value for found in tests.values()]), strict=True))
    return [
        {
            measure: Compared(found, adjusted[tested, measure])
            for (tested, measure), found in tests.items()
            if tested == name
        }
        for name in names
    ]
