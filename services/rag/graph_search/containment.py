"""The graph of what contains what, names on one side and chunks on the other, and a walk over it."""

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csc_matrix, csr_matrix, diags_array

UNNAMED = frozenset({"DATE", "NUMBER", "CONCEPT"})
"""Types of entities that are no nodes: they join what has nothing to do with each other."""

Mass = NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Containment:
    """The graph: edge weights, shape (nodes, chunks), and what each side gives to the other.

    Rows of `to_chunks` (nodes, chunks) and `to_entities` (chunks, nodes) add up to 1, or to 0 where there is
    no edge. The first nodes are the entities of the snapshot. Where nodes are joined to nodes as well, what
    they give each other is `among` (nodes, nodes), and its rows and those of `to_chunks` together add up to
    1.

    Both lie in memory chunk by chunk: most nodes stand in one chunk, and a walk takes a quarter of the time.
    """

    weights: csr_matrix
    to_chunks: csc_matrix
    to_entities: csr_matrix
    among: csr_matrix | None = None


@dataclass(frozen=True, slots=True)
class Seeds:
    """Where a walk starts again: masses of nodes and chunks that add up to 1."""

    entities: Mass
    chunks: Mass


@dataclass(frozen=True)
class Walked:
    """The mass of each node and each chunk at the end of a walk, and what it walked on.

    `of_nodes` gives the masses of the nodes: only an explanation asks for them.
    """

    graph: Containment
    seeds: Seeds
    of_nodes: Callable[[], Mass]
    chunks: Mass
    damping: float

    @cached_property
    def entities(self) -> Mass:
        """The mass of each node."""
        return self.of_nodes()


def from_weights(weights: csr_matrix, among: csr_matrix | None = None) -> Containment:
    """A graph from its edge weights, shape (nodes, chunks), and those `among` nodes, shape (nodes, nodes)."""
    of_nodes, of_chunks = _totals(weights), _totals(weights.T.tocsr())
    if among is not None:
        of_nodes += _totals(among)
    return Containment(
        weights,
        _shares(weights, of_nodes).tocsc(),
        _shares(weights.T.tocsr(), of_chunks),
        None if among is None else _shares(among, of_nodes),
    )


def _totals(weights: csr_matrix) -> Mass:
    totals: Mass = np.asarray(weights.sum(axis=1), dtype=np.float64).ravel()
    return totals


def _shares(weights: csr_matrix, totals: Mass) -> csr_matrix:
    scale = np.divide(1.0, totals, out=np.zeros_like(totals), where=totals > 0)
    return csr_matrix(diags_array(scale) @ weights)
