"""The same personalised PageRank, walked by the graph data science plugin inside Neo4j.

The plugin keeps a projection of the graph in the server's memory. It is made once a version of the corpus, of
the edges that the engine in memory walks on, and the one before is dropped; seeds are the same as well.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from kg.errors import StoreTooOldError
from kg.ids import content_hash
from kg.queries import query
from kg.store.graph import Graph
from services.rag.graph_search.cache import Prepared
from services.rag.graph_search.entity_graph import Containment, Mass, Seeds
from services.rag.graph_search.search import GraphIndex, begin
from services.rag.protocol import Asked, Hit
from services.rag.retrieval.from_snapshot import Embed
from services.rag.retrieval.pagerank import SETTINGS, hits_of

ITERATIONS = 60
TOLERANCE = 1e-12
"""So many steps, or fewer once no mass changes by more: beyond what ranks are decided by."""


@dataclass(frozen=True, slots=True)
class GdsPageRank:
    """`search_pagerank` with the plugin as its engine: equal rankings, scores to six digits."""

    graph: Graph
    corpus: str
    prepared: Prepared[GraphIndex]
    embed: Embed
    limit: int = 10

    @property
    def name(self) -> str:
        """The name that a run records."""
        return f"pagerank-gds-{self.limit}"

    def retrieve(self, questions: Sequence[Asked]) -> list[list[Hit]]:
        """For each question its hits, best first; one walk a question.

        Raises:
            NothingToDoError: the graph of the corpus is not built, or is being built.
        """
        if not questions:
            return []
        snapshot, index = self.prepared.current()
        graph = index.graph.containment
        projected = self._project(snapshot.version, graph) if graph.weights.nnz else ""
        found = []
        for begun in begin(snapshot, index, questions, self.embed, self.limit):
            seeds = begun.walked.seeds
            masses = self._walk(projected, graph, seeds)
            found.append(hits_of(snapshot, begun.opened.asked, seeds, masses, self.limit))
        return found

    def _project(self, version: str, graph: Containment) -> str:
        """The name of the projection of this version, which is made where it is not there."""
        prefix = f"hopgrade-{content_hash((self.corpus,))}-"
        name = prefix + version
        there = [row["name"] for row in self.graph.rows(query("gds/list_graphs"), prefix=prefix)]
        for old in there:
            if old != name:
                self.graph.rows(query("gds/drop_graph"), name=old)
        if name not in there:
            edges = graph.weights.tocoo()
            self.graph.rows(
                query("gds/project_edges"),
                name=name,
                starts=edges.row.tolist(),
                ends=(edges.col + graph.weights.shape[0]).tolist(),
                weights=edges.data.tolist(),
            )
        return name

    def _walk(self, projected: str, graph: Containment, seeds: Seeds) -> Mass:
        """The masses of the chunks after a walk; one without edges is in no projection and keeps its own."""
        masses = (1 - SETTINGS.damping) * seeds.chunks
        entities = seeds.entities * (np.diff(graph.weights.indptr) > 0)
        chunks = seeds.chunks * (np.diff(graph.to_entities.indptr) > 0)
        # Chunks are numbered after the entities.
        everywhere = np.concatenate((entities, chunks))
        started = np.flatnonzero(everywhere)
        if not len(started):
            return masses
        found = self.graph.stream(
            query("gds/walk_from_seeds"),
            name=projected,
            seeds=[
                [node, mass]
                for node, mass in zip(started.tolist(), everywhere[started].tolist(), strict=True)
            ],
            first=len(entities),
            damping=SETTINGS.damping,
            iterations=ITERATIONS,
            tolerance=TOLERANCE,
        )
        for row in found:
            masses[row["node"] - len(entities)] = row["mass"]
        return masses


def require_plugin(graph: Graph) -> None:
    """Make sure that the server has the plugin.

    Raises:
        StoreTooOldError: it has not.
    """
    if not graph.rows(query("gds/is_installed"))[0]["installed"]:
        raise StoreTooOldError(
            "this Neo4j has no graph data science plugin, which pagerank-gds needs.",
            "Use pagerank, or start the managed server with it: kg server stop, then kg server start --gds.",
        )
