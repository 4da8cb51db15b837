"""Time RAG systems without a model: `python -m benchmarks.rag [--corpus NAME] [--systems single-step,...]`.

Uses the graph that `kg` uses. Without --corpus the bundled corpus is built first (bench-rag); the time for
1,600 questions is told at the measured rate. The aim: 1,600 questions through single-step in at most 180
seconds on 2 cores.
"""

import argparse
import os
from pathlib import Path
from time import monotonic

from benchmarks.job import run_job
from kg.connect import open_graph
from kg.embed.choose import embedder_of
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph
from services.rag.run_options import SYSTEMS, RunOptions, parse_system
from services.runs.records import drop_run, list_runs
from services.runs.start import start_run

ARTICLES = Path(__file__).resolve().parents[1] / "seed" / "articles"
CORPUS = "bench-rag"
WANTED = 1_600
RUN = "bench"


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--corpus", default="")
    parser.add_argument("--systems", default=",".join(SYSTEMS))
    parser.add_argument("--limit", type=int)
    given = parser.parse_args()
    if not given.corpus:
        run_job(CORPUS, [ARTICLES])
    settings = Settings()
    print(f"{os.cpu_count()} cores, load average at the start {os.getloadavg()[0]:.1f}")
    print(f"{'system':<16}{'questions':>10}{'right':>8}{'abstained':>11}{'seconds':>9}{'s for 1,600':>13}")
    with open_graph(settings, Silent()) as graph:
        for name in given.systems.split(","):
            measure(graph, given.corpus or CORPUS, name, given.limit, settings)


def measure(graph: Graph, corpus: str, system: str, limit: int | None, settings: Settings) -> None:
    """Run one system anew over the questions, print a line, and drop the run."""
    embedder = embedder_of(graph, corpus, settings)
    if any(row["name"] == RUN for row in list_runs(graph, corpus)):
        drop_run(graph, corpus, RUN)
    options = RunOptions(system=parse_system(system), name=RUN, question_limit=limit)
    started = monotonic()
    start_run(graph, corpus, options, settings, embedder, Silent())
    seconds = monotonic() - started
    (row,) = [row for row in list_runs(graph, corpus) if row["name"] == RUN]
    drop_run(graph, corpus, RUN)
    answers = row["answers"]
    print(
        f"{system:<16}{answers:>10,}{row['right'] / answers:>8.1%}{row['abstained'] / answers:>11.1%}"
        f"{seconds:>9.1f}{seconds * WANTED / answers:>13.0f}"
    )


if __name__ == "__main__":
    main()
