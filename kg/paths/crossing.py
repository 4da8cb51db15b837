"""Which pairs need more than one article: no single article holds one of their shortest paths whole.

Each article is a small graph of its own. A walk inside one of them that is as long as the distance of its
ends in the whole graph is a shortest path; a pair that has one does not need a second article.
"""

import numpy as np
from scipy.sparse import csr_array

from kg.paths.edges import EdgeTable
from kg.paths.protocol import Reach
from kg.paths.sparse import Arcs, boolean_matrix


class WithinArticles:
    """Walks that stay in one article, beside the search of an engine over the same arcs."""

    def __init__(self, table: EdgeTable, arcs: Arcs) -> None:
        self._entities = len(table.entities)
        self.articles = len(np.unique(table.article[arcs.edge]))
        article = table.article[arcs.edge].astype(np.int64) * self._entities
        ends = np.concatenate((article + arcs.tail, article + arcs.head))
        places, place = np.unique(ends, return_inverse=True)
        tails, heads = place[: len(arcs.tail)].astype(np.int32), place[len(arcs.tail) :].astype(np.int32)
        here, entity = np.arange(len(places), dtype=np.int32), (places % self._entities).astype(np.int32)
        self._steps = boolean_matrix(tails, heads, (len(places), len(places)))
        self._entity_of = boolean_matrix(here, entity, (len(places), self._entities))
        self._places_of = boolean_matrix(entity, here, (self._entities, len(places)))
        self._frontier = self._steps

    def pairs_held(self, reach: Reach) -> int:
        """How many of these pairs a single article leads through; levels must come in their order."""
        if self.articles < 2:
            return len(reach.ends)
        if reach.hops == 1:
            self._frontier = self._places_of[reach.sources]
        self._frontier = self._frontier @ self._steps
        shape = (len(reach.sources), self._entities)
        level = csr_array((np.ones(len(reach.ends), np.bool_), reach.ends, reach.offsets), shape=shape)
        return int((self._frontier @ self._entity_of).multiply(level).nnz)
