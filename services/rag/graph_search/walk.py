"""Personalised PageRank on the graph of entities and chunks, in as many steps as its rankings need."""

from services.rag.graph_search.containment import Containment, Mass, Seeds, Walked
from services.rag.graph_search.settings import GraphSettings


def walk(graph: Containment, seeds: Seeds, settings: GraphSettings) -> Walked:
    """The masses to which a walk comes that goes on with the probability `damping` or starts again.

    Power iteration of Haveliwala, Topic-Sensitive PageRank, 2002. Mass at a node without edges is lost;
    elsewhere it is kept.
    """
    return Walked(
        graph,
        seeds,
        lambda: _masses(graph, seeds, settings, of_chunks=False),
        _masses(graph, seeds, settings, of_chunks=True),
        settings.damping,
    )


def _masses(graph: Containment, seeds: Seeds, settings: GraphSettings, of_chunks: bool) -> Mass:
    """The masses of one side after all steps.

    Every edge leads from one side to the other, so that they follow from those of the other side a step
    before, and so on back: half of the work for both.
    """
    from_nodes, from_chunks = graph.to_chunks.T, graph.to_entities.T
    damping = settings.damping
    node_starts, chunk_starts = (1 - damping) * seeds.entities, (1 - damping) * seeds.chunks
    at_chunks = of_chunks == (settings.steps % 2 == 0)
    masses = seeds.chunks if at_chunks else seeds.entities
    for _ in range(settings.steps):
        masses = from_chunks @ masses if at_chunks else from_nodes @ masses
        at_chunks = not at_chunks
        # In place: at 100,000 chunks there are close to a million nodes.
        masses *= damping
        masses += chunk_starts if at_chunks else node_starts
    return masses
