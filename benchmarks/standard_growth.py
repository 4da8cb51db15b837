"""What the analysis of a large judged comparison takes: `python -m benchmarks.standard_growth [QUESTIONS]`.

An archive of 10 systems and two judges is written, then read and analysed by a process of its own, so that
its memory is that of the analysis alone.
"""

import json
import resource
import subprocess
import sys
import tempfile
from pathlib import Path
from time import perf_counter, process_time

from benchmarks.made_comparison import Planted, made_comparison
from services.standard.analysis.analyse import analyse
from services.standard.archive import read_archive, write_archive
from services.standard.protocol import Protocol
from services.standard.report.html import render_html

QUESTIONS, PER_CLUSTER, SYSTEMS = 20_000, 7, 10
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
    """Write an archive of so many questions and 10 systems."""
    protocol = growth_protocol(SYSTEMS)
    planted = Planted(
        accuracy={system.name: 0.5 + 0.01 * number for number, system in enumerate(protocol.systems)},
        questions=questions,
        clusters=max(2, questions // PER_CLUSTER),
    )
    write_archive(path, made_comparison(protocol, planted))


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
        "peak_mib": round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB_A_MIB),
    }


def main(arguments: list[str]) -> None:
    """Write, then measure in a process of its own."""
    if arguments[:1] == ["measure"]:
        print(json.dumps(measure(Path(arguments[1]))))
        return
    questions = int(arguments[0]) if arguments else QUESTIONS
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "growth.zip"
        started = perf_counter()
        write(path, questions)
        size = path.stat().st_size / 2**20
        print(f"written in {perf_counter() - started:.1f} s, {size:.1f} MiB", flush=True)
        command = [sys.executable, "-m", "benchmarks.standard_growth", "measure", str(path)]
        subprocess.run(command, check=True)


if __name__ == "__main__":
    main(sys.argv[1:])
