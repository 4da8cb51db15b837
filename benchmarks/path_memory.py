"""Peak memory of the sparse engine on a synthetic graph: `python -m benchmarks.path_memory EDGES BLOCK`."""

import json
import resource
import sys
from time import perf_counter

import numpy as np

from benchmarks.triples import synthetic_rows
from kg.paths.protocol import edge_table
from kg.paths.sparse import SparseEngine

SEED = 0
SOURCES = 2048
"""Starts that are searched: memory does not depend on how many blocks there are."""
KIB_A_MIB = 1024


def search(edges: int, block: int) -> dict[str, float]:
    """Read the graph and search from some starts, in blocks of so many."""
    table = edge_table(synthetic_rows(edges, SEED))
    table_peak = peak_mib()
    started = perf_counter()
    engine = SparseEngine(table, block=block)
    sources = np.random.default_rng(SEED).permutation(engine.sources())[:SOURCES]
    pairs = sum(len(reach.ends) for reach in engine.reach(sources.astype(np.int32)))
    return {
        "edges": table.size,
        "entities": len(table.entities),
        "block": block,
        "sources": len(sources),
        "pairs": pairs,
        "search_seconds": round(perf_counter() - started, 2),
        "table_peak_mib": table_peak,
        "peak_mib": peak_mib(),
    }


def peak_mib() -> float:
    return round(resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / KIB_A_MIB, 1)


if __name__ == "__main__":
    print(json.dumps(search(int(sys.argv[1]), int(sys.argv[2]))))
