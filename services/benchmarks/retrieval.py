"""Retrievers measured beside each other on one question set: measures, intervals, tests, latency, memory.

A benchmark of retrievers as plain values, with all that is needed to repeat it or to compute it anew.
"""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict, astuple, dataclass, fields
from functools import partial
from importlib.metadata import PackageNotFoundError, version

from kg import __version__
from kg.model import Reject
from kg.progress import Progress
from kg.store.graph import Graph
from services.benchmarks.contenders import (
    WARM_UP,
    Ground,
    Trial,
    article_ranking,
    ground_for,
    open_contender,
    run_trial,
)
from services.benchmarks.retrieval_sets import ReadySet
from services.datasets.match_gold import MatchedQuestion
from services.datasets.question import Gold
from services.statistics.intervals import LEVEL
from services.statistics.rankings import (
    MEASURES,
    Difference,
    Mean,
    Official,
    difference_of,
    found_at,
    mean_of,
    multihop_rag_official,
    question_clusters,
)
from services.statistics.resampling import DRAWS
from services.statistics.several_tests import holm

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
class BaseDifference:
    """A difference to the base, with its p-value after Holm's correction; None where there is no test."""

    difference: Difference
    p_holm: float | None


@dataclass(frozen=True, slots=True)
class SystemResult:
    """A retriever on a set.

    `ranks` has, for each question, the rank of each piece of gold in the ranking of passages. `means` has
    only measures that are defined; `compared` is empty for the base itself.
    """

    trial: Trial
    ranks: tuple[tuple[int | None, ...], ...]
    means: Mapping[str, Mean]
    compared: Mapping[str, BaseDifference]


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
    return measure_trials(ready, trials, base, seed)


def measure_trials(ready: ReadySet, trials: Sequence[Trial], base: str, seed: int) -> SetResult:
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
    compared = _compare_with_base([trial.name for trial in trials], values, clusters, base, seed)
    return SetResult(
        ready=ready,
        base=base,
        seed=seed,
        clusters=tuple(clusters),
        systems=tuple(
            SystemResult(trial, ranks, _means(by_measure, clusters), against)
            for trial, ranks, by_measure, against in zip(trials, found, values, compared, strict=True)
        ),
    )


def gold_groups(question: MatchedQuestion) -> list[tuple[str, ...]]:
    """The gold passages of a question, each once; one that the corpus lacks is an empty group.

    What the corpus lacks can't be retrieved and counts as not found: leaving it out would flatter everybody.
    """
    missing = {_passage(gold) for gold in question.missing} - {
        _passage(one.gold) for one in question.gold_found
    }
    return [*question.article_groups, *(() for _ in missing)]


def _passage(gold: Gold) -> tuple[str, ...]:
    """What tells a piece's passage: two sentences of one are one."""
    return (gold.given_id, gold.title, gold.url) if gold.given_id or gold.title or gold.url else (gold.text,)


def gold_facts(question: MatchedQuestion, text_of: Mapping[str, str]) -> list[str]:
    """The text of each piece of gold: as the set has it, else that of the passage where it was found."""
    found = [one.gold.text or text_of[one.chunks[0]] for one in question.gold_found]
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


def _means(values: Mapping[str, Sequence[float]], clusters: Sequence[str]) -> dict[str, Mean]:
    found = {name: mean_of(each, clusters) for name, each in values.items()}
    return {name: mean for name, mean in found.items() if mean is not None}


def _compare_with_base(
    names: Sequence[str],
    values: Sequence[Mapping[str, Sequence[float]]],
    clusters: Sequence[str],
    base: str,
    seed: int,
) -> list[dict[str, BaseDifference]]:
    """For each system its differences to the base, by measure."""
    if base not in names:
        return [{} for _ in names]
    of_base = values[names.index(base)]
    tests = {
        (name, measure): found
        for name, of_other in zip(names, values, strict=True)
        for measure in TESTED
        if name != base and (found := difference_of(of_base[measure], of_other[measure], clusters, seed))
    }
    adjusted = dict(zip(tests, holm([found.p_value for found in tests.values()]), strict=True))
    return [
        {
            measure: BaseDifference(found, adjusted[tested, measure])
            for (tested, measure), found in tests.items()
            if tested == name
        }
        for name in names
    ]


LIBRARIES = ("neo4j", "neo4j-graphrag", "bm25s", "numpy", "scipy", "onnxruntime", "spacy")


def retrieval_json(
    results: Sequence[SetResult], settings: Mapping[str, object], left_out: Sequence[str], graph: Graph
) -> dict[str, object]:
    """Every set with every retriever; `settings` are the options of the run."""
    return {
        "settings": {
            **settings,
            "interval_level": LEVEL,
            "bootstrap_draws": DRAWS,
            "tested_measures": list(TESTED),
            "correction": "Holm, over all tests of a set",
            "unit": "passages: the articles of the ranked chunks, each at the rank of its first chunk",
            "latency": f"seconds for one question, its embedding included, after {WARM_UP} to warm up",
            "memory": "MiB resident in this process; the server's own is not in it",
        },
        "versions": {"hopgrade": __version__, "server": graph.server_version(), **_versions()},
        "machine": {
            "python": platform.python_version(),
            "system": platform.system(),
            "architecture": platform.machine(),
            "cores": os.cpu_count(),
        },
        "left_out": list(left_out),
        "sets": [_set(result) for result in results],
    }


def _versions() -> dict[str, str | None]:
    return {name: _version(name) for name in LIBRARIES}


def _version(name: str) -> str | None:
    try:
        return version(name)
    except PackageNotFoundError:
        return None


def _set(result: SetResult) -> dict[str, object]:
    ready = result.ready
    return {
        "name": ready.files.name,
        "corpus_file": str(ready.files.corpus),
        "corpus_sha256": ready.sha256,
        "questions_file": str(ready.files.questions),
        "corpus": ready.corpus,
        "triples": _triples(ready),
        "embedder": ready.embedder.name,
        "passages": len({passage.article for passage in ready.passages}),
        "chunks": len(ready.passages),
        "questions": len(ready.questions),
        "questions_partly_found": ready.partly_found,
        "questions_without_gold": ready.without_gold,
        "questions_not_found": ready.not_found,
        "unmatched_gold": [_reject(one) for one in ready.unmatched],
        "rejected_rows": [_reject(one) for one in ready.rejected],
        "clusters": len(set(result.clusters)),
        "base": result.base,
        "seed": result.seed,
        "question_ids": [one.question.id for one in ready.questions],
        "question_clusters": list(result.clusters),
        "retrievers": [_system(system) for system in result.systems],
    }


def _triples(ready: ReadySet) -> dict[str, object] | None:
    if ready.given_triples is None or ready.given_for is None:
        return None
    return {
        "file": str(ready.given_triples.path),
        "sha256": ready.given_triples.sha256,
        "passages": len(ready.given_triples.passages),
        "matched": ready.given_for.matched,
        "passages_without": ready.given_for.without,
        "unmatched": [_reject(one) for one in ready.given_for.unmatched],
        "rejected": [_reject(one) for one in ready.given_triples.rejected],
    }


def _reject(reject: Reject) -> dict[str, str]:
    return {"place": reject.place, "reason": reject.reason}


def _system(system: SystemResult) -> dict[str, object]:
    trial = system.trial
    return {
        "name": trial.name,
        "measures": {name: asdict(mean) for name, mean in system.means.items()},
        "against_base": {
            name: {**asdict(compared.difference), "p_holm": compared.p_holm}
            for name, compared in system.compared.items()
        },
        "latency": asdict(trial.latency),
        "opening_seconds": trial.opening_seconds,
        "memory_mib": asdict(trial.memory),
        "failed_questions": [{"place": place, "reason": reason} for place, reason in trial.failures],
        "gold_ranks": [list(ranks) for ranks in system.ranks],
    }
