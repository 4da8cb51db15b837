"""Where a walk starts: what the question names, what it is like, and later what the first hits name."""

from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from services.rag.graph_search.containment import Mass, Seeds
from services.rag.graph_search.entity_graph import EntityGraph
from services.rag.graph_search.likeness import Scores, scaled
from services.rag.graph_search.link import names_in
from services.rag.graph_search.named import Named
from services.rag.graph_search.settings import GraphSettings
from services.rag.graph_search.snapshot import Indexes


def question_names(graph: EntityGraph, question: str) -> list[Named]:
    """The nodes that a question names, the rarest first.

    The weight is 1 / the number of chunks where the node stands, shared where the words may mean several.
    """
    best: dict[int, Named] = {}
    for found in names_in(graph.names, question):
        for node in filter(graph.stands, found.nodes):
            named = Named(found.words, node, 1 / (float(graph.frequency[node]) * len(found.nodes)))
            if node not in best or best[node].weight < named.weight:
                best[node] = named
    return sorted(best.values(), key=lambda named: (-named.weight, named.entity))


def question_seeds(
    graph: EntityGraph, named: Iterable[Named], likeness: Scores, settings: GraphSettings
) -> Seeds:
    """Seeds of the first walk, masses adding up to 1."""
    nodes = np.zeros(len(graph.frequency))
    for one in named:
        nodes[one.entity] = one.weight
    return _seeds(nodes, likeness, settings)


def anchor_seeds(
    graph: EntityGraph,
    named: Iterable[Named],
    anchors: Indexes,
    strengths: NDArray[np.float64],
    likeness: Scores,
    settings: GraphSettings,
) -> Seeds:
    """Seeds of the second walk: what the anchors, chunks found so far, name and the question does not.

    Each anchor gives mass by its strength to its nodes, by how rare they are.
    """
    asked = np.zeros(len(graph.frequency), dtype=np.bool_)
    asked[[one.entity for one in named]] = True
    nodes = np.zeros(len(graph.frequency))
    for anchor, strength in zip(anchors, strengths / max(float(strengths.sum()), 1e-9), strict=True):
        start, end = graph.contained.indptr[anchor : anchor + 2]
        held = graph.contained.indices[start:end]
        rarity = np.where(asked[held], 0.0, 1 / graph.frequency[held])
        nodes[held] += strength * rarity / max(float(rarity.sum()), settings.anchor_specific)
    return _seeds(nodes, likeness, settings)


def _seeds(nodes: Mass, likeness: Scores, settings: GraphSettings) -> Seeds:
    total = float(nodes.sum())
    if total > 0:
        nodes = nodes / total * min(1.0, total / settings.specific)
    chunks = settings.chunk_share * _near(likeness, settings)
    whole = float(nodes.sum() + chunks.sum())
    return Seeds(nodes / whole, chunks / whole) if whole > 0 else Seeds(nodes, chunks)


def _near(likeness: Scores, settings: GraphSettings) -> Mass:
    """Masses of the likest chunks, adding up to 1 where any is like the question."""
    near = scaled(likeness) ** settings.chunk_power
    if len(near) > settings.chunks_seeded:
        near[near < np.partition(near, -settings.chunks_seeded)[-settings.chunks_seeded]] = 0
    total = float(near.sum())
    masses: Mass = near / total if total > 0 else near
    return masses
