"""Reads a corpus of the valley with a model, and dies at a write if it is told to.

    python -m tests.kg.stages.killed_reading CORPUS [WRITE committed|uncommitted]

The environment says where Neo4j and the model are.
"""

import os
import sys

from kg.progress import Silent
from kg.settings import Settings
from kg.stages.extraction import extract_claims
from tests.killed_job import DyingGraph, Order, StageGraph
from tests.valley import extractor


def main(corpus: str, write: str = "", when: str = "") -> None:
    """Read on until the end, or until the write of that number."""
    server = [os.environ[f"NEO4J_{name}"] for name in ("URI", "USERNAME", "PASSWORD", "DATABASE")]
    with (DyingGraph if write else StageGraph).connect(*server) as graph:
        if isinstance(graph, DyingGraph):
            # Outside the ledger's stages all writes count as those of the first one.
            graph.order = Order(corpus, 0, graph.stage, int(write), when == "committed")
        extract_claims(graph, corpus, lambda: extractor(Settings()), Silent())


if __name__ == "__main__":
    main(*sys.argv[1:])
