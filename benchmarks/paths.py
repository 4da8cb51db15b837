"""How long hop paths take: all pairs at 2 to 5 hops counted, and 1,600 paths drawn.

    python -m benchmarks.paths --triples codex-m_train.txt [--engines sparse,cypher,networkx,grade] [--json]
    python -m benchmarks.paths --synthetic 1000000 [--blocks 64,256,512]

A triples file is tab-separated: head, relation, tail. Cypher runs on the graph that `kg` uses, in a corpus of
its own that is dropped at the end. networkx and GRADE's procedure run for `--seconds` each on seeded samples,
and their times for the whole are extrapolated, which is said. `cpu` is the processor time of this process
and, where Cypher is timed, of the managed server: on a busy machine it says more than the wall clock. Ratios
are to the first engine printed, by the wall clock and by processor time.
The synthetic graph shows peak memory by block size, each in a process of its own.
"""

import argparse
import json
import os
import platform
import subprocess
import sys
from collections.abc import Callable
from dataclasses import asdict
from pathlib import Path

import psutil

from benchmarks.path_rivals import by_grade, by_networkx
from benchmarks.path_timing import Ratio, Result, Timing, load_average, measure_time
from benchmarks.triples import load_into_neo4j, table_of_file
from kg.connect import open_graph
from kg.corpus import drop_corpus
from kg.paths.engines import CypherEngine
from kg.paths.protocol import EdgeTable, PathEngine
from kg.paths.sample import Sample, draw_sample
from kg.paths.sparse import SparseEngine, census_by
from kg.paths.spread import DrawRules
from kg.progress import Silent
from kg.server.process import server_status
from kg.settings import Settings

PER_DEPTH = 400
SEED = 0
ENGINES = ("sparse", "cypher", "networkx", "grade")


def measure(
    engine_of: Callable[[], PathEngine], result: Result, server: psutil.Process | None = None
) -> Sample:
    """Count all pairs, then count and draw, anew each time."""
    with measure_time(result.census, server):
        counted = census_by(engine_of()).pairs
    with measure_time(result.census_and_paths, server):
        sample = draw_sample(engine_of(), PER_DEPTH, DrawRules(SEED))
    result.pairs = sample.pairs
    if tuple(sample.pairs.values()) != counted[1:]:
        raise SystemExit(f"{result.engine}: the census found {counted[1:]}, the draw {sample.pairs}.")
    return sample


def sparse(table: EdgeTable, load: Timing) -> tuple[Result, Sample]:
    result = Result("sparse", load)
    sample = measure(lambda: SparseEngine(table), result)
    result.with_caps = Timing()
    with measure_time(result.with_caps):
        draw_sample(SparseEngine(table), PER_DEPTH, DrawRules(SEED))
    return result, sample


def cypher(path: Path, corpus: str) -> tuple[Result, Sample]:
    result = Result("cypher")
    settings = Settings()
    with open_graph(settings, Silent()) as graph:
        # A server of the reader's own may run anywhere: its processor time is not known.
        status = None if settings.neo4j_uri else server_status(settings)
        server = psutil.Process(status.pid) if status else None
        try:
            with measure_time(result.load, server):
                load_into_neo4j(graph, corpus, path)
            # Neo4j compiles and reads from disk in the first searches, which a server at work has behind it.
            engine = CypherEngine(graph, corpus)
            for _ in engine.reach(engine.sources()[:500]):
                pass
            sample = measure(lambda: CypherEngine(graph, corpus), result, server)
        finally:
            drop_corpus(graph, corpus)
    return result, sample


def run_triples(path: Path, engines: list[str], seconds: float) -> list[Result]:
    corpus = f"bench-paths-{path.stem}"
    load = Timing()
    with measure_time(load):
        table = table_of_file(path, corpus)
    # Also where it is not asked for: it draws the pairs that the others look for.
    first, sample = sparse(table, load)
    results = [first] if "sparse" in engines else []
    if "cypher" in engines:
        result, drawn = cypher(path, corpus)
        if drawn != sample:
            raise SystemExit("the engines drew different samples.")
        results.append(result)
    if "networkx" in engines:
        results.append(by_networkx(table, sample, seconds))
    if "grade" in engines:
        results.append(by_grade(table, seconds))
    base = results[0].census_and_paths
    for result in results:
        both = result.census_and_paths
        result.times_the_first = Ratio(round(both.wall / base.wall, 1), round(both.all_cpu / base.all_cpu, 1))
    return results


def print_results(path: Path, results: list[Result]) -> None:
    pairs = next((result.pairs for result in results if result.pairs), {})
    print(f"{path.name}: pairs at 2 / 3 / 4 / 5 hops: {' / '.join(f'{n:,}' for n in pairs.values())}")
    heads = f"{'load':>12}{'census':>14}{'and 1,600 paths':>17}{'cpu':>14}{'server cpu':>14}"
    print(f"{'':<10}{heads}{'times the first':>28}")
    for result in results:
        both, ratio = result.census_and_paths, result.times_the_first
        seconds = (result.load.wall, result.census.wall, both.wall, both.cpu, both.server_cpu)
        columns = "".join(
            f"{one:>{width},.2f} s" for one, width in zip(seconds, (10, 12, 15, 12, 12), strict=True)
        )
        times = f"{ratio.wall:,.1f} x, cpu {ratio.cpu:,.1f} x" if ratio else ""
        print(f"{result.engine:<10}{columns}{times:>28}")
        if result.with_caps:
            capped = result.with_caps
            print(f"{'':<10}with the default caps: {capped.wall:.2f} s, cpu {capped.cpu:.2f} s")
        if result.extrapolated:
            print(f"{'':<10}extrapolated {result.extrapolated}")
        print(f"{'':<10}load average when it began {result.load_average}")


def memory_by_block(edges: int, blocks: list[int]) -> list[dict[str, float]]:
    """The synthetic graph searched with each block size, in processes of their own."""
    found = []
    for block in blocks:
        command = [sys.executable, "-m", "benchmarks.path_memory", str(edges), str(block)]
        done = subprocess.run(command, check=True, capture_output=True, encoding="utf-8")
        found.append(json.loads(done.stdout))
    return found


def print_memory(found: list[dict[str, float]]) -> None:
    print(f"synthetic graph: {found[0]['edges']:,} edges, {found[0]['entities']:,} entities")
    for row in found:
        memory = f"peak {row['peak_mib']:,.0f} MiB, {row['table_peak_mib']:,.0f} of it to read the table"
        searched = f"{row['sources']:,} starts, {row['pairs']:,} pairs in {row['search_seconds']:.1f} s"
        print(f"  block {row['block']:>4.0f}: {memory}; {searched}")


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--triples", type=Path, metavar="FILE", help="tab-separated head, relation, tail")
    parser.add_argument("--engines", default="sparse,cypher,networkx,grade", help="which, with commas")
    parser.add_argument(
        "--seconds", type=float, default=20.0, help="for networkx and for GRADE's procedure each"
    )
    parser.add_argument("--synthetic", type=int, metavar="EDGES", help="peak memory on so many edges")
    parser.add_argument("--blocks", default="64,128,256,512", help="block sizes for it, with commas")
    parser.add_argument("--json", action="store_true", help="print one JSON document")
    given = parser.parse_args()
    engines = given.engines.split(",")
    if not (given.triples or given.synthetic) or not set(engines) <= set(ENGINES):
        parser.error(f"give --triples FILE or --synthetic EDGES, and engines of {','.join(ENGINES)}")
    machine = {
        "cores": os.cpu_count(),
        "load_average": load_average(),
        "python": platform.python_version(),
    }
    document: dict[str, object] = {"machine": machine}
    if not given.json:
        print(f"{machine['cores']} cores, load average at the start {machine['load_average']}")
    if given.triples:
        results = run_triples(given.triples, engines, given.seconds)
        document |= {"triples": str(given.triples), "results": [asdict(result) for result in results]}
        if not given.json:
            print_results(given.triples, results)
    if given.synthetic:
        memory = memory_by_block(given.synthetic, [int(block) for block in given.blocks.split(",")])
        document["memory"] = memory
        if not given.json:
            print_memory(memory)
    if given.json:
        print(json.dumps(document, indent=2))


if __name__ == "__main__":
    main()
