"""What a question costs each retriever: `python -m benchmarks.retrieval_speed [--growth]`.

Each retriever answers single questions of each development set (HOPGRADE_SHARED, or ../shared beside the
checkout) in a process of its own, its embedding included, after three to warm up. The graphs are those of
`kg benchmark retrieval`, and are built where they are not there yet. `first` is what a process waits for its
first answers, everything but Python's own start; `MiB` is the resident memory that the retriever adds. "from
Neo4j" is what the snapshot takes after the graph changed, with the processor time of this side.

With `--growth` instead, corpora made from a seed grow to 100,000 chunks for what searches a snapshot in
memory, and to 20,000 for what searches Neo4j. There `peak` is the most that the process ever held, embedder
included, and `prepare` is what it does with a snapshot before its first answer; the snapshot itself comes
from its file. `graph CPU` are the median milliseconds of processor time of a question, of all threads.
"""

import argparse
import json
import os
import resource
import subprocess
import sys
from collections.abc import Iterable, Sequence
from functools import partial
from pathlib import Path
from tempfile import TemporaryDirectory
from time import perf_counter, process_time

from benchmarks.retrieval_growth import NEO4J_SIZES, SIZES, grow_in_memory, grow_in_neo4j, make_file
from kg.connect import open_graph
from kg.embed.choose import make_embedder
from kg.progress import Silent
from kg.settings import Settings
from services.benchmarks.contenders import ranked_by, run_trial
from services.benchmarks.retrieval_sets import ONE_CHUNK, development_sets, prepare_set
from services.rag.graph_search.cache import read_snapshot, write_snapshot
from services.rag.graph_search.load import load_snapshot, read_version
from services.rag.retrieval.choose import RETRIEVERS, open_retriever
from services.settled_options import DEFAULT_EMBEDDER

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("HOPGRADE_SHARED", ROOT.parent / "shared")) / "data"
LIMIT = 10
KIB_A_MIB = 1024
MEASURED = tuple(name for name in RETRIEVERS if name != "pagerank-gds")

SETS = ("median ms", "p95 ms", "first s", "MiB")
IN_MEMORY = (
    "file MiB",
    "read s",
    "prepare s",
    "MiB",
    "peak MiB",
    "graph ms",
    "graph p95",
    "graph CPU",
    "pagerank ms",
)
IN_NEO4J = ("write s", "median ms", "p95 ms")

Figures = dict[str, float]


def main() -> None:
    """Measure and print, or measure one thing for a parent that prints."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--growth", action="store_true")
    parser.add_argument("--questions", type=int, default=40)
    parser.add_argument("--retrievers", default=",".join(MEASURED))
    parser.add_argument("--child", nargs="+", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if given.child:
        print(json.dumps(_child(*given.child)))
        return
    print(f"{os.cpu_count()} cores, load average at the start {os.getloadavg()[0]:.1f}\n")
    if given.growth:
        report_growth()
    else:
        report_sets(given.questions, given.retrievers.split(","))


def report_sets(questions: int, retrievers: Sequence[str]) -> None:
    """A table for each development set."""
    settings = Settings()
    with TemporaryDirectory() as folder, open_graph(settings, Silent()) as graph:
        for files in development_sets([SHARED]):
            ready = prepare_set(graph, settings, files, DEFAULT_EMBEDDER, ONE_CHUNK, Silent())
            asked = Path(folder) / f"{files.name}.json"
            texts = [one.question.text for one in ready.questions[:questions]]
            asked.write_text(json.dumps({"corpus": ready.corpus, "questions": texts}), encoding="utf-8")
            print(f"{files.name}: {len(ready.passages):,} chunks, {len(texts)} questions")
            _heads("retriever", SETS)
            for name in retrievers:
                _line(name, _in_own_process("trial", name, str(asked)), SETS)
            loaded = _in_own_process("load", str(asked))
            print(
                f"  snapshot from Neo4j {loaded['load s']:.1f} s, of the processor "
                f"{loaded['load CPU s']:.1f} s, peak {loaded['peak MiB']:.0f} MiB; "
                f"file {loaded['file MiB']:.0f} MiB, "
                f"read in {loaded['read s']:.2f} s; version in {loaded['version ms']:.0f} ms\n"
            )


def report_growth() -> None:
    """Tables by size."""
    print("made corpora, snapshot in memory")
    _heads("chunks", IN_MEMORY)
    for size in SIZES:
        with TemporaryDirectory() as folder:
            file = str(Path(folder) / "made.npy")
            _in_own_process("make", str(size), file)
            _line(f"{size:,}", _in_own_process("grow", file), IN_MEMORY)
    print("\nmade corpora, in Neo4j")
    _heads("chunks", IN_NEO4J)
    settings = Settings()
    with open_graph(settings, Silent()) as graph:
        for size in NEO4J_SIZES:
            for name, figures in grow_in_neo4j(graph, make_embedder(DEFAULT_EMBEDDER, settings), size):
                _line(f"{size:,} {name}", figures, IN_NEO4J)


def _child(kind: str, *given: str) -> Figures:
    match kind:
        case "trial":
            return _trial(*given)
        case "load":
            return _load(*given)
        case "make":
            return make_file(*given)
        case _:
            # A process counts its parent's peak for its own, so only that of a small parent's child tells.
            found = grow_in_memory(*given)
            return found | {"peak MiB": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB_A_MIB}


def _trial(name: str, file: str) -> Figures:
    asked = json.loads(Path(file).read_text(encoding="utf-8"))
    settings = Settings()
    with open_graph(settings, Silent()) as graph:
        embedder = make_embedder(DEFAULT_EMBEDDER, settings)
        embedder.embed(["warm"])
        make = partial(open_retriever, name, graph, asked["corpus"], embedder, LIMIT)
        trial = run_trial(name, lambda: ranked_by(make(), embedder), asked["questions"], Silent())
    return {
        "median ms": 1000 * trial.latency.median,
        "p95 ms": 1000 * trial.latency.p95,
        "first s": trial.opening_seconds,
        "MiB": trial.memory.grown,
    }


def _load(file: str) -> Figures:
    """A snapshot out of Neo4j, written, and mapped from its file; the peak is that of reading it."""
    asked = json.loads(Path(file).read_text(encoding="utf-8"))
    with TemporaryDirectory() as folder, open_graph(Settings(), Silent()) as graph:
        started, at_work = perf_counter(), process_time()
        snapshot = load_snapshot(graph, asked["corpus"])
        loaded = {"load s": perf_counter() - started, "load CPU s": process_time() - at_work}
        peak = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB_A_MIB
        written = Path(folder) / "snapshot.npy"
        write_snapshot(written, snapshot)
        started = perf_counter()
        read_snapshot(written)
        read = perf_counter()
        read_version(graph, asked["corpus"])
        return loaded | {
            "peak MiB": peak,
            "file MiB": written.stat().st_size / KIB_A_MIB**2,
            "read s": read - started,
            "version ms": 1000 * (perf_counter() - read),
        }


def _in_own_process(*arguments: str) -> Figures:
    command = [sys.executable, "-m", "benchmarks.retrieval_speed", "--child", *arguments]
    ended = subprocess.run(command, cwd=ROOT, stdout=subprocess.PIPE, text=True, check=False)
    if ended.returncode:
        raise SystemExit(f"{' '.join(arguments)} ended with {ended.returncode}.")
    found: Figures = json.loads(ended.stdout)
    return found


def _heads(first: str, columns: Iterable[str]) -> None:
    print(f"  {first:<18}" + "".join(f"{column:>12}" for column in columns))


def _line(name: str, figures: Figures, columns: Iterable[str]) -> None:
    print(f"  {name:<18}" + "".join(f"{figures[column]:>12,.1f}" for column in columns), flush=True)


if __name__ == "__main__":
    main()
