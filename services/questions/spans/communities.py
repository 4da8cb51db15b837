"""Communities of entities that facts join: by Leiden where the server has it, else by Louvain.

Both maximise modularity over the same edges, as often as there are facts between two entities. Leiden
(Traag, Waltman and van Eck 2019) runs inside a server with graph data science; without, the older method
runs here. They need not agree, so what rests on communities is kept with what was made of it.

Communities of a graph by the Louvain method (Blondel et al. 2008), with equal results from run to run.

Each node in turn goes to the neighbouring community where modularity (Newman and Girvan 2004) grows most;
then communities become nodes, until nothing moves. Nodes come in the order of a seeded draw, and of equal
gains the community with the lowest number wins.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

from kg.queries import query
from kg.store.graph import Graph, Row
from services.entity_projection import entity_projection, has_gds

Labels = NDArray[np.intp]

LEAST_GAIN = 1e-12
"""A gain of modularity, times the whole weight, below which it is rounding."""
MOST_SWEEPS = 100


def louvain(weights: csr_array, generator: np.random.Generator) -> Labels:
    """The community of each of n nodes, 0 for the largest; of equal size the one with the first node.

    `weights` are those of undirected edges, symmetric, shape (n, n); a node without an edge stays alone.
    """
    labels = np.arange(weights.shape[0], dtype=np.intp)
    level = weights.astype(np.float64)
    while True:
        moved = _sweep(level, generator)
        found, merged = np.unique(moved, return_inverse=True)
        if len(found) == level.shape[0]:
            return _by_size(labels)
        labels = merged[labels]
        level = _joined(level, merged, len(found))


def _sweep(weights: csr_array, generator: np.random.Generator) -> Labels:
    """Move nodes between communities until none gains: the community of each."""
    size = weights.shape[0]
    degrees: list[float] = np.asarray(weights.sum(axis=1), np.float64).ravel().tolist()
    starts, ends, values = weights.indptr.tolist(), weights.indices.tolist(), weights.data.tolist()
    whole = sum(degrees)
    community = list(range(size))
    inside = list(degrees)
    order = generator.permutation(size).tolist()
    for _ in range(MOST_SWEEPS if whole else 0):
        changed = False
        for node in order:
            here, degree = community[node], degrees[node]
            inside[here] -= degree
            joins = {here: 0.0}
            for at in range(starts[node], starts[node + 1]):
                if ends[at] != node:
                    other = community[ends[at]]
                    joins[other] = joins.get(other, 0.0) + values[at]
            best, most = here, joins[here] - degree * inside[here] / whole
            for other in sorted(joins):
                gain = joins[other] - degree * inside[other] / whole
                if gain > most + LEAST_GAIN * whole:
                    best, most = other, gain
            inside[best] += degree
            community[node] = best
            changed = changed or best != here
        if not changed:
            break
    return np.array(community, np.intp)


def _joined(weights: csr_array, labels: Labels, size: int) -> csr_array:
    """The graph of communities: weights between them added up, those within them as loops."""
    edges = weights.tocoo()
    ends = (labels[edges.row], labels[edges.col])
    return coo_array((edges.data, ends), shape=(size, size)).tocsr()


def _by_size(labels: Labels) -> Labels:
    _, first, codes, sizes = np.unique(labels, return_index=True, return_inverse=True, return_counts=True)
    places = np.empty(len(sizes), np.intp)
    places[np.lexsort((first, -sizes))] = np.arange(len(sizes))
    numbered: Labels = places[codes]
    return numbered


SEED = 0
GAMMA = 1.0
FEWEST_MEMBERS = 2
"""An entity without a fact is a community of its own, which tells nothing."""


def read_communities(graph: Graph, corpus: str) -> dict[str, int]:
    """The community of each entity that a fact joins to another, 0 for the largest."""
    if has_gds(graph):
        with entity_projection(graph, corpus, mirrored=False, use="evidence clusters") as name:
            rows = graph.rows(query("gds/read_communities"), name=name, seed=SEED, gamma=GAMMA)
        return number_communities({row["entity"]: row["community"] for row in rows})
    return communities_of_edges(graph.stream(query("spans/read_edges"), corpus=corpus))


def communities_of_edges(rows: Iterable[Row]) -> dict[str, int]:
    """The same by Louvain, from the rows of `spans/read_edges`; their order has no influence."""
    weights: Counter[tuple[str, str]] = Counter()
    for row in rows:
        weights[row["one"], row["other"]] += row["facts"]
    entities = sorted({entity for edge in weights for entity in edge})
    place = {entity: at for at, entity in enumerate(entities)}
    edges = sorted(weights.items())
    tails = np.array([place[one] for (one, _), _ in edges], np.intp)
    heads = np.array([place[other] for (_, other), _ in edges], np.intp)
    facts = np.array([number for _, number in edges], np.float64)
    size = len(entities)
    one_way = coo_array((facts, (tails, heads)), shape=(size, size)).tocsr()
    labels = louvain(csr_array(one_way + one_way.T), np.random.default_rng(SEED)) if size else np.array([])
    return number_communities(dict(zip(entities, labels.tolist(), strict=True)))


def number_communities(found: Mapping[str, int]) -> dict[str, int]:
    """Communities of two and more entities, numbered by size; of equal size the one with the first id."""
    members: dict[int, list[str]] = defaultdict(list)
    for entity, community in found.items():
        members[community].append(entity)
    told = [sorted(group) for group in members.values() if len(group) >= FEWEST_MEMBERS]
    told.sort(key=lambda group: (-len(group), group[0]))
    return {entity: number for number, group in enumerate(told) for entity in group}
