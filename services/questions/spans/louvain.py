"""Communities of a graph by the Louvain method (Blondel et al. 2008), with equal results from run to run.

Each node in turn goes to the neighbouring community where modularity (Newman and Girvan 2004) grows most;
then communities become nodes, until nothing moves. Nodes come in the order of a seeded draw, and of equal
gains the community with the lowest number wins.
"""

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import coo_array, csr_array

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
