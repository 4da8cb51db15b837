"""What a large judged comparison takes to analyse and to verify.

    python -m benchmarks.standard_growth [QUESTIONS]

An archive of 10 systems, two judges and pools of 100 chunks is written, then read and analysed by a process
of its own, and verified by another, so that the memory of each is its own. What is planted keeps no budget:
`differing` counts the checks that say so, which is more work than where all is equal.
"""

import json
import resource
import subprocess
import sys
import tempfile
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.made_comparison import MadeRows, PlantedEffects, made_comparison
from services.comparison.analysis.analyse import analyse
from services.comparison.archive import read_archive, write_archive
from services.comparison.judged import render_outcome
from services.comparison.protocol import Protocol
from services.comparison.records import Candidates, Chunk
from services.comparison.report.renderers import render_html
from services.comparison.verify import verify_archive

QUESTIONS, PER_CLUSTER, SYSTEMS = 20_000, 7, 10
CHUNKS, POOL = 20_000, 100
KIB_A_MIB = 1024


def growth_protocol(systems: int) -> Protocol:
    """A protocol of so many systems, each held against the first in accuracy and Cluster Recall."""
    names = [f"s{number}" for number in range(systems)]
    return Protocol.model_validate(
        {
            "name": "growth",
            "dataset": {"corpus": "made", "version": "v1"},
            "pool": {"retriever": "vector", "hash": "0" * 64},
            "budget": {"evidence_tokens": 1024},
            "generator": {"kind": "rules", "name": "rules"},
            "judge": {"kind": "rules", "name": "exact"},
            "second_judge": {"kind": "rules", "name": "overlap"},
            "systems": [{"name": name, "selector": "top-k"} for name in names],
            "hypotheses": [
                {"id": f"{name}-{at}", "system": name, "against": "s0", "measure": measure, "smallest": 0.02}
                for name in names[1:]
                for at, measure in enumerate(("accuracy", "cluster recall"))
            ],
        }
    )


def write(path: Path, questions: int) -> None:
    """Write an archive of so many questions and 10 systems, with its results."""
    protocol = growth_protocol(SYSTEMS)
    planted = PlantedEffects(
        accuracy={system.name: 0.5 + 0.01 * number for number, system in enumerate(protocol.systems)},
        questions=questions,
        clusters=max(2, questions // PER_CLUSTER),
    )
    made = made_comparison(protocol, planted)
    text = "A text of some words. " * 30
    chunks = MadeRows(
        lambda: (Chunk(f"c{n}", f"a{n}", "Title", text, 150, f"k{n % 7}") for n in range(CHUNKS)), CHUNKS
    )

    def pools() -> Iterator[Candidates]:
        for number, question in enumerate(made.questions):
            hits = ((f"c{(37 * number + rank) % CHUNKS}", round(1 - rank / 200, 6)) for rank in range(POOL))
            yield Candidates(question.id, tuple(hits))

    whole = replace(made, chunks=chunks, pool=MadeRows(pools, questions), sample=made.questions)
    write_archive(path, whole, render_outcome)


def measure(path: Path) -> dict[str, float]:
    """Read and analyse an archive, and write its page; seconds and peak memory of this process."""
    started, used = perf_counter(), process_time()
    results = analyse(read_archive(path))
    used = process_time() - used
    analysed = perf_counter()
    page = render_html(results)
    return {
        "questions": results.clusters.questions,
        "clusters": results.clusters.clusters,
        "answers": sum(one.answers for one in results.systems),
        "contrasts": sum(len(one.by) for one in results.hypotheses) + len(results.pairs),
        "analyse_seconds": round(analysed - started, 1),
        "analyse_processor_seconds": round(used, 1),
        "page_seconds": round(perf_counter() - analysed, 1),
        "page_kib": round(len(page.encode()) / 1024),
        "peak_mib": _peak_mib(),
    }


def verify(path: Path) -> dict[str, float]:
    """Verify an archive; seconds and peak memory of this process."""
    started = perf_counter()
    found = verify_archive(path)
    return {
        "verify_seconds": round(perf_counter() - started, 1),
        "differing": sum(not check.equal for check in found.checks),
        "peak_mib": _peak_mib(),
    }


def _peak_mib() -> int:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB_A_MIB)


def main(arguments: list[str]) -> None:
    """Write, then measure in a process of its own."""
    if arguments[:1] in (["measure"], ["verify"]):
        print(json.dumps({"measure": measure, "verify": verify}[arguments[0]](Path(arguments[1]))))
        return
    questions = int(arguments[0]) if arguments else QUESTIONS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "growth.zip"
        started = perf_counter()
        write(path, questions)
        size = path.stat().st_size / 2**20
        print(f"written in {perf_counter() - started:.1f} s, {size:.1f} MiB", flush=True)
        for part in ("measure", "verify"):
            command = [sys.executable, "-m", "benchmarks.standard_growth", part, str(path)]
            subprocess.run(command, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
