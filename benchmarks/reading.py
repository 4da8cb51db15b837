"""Sentences a second and memory of the rule extractor with one process and with more, and what a start costs.

    python -m benchmarks.reading [--processes 1,2] [--repeat 3]

Reads wikinews where the shared data folder is (HOPGRADE_SHARED, or ../shared beside the checkout), else the
seed corpus. Each measure runs in a process of its own; times are of the wall clock, memory is the largest sum
of proportional shares over the process and its workers.
"""

import argparse
import json
import subprocess
import sys
import threading
import time
from itertools import islice
from pathlib import Path

import psutil

from benchmarks.extraction import data_folder, wikinews
from kg.engine.processes import LocalEngine
from kg.extract.protocol import ExtractionInput
from kg.extract.rules import RuleExtractor
from kg.ingest.read import read_articles
from kg.model import ArticleRow
from kg.text.sentences import sentence_spans

ROOT = Path(__file__).resolve().parents[1]
LENGTHS = (400, 800, 1600, 3200)
MIB = 1 << 20


def articles() -> list[ExtractionInput]:
    folder = data_folder()
    if folder is not None:
        return list(wikinews(folder))
    rows = read_articles([ROOT / "seed/articles"], {})
    return [
        ExtractionInput(row.body, row.title, row.published_at, sentence_spans(row.body))
        for row in rows
        if isinstance(row, ArticleRow)
    ]


def first_sentences(items: list[ExtractionInput], least: int) -> list[ExtractionInput]:
    total, taken = 0, 0
    while total < least and taken < len(items):
        total += len(items[taken].sentences)
        taken += 1
    return list(islice(items, taken))


def memory(stop: threading.Event, peak: list[float]) -> None:
    here = psutil.Process()
    while not stop.wait(0.1):
        family = [here, *here.children(recursive=True)]
        total = 0
        for one in family:
            try:
                total += one.memory_full_info().pss
            except psutil.Error:
                continue
        peak[0] = max(peak[0], total / MIB)


def run(processes: int, least: int) -> None:
    """Measure one setting in this process and print it as JSON."""
    items = first_sentences(articles(), least)
    extractor = RuleExtractor(LocalEngine(processes))
    stop, peak = threading.Event(), [0.0]
    watcher = threading.Thread(target=memory, args=(stop, peak))
    watcher.start()
    start = time.monotonic()
    for _ in extractor.extract(items):
        pass
    seconds = time.monotonic() - start
    stop.set()
    watcher.join()
    sentences = sum(len(item.sentences) for item in items)
    print(json.dumps({"sentences": sentences, "seconds": seconds, "mib": peak[0]}))


def measure(processes: int, least: int) -> dict[str, float]:
    command = [sys.executable, "-m", "benchmarks.reading", "--one", f"{processes},{least}"]
    ended = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=True)
    found: dict[str, float] = json.loads(ended.stdout)
    return found


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0] if __doc__ else None)
    parser.add_argument("--processes", default="1,2", help="numbers of processes, with commas between")
    parser.add_argument("--repeat", type=int, default=1, help="runs of each, of which the fastest counts")
    parser.add_argument("--one", default="", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        processes, least = map(int, options.one.split(","))
        run(processes, least)
        return
    print(f"load average at the start {psutil.getloadavg()[0]:.1f}, {psutil.cpu_count()} cores")
    print(f"{'sentences':>10}{'processes':>11}{'seconds':>9}{'a second':>10}{'MiB':>7}")
    for least in LENGTHS:
        for processes in map(int, options.processes.split(",")):
            runs = [measure(processes, least) for _ in range(options.repeat)]
            best = min(runs, key=lambda one: one["seconds"])
            rate = best["sentences"] / best["seconds"]
            print(
                f"{best['sentences']:>10.0f}{processes:>11}{best['seconds']:>9.1f}{rate:>10.0f}"
                f"{best['mib']:>7.0f}",
                flush=True,
            )


if __name__ == "__main__":
    main()
