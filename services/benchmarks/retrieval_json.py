"""A benchmark of retrievers as plain values, with all that is needed to repeat it or to compute it anew."""

import os
import platform
from collections.abc import Mapping, Sequence
from dataclasses import asdict
from importlib.metadata import PackageNotFoundError, version

from kg import __version__
from kg.model import Reject
from kg.store.graph import Graph
from services.benchmarks.retrieval import TESTED, SetResult, SystemResult
from services.benchmarks.retrieval_sets import ReadySet
from services.benchmarks.trial import WARM_UP
from services.evaluate.statistics.bootstrap import DRAWS
from services.evaluate.statistics.intervals import LEVEL

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
    if ready.given is None or ready.given_for is None:
        return None
    return {
        "file": str(ready.given.path),
        "sha256": ready.given.sha256,
        "passages": len(ready.given.passages),
        "matched": ready.given_for.matched,
        "passages_without": ready.given_for.without,
        "unmatched": [_reject(one) for one in ready.given_for.unmatched],
        "rejected": [_reject(one) for one in ready.given.rejected],
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
        "gold_ranks": [list(ranks) for ranks in system.found],
    }
