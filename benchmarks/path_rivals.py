"""What Hopgrade's engines are compared with: networkx, and the procedure that GRADE published, both capped.

Each runs for some seconds on a seeded sample; the time for the whole is extrapolated, and said to be.
"""

from itertools import pairwise
from math import prod
from time import perf_counter

import networkx as nx
import numpy as np

from benchmarks.path_timing import Result, Timing, measure_time, scale
from kg.paths.protocol import DEPTHS, MAX_HOPS, EdgeTable
from kg.paths.sample import Sample

SEED = 0


def by_networkx(table: EdgeTable, sample: Sample, seconds: float) -> Result:
    """Distances from each start with a cut-off, and all shortest paths of the pairs that the sample holds."""
    result = Result("networkx")
    with measure_time(result.load):
        graph: nx.MultiDiGraph[int] = nx.MultiDiGraph(
            zip(table.start.tolist(), table.end.tolist(), strict=True)
        )
        plain: nx.DiGraph[int] = nx.DiGraph(graph)
    starts = np.random.default_rng(SEED).permutation(np.unique(table.start)).tolist()
    done, pairs = 0, dict.fromkeys(range(1, MAX_HOPS + 1), 0)
    searched, walked = Timing(), Timing()
    with measure_time(searched):
        until = perf_counter() + seconds / 2
        for start in starts:
            for hops in nx.single_source_shortest_path_length(plain, start, cutoff=MAX_HOPS).values():
                if hops:
                    pairs[hops] += 1
            done += 1
            if perf_counter() > until:
                break
    drawn = 0
    order = np.random.default_rng(SEED).permutation(len(sample.paths)).tolist()
    with measure_time(walked):
        until = perf_counter() + seconds / 2
        for number in order:
            start, end, _ = sample.paths[number].pair
            ways = 0
            for stops in nx.all_shortest_paths(plain, start, end):
                ways += prod(graph.number_of_edges(*step) for step in pairwise(stops))
            if ways != sample.paths[number].choice.alternatives:
                raise SystemExit(f"networkx counts {ways} paths for {sample.paths[number]}.")
            drawn += 1
            if perf_counter() > until:
                break
    result.census = scale(searched, len(starts) / done)
    paths = scale(walked, len(order) / drawn)
    result.census_and_paths = Timing(
        round(result.census.wall + paths.wall, 3), round(result.census.cpu + paths.cpu, 3)
    )
    result.pairs = {depth: pairs[depth] for depth in DEPTHS} if done == len(starts) else {}
    if done < len(starts) or drawn < len(order):
        result.extrapolated = f"from {done:,} of {len(starts):,} starts and {drawn:,} of {len(order):,} paths"
    return result


def by_grade(table: EdgeTable, seconds: float) -> Result:
    """GRADE's own way: for every ordered pair, whether there is a path, and if so all shortest ones."""
    result = Result("grade")
    with measure_time(result.load):
        graph: nx.DiGraph[int] = nx.DiGraph(zip(table.start.tolist(), table.end.tolist(), strict=True))
    generator, size = np.random.default_rng(SEED), len(table.entities)
    graph.add_nodes_from(range(size))
    kept = done = 0
    searched = Timing()
    with measure_time(searched):
        until = perf_counter() + seconds
        while perf_counter() < until:
            start, end = (int(number) for number in generator.choice(size, 2, replace=False))
            done += 1
            if nx.has_path(graph, start, end):
                paths = list(nx.all_shortest_paths(graph, start, end))
                kept += len(paths[0]) - 1 in DEPTHS
    total = size * (size - 1)
    result.census = result.census_and_paths = scale(searched, total / done)
    result.extrapolated = (
        f"from {done:,} of {total:,} ordered pairs, of which {kept:,} were 2 to 5 hops apart"
    )
    return result
