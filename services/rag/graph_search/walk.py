"""Personalised PageRank on the graph of entities and chunks, in as many steps as its rankings need."""

from services.rag.graph_search.containment import Containment, Seeds, Walked
from services.rag.graph_search.settings import GraphSettings


def walk(graph: Containment, seeds: Seeds, settings: GraphSettings) -> Walked:
    """The masses to which a walk comes that goes on with the probability `damping` or starts again.

    Power iteration of Haveliwala, Topic-Sensitive PageRank, 2002. Mass at a node without edges is lost;
    elsewhere it is kept.
    """
    from_nodes, from_chunks = graph.to_chunks.T, graph.to_entities.T
    damping = settings.damping
    node_starts, chunk_starts = (1 - damping) * seeds.entities, (1 - damping) * seeds.chunks
    nodes, chunks = seeds.entities, seeds.chunks
    for _ in range(settings.steps):
        nodes, chunks = from_chunks @ chunks, from_nodes @ nodes
        # In place: at 100,000 chunks there are close to a million nodes.
        nodes *= damping
        nodes += node_starts
        chunks *= damping
        chunks += chunk_starts
    return Walked(graph, seeds, nodes, chunks, damping)
