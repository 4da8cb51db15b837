"""Print the times, rates and memory of the main job: `python -m benchmarks`; growth: `benchmarks.scale`.

Uses the graph that `kg` uses (set HOPGRADE_HOME to a folder of its own for a clean store). The seed corpus is
always measured; wikinews and the encyclopedia passages where the folder of real corpora is (HOPGRADE_SHARED,
or ../shared beside the checkout).
"""

import os
import tempfile
from pathlib import Path

from benchmarks.job import JobMeasures, drop, run_job

ROOT = Path(__file__).resolve().parents[1]
SHARED = Path(os.environ.get("HOPGRADE_SHARED", ROOT.parent / "shared")) / "data"
PASSAGES = "kg_rag_multihop/data__processed__corpus.jsonl"


def main() -> None:
    """Measure and print."""
    print(f"{os.cpu_count()} cores, load average at the start {os.getloadavg()[0]:.1f}\n")
    report("seed corpus", "bench-seed", [ROOT / "seed" / "articles"])
    news = SHARED / "wikinews" / "wikinews_2019.csv"
    if not news.is_file():
        print(f"no real corpora at {SHARED}: wikinews and passages are not measured.")
        return
    report("wikinews", "bench-wikinews", [news], "--min-tokens", "50")
    with tempfile.TemporaryDirectory() as folder:
        first = first_passages(Path(folder) / "passages.jsonl", 500)
        report("500 encyclopedia passages", "bench-passages", [first], "--min-tokens", "1")


def report(title: str, corpus: str, files: list[Path], *options: str) -> JobMeasures:
    """Run a job anew and again when finished, and print a table of its stages."""
    drop(corpus)
    measured = run_job(corpus, files, *options)
    again = run_job(corpus, files, *options)
    articles, chunks = measured.count("articles", "articles"), measured.count("chunks", "chunks")
    print(f"{title}: {articles} articles, {chunks} chunks")
    print(f"  {'stage':<20}{'seconds':>9}{'articles/s':>12}{'chunks/s':>10}")
    for line in measured.stages:
        if line.get("seconds"):
            seconds = float(line["seconds"])
            print(f"  {line['name']:<20}{seconds:>9.1f}{articles / seconds:>12.1f}{chunks / seconds:>10.1f}")
    print(f"  whole command {measured.seconds:.1f} s, again when finished {again.seconds:.1f} s")
    print(f"  peak memory of the Python process {measured.peak_mib:,.0f} MiB\n")
    return measured


def first_passages(path: Path, count: int) -> Path:
    """A file with the first passages."""
    with (SHARED / PASSAGES).open(encoding="utf-8") as source, path.open("w", encoding="utf-8") as file:
        file.writelines(line for _, line in zip(range(count), source, strict=False))
    return path


if __name__ == "__main__":
    main()
