"""The graph of what contains what, names on one side and chunks on the other, and a walk over it."""

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_matrix, diags_array

UNNAMED = frozenset({"DATE", "NUMBER", "CONCEPT"})
"""Types of entities that are no nodes: they join what has nothing to do with each other."""

Mass = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Containment:
    """The graph: edge weights, shape (nodes, chunks), and what each side gives to the other.

    Rows of `to_chunks` (nodes, chunks) and `to_entities` (chunks, nodes) add up to 1, or to 0 where there is
    no edge. The first nodes are the entities of the snapshot.
    """

    weights: csr_matrix
    to_chunks: csr_matrix
    to_entities: csr_matrix


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where a walk starts again: masses of nodes and chunks that add up to 1."""

    entities: Mass
    chunks: Mass


@dataclass(frozen=True, slots=True)
class Walked:
    """The mass of each node and each chunk at the end of a walk, and what it walked on."""

    graph: Containment
    seeds: Seeds
    entities: Mass
    chunks: Mass
    damping: float


def from_weights(weights: csr_matrix) -> Containment:
    """A graph from its edge weights, shape (nodes, chunks)."""
    return Containment(weights, _shares(weights), _shares(weights.T.tocsr()))


def _shares(weights: csr_matrix) -> csr_matrix:
    totals = np.asarray(weights.sum(axis=1)).ravel()
    scale = np.divide(1.0, totals, out=np.zeros_like(totals, dtype=np.float64), where=totals > 0)
    return csr_matrix(diags_array(scale) @ weights)
