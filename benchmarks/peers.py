"""Us beside others: time to index and time a question, with the same passages, questions and vectors.

    python -m benchmarks.peers [--sets musique] [--write]

On the development sets of HOPGRADE_SHARED (or ../shared beside the checkout), each in a fresh store:

- `graph`: our default retriever; its index is the graph, from passages to entities, claims and facts.
- `LinearRAG`: its published algorithm (`benchmarks/linear_rag.py`): names and sentences, no facts.
- `neo4j-graphrag`: the library's own pipeline without a model (its chunk embedder, lexical graph and writer),
  its vector and hybrid retrievers. Needs the extra `benchmark`; without it these lines are left out.

One thing runs after the other, on all cores; questions come one by one, their vectors included, after three
to warm up. With --write the table goes to docs/speed.md. The recall beside the times tells that the peers
work as they should; our rules and weights were tuned on these sets, theirs weren't.
"""

import argparse
import asyncio
import os
import tempfile
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import partial
from importlib.util import find_spec
from pathlib import Path
from time import perf_counter

from benchmarks.extraction import data_folder
from benchmarks.job import ROOT, settings_of
from benchmarks.linear_rag import LinearRag
from benchmarks.pages import markdown_table, write_between
from kg.connect import open_graph
from kg.embed.choose import Embedder
from kg.ledger import read_ledger
from kg.progress import Silent
from kg.queries import query
from kg.store.graph import Graph, lent_driver
from services.benchmarks.contenders import (
    INSTALL,
    BenchmarkPassage,
    Ground,
    Rank,
    Trial,
    ground_for,
    open_contender,
    run_trial,
)
from services.benchmarks.retrieval import measure_trials
from services.benchmarks.retrieval_sets import ONE_CHUNK, ReadySet, SetFiles, development_sets, prepare_set
from services.settled_options import DEFAULT_EMBEDDER

SPEED = ROOT / "docs" / "speed.md"
LIMIT = 10
GRAPHRAG = {"graphrag-vector": "neo4j-graphrag, vector", "graphrag-hybrid": "neo4j-graphrag, hybrid"}
INDEX = ("chunks", "vectors", "claims", "resolution")
"""The stages that make our index; articles are read besides."""


@dataclass(frozen=True, slots=True)
class Peer:
    """One system on one set: seconds to index, and what it ranked in which time."""

    name: str
    index_seconds: float
    trial: Trial


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--sets", default="musique")
    parser.add_argument("--write", action="store_true")
    given = parser.parse_args()
    wanted = given.sets.split(",")
    folder = data_folder()
    if folder is None:
        raise SystemExit("HOPGRADE_SHARED has no data/, and there is none in ../shared: nothing to measure.")
    table = [f"{os.cpu_count()} cores, load average at the start {os.getloadavg()[0]:.1f}"]
    for files in development_sets([folder]):
        table += _set(files) if files.name in wanted else []
    print("\n\n".join(table))
    if given.write:
        write_between(SPEED, "peers", "\n\n".join(table))


def _set(files: SetFiles) -> list[str]:
    with tempfile.TemporaryDirectory(prefix="hopgrade-peers-") as folder:
        settings = settings_of(Path(folder) / "home")
        with open_graph(settings, Silent()) as graph:
            ready = prepare_set(graph, settings, files, DEFAULT_EMBEDDER, ONE_CHUNK, Silent())
            seconds = {line["name"]: line.get("seconds") or 0.0 for line in read_ledger(graph, ready.corpus)}
            ground = Ground(graph, settings, ready.corpus, ready.passages, ready.embedder, LIMIT)
            return _compare_peers(ready, list(_peers(ground, ready, seconds)))


def _peers(ground: Ground, ready: ReadySet, seconds: dict[str, float]) -> Sequence[Peer]:
    questions = [one.question.text for one in ready.questions]

    def run_peer(name: str, make: Callable[[], Rank]) -> Trial:
        return run_trial(name, make, questions, Silent())

    own = run_peer("graph", partial(open_contender, "graph", ground))
    found = [Peer("Hopgrade, graph", sum(seconds[stage] for stage in INDEX), own)]
    started = perf_counter()
    linear = LinearRag(ready.passages, ready.embedder)
    took = perf_counter() - started
    ranked = run_peer("LinearRAG", lambda: lambda question: linear.rank(question, LIMIT))
    found.append(Peer("LinearRAG's algorithm", took, ranked))
    if find_spec("neo4j_graphrag") is None:
        print(f"neo4j-graphrag is not installed, and left out. Install: {INSTALL}")
        return found
    took = _library_index(ground.graph, ready.passages, ready.embedder)
    with ground_for(ground, list(GRAPHRAG)):
        for name, label in GRAPHRAG.items():
            found.append(Peer(label, took, run_peer(name, partial(open_contender, name, ground))))
    return found


def _library_index(graph: Graph, passages: Sequence[BenchmarkPassage], embedder: Embedder) -> float:
    """Seconds that neo4j-graphrag takes to embed passages and to write them with their order."""
    from neo4j_graphrag.components.embedder import TextChunkEmbedder  # noqa: PLC0415
    from neo4j_graphrag.components.kg_writer import Neo4jWriter  # noqa: PLC0415
    from neo4j_graphrag.components.lexical_graph import LexicalGraphBuilder  # noqa: PLC0415
    from neo4j_graphrag.components.types import LexicalGraphConfig, Neo4jGraph, TextChunk, TextChunks  # noqa: PLC0415
    from neo4j_graphrag.indexes import create_vector_index  # noqa: PLC0415

    from services.benchmarks.graphrag import SharedEmbedder  # noqa: PLC0415

    # Under a label of its own: chunks of ours carry "Chunk".
    config = LexicalGraphConfig(chunk_node_label="PeerChunk", document_node_label="PeerDocument")

    async def work() -> None:
        chunks = TextChunks(chunks=[TextChunk(text=one.whole, index=at) for at, one in enumerate(passages)])
        vectors = await TextChunkEmbedder(SharedEmbedder(embedder)).run(text_chunks=chunks)
        built = await LexicalGraphBuilder(config).run(text_chunks=vectors)
        with lent_driver(graph, "neo4j-graphrag") as driver:
            # Its edges (which chunk follows which) need the plugin APOC, and no retriever here reads them.
            nodes = Neo4jGraph(nodes=built.graph.nodes)
            await Neo4jWriter(driver, graph.database).run(graph=nodes, lexical_graph_config=config)
            create_vector_index(
                driver, "peer_chunks", "PeerChunk", "embedding", embedder.dimensions, "cosine",
                neo4j_database=graph.database,
            )  # fmt: skip
            driver.execute_query(query("store/await_indexes").text, database_=graph.database)

    started = perf_counter()
    asyncio.run(work())
    return perf_counter() - started


def _compare_peers(ready: ReadySet, peers: Sequence[Peer]) -> list[str]:
    result = measure_trials(ready, [peer.trial for peer in peers], peers[0].trial.name, seed=0)
    ours = peers[0]
    rows = [
        [
            peer.name,
            f"{peer.index_seconds:.1f}",
            f"{peer.index_seconds / ours.index_seconds:.2f}",
            f"{1000 * peer.trial.latency.median:.0f}",
            f"{1000 * peer.trial.latency.p95:.0f}",
            f"{peer.trial.latency.median / ours.trial.latency.median:.2f}",
            *(f"{system.means[measure].value:.3f}" for measure in ("Recall@5", "AllGold@10")),
        ]
        for peer, system in zip(peers, result.systems, strict=True)
    ]
    heads = ["system", "index s", "ratio", "median ms", "p95 ms", "ratio", "Recall@5", "AllGold@10"]
    sizes = f"{ready.files.name}: {len(ready.passages):,} passages, {len(ready.questions)} questions"
    return [sizes, markdown_table(heads, rows)]


if __name__ == "__main__":
    main()
