"""A judged comparison over the small world, and a process that runs one until somebody kills it.

`python -m tests.services.comparison.small_standard FOLDER` is that process.
"""

import sys
from dataclasses import replace
from pathlib import Path

from kg.connect import open_graph
from kg.embed.choose import Embedder, embedder_of
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph
from services.comparison.beginning import FirstOptions, begin_standard, protocol_text
from services.comparison.folder import PROTOCOL_FILE
from services.comparison.protocol import Protocol
from services.comparison.protocol_file import read_protocol
from services.comparison.run import CompletedComparison, RunOrder, open_budgets, run_standard
from services.runs.records import drop_run, list_runs
from tests.graph_reading import change
from tests.small_world import tools

OPTIONS = FirstOptions(name="small", questions=8, pool_size=8, evidence_tokens=128)


def begin(graph: Graph, corpus: str, folder: Path, name: str, **changes: object) -> Protocol:
    """A comparison of top-k and MMR under a name, with fields of its protocol changed."""
    begun = begin_standard(
        graph, corpus, folder, replace(OPTIONS, name=name), Settings(), tools().embedder, Silent()
    )
    document = begun.protocol.model_dump(mode="json")
    document["systems"] = [one for one in document["systems"] if one["name"] in {"top-k", "mmr"}]
    document["hypotheses"] = [one for one in document["hypotheses"] if one["system"] == "mmr"]
    document["inference"]["draws"] = 1_000
    protocol = Protocol.model_validate(document | changes)
    write(folder, protocol)
    return protocol


def write(folder: Path, protocol: Protocol) -> None:
    """Put a protocol into its folder."""
    (folder / PROTOCOL_FILE).write_text(protocol_text(protocol), encoding="utf-8")


def run(
    graph: Graph,
    folder: Path,
    look: int | None = None,
    settings: Settings | None = None,
    embedder: Embedder | None = None,
) -> CompletedComparison:
    """Run the comparison in a folder, or go on with it."""
    protocol, given = read_protocol(folder), settings or Settings()
    return run_standard(
        graph,
        protocol,
        folder,
        RunOrder(look),
        given,
        embedder or tools().embedder,
        Silent(),
        open_budgets(protocol, given),
    )


def forget(graph: Graph, corpus: str) -> None:
    """Delete the comparisons of a corpus, and the runs that were made for them."""
    change(graph, "MATCH (s:Standard {corpus: $corpus}) DETACH DELETE s", corpus=corpus)
    for row in list_runs(graph, corpus):
        if row["name"].startswith("test-") or "/" in row["name"]:
            drop_run(graph, corpus, row["name"])


def main() -> None:
    """Run until somebody kills this process."""
    folder, settings = Path(sys.argv[1]), Settings()
    with open_graph(settings, Silent()) as graph:
        corpus = read_protocol(folder).dataset.corpus
        run(graph, folder, None, settings, embedder_of(graph, corpus, settings))


if __name__ == "__main__":
    main()
