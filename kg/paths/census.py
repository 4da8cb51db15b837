"""How many ordered pairs of entities lie at each distance, and how many of them need two articles.

Which pairs need more than one article: no single article holds one of their shortest paths whole.

Each article is a small graph of its own. A walk inside one of them that is as long as the distance of its
ends in the whole graph is a shortest path; a pair that has one does not need a second article.
"""

from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from kg.paths.edges import EdgeTable
from kg.paths.protocol import PathEngine, Reach
from kg.paths.sparse import Arcs, SparseEngine, boolean_matrix
from kg.paths.walk import MAX_HOPS, Walk
from kg.progress import Progress, Silent


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


@dataclass(frozen=True, slots=True)
class Census:
    """Ordered pairs at 1, 2, ... 5 hops; `crossing` are those that no single article leads through.

    `crossing` is None where the engine did not count it. `starts` is how many entities a path may start from.
    """

    pairs: tuple[int, ...]
    crossing: tuple[int, ...] | None
    starts: int


def census(table: EdgeTable, walk: Walk | None = None, block: int | None = None) -> Census:
    """Count the pairs of an edge table in memory, with those that need two articles."""
    return census_by(SparseEngine(table, walk, block), table=table)


def census_by(engine: PathEngine, table: EdgeTable | None = None, progress: Progress | None = None) -> Census:
    """Count by an engine; only the sparse one over `table` counts the pairs that need two articles."""
    progress = progress or Silent()
    within = (
        WithinArticles(table, engine.arcs) if table is not None and isinstance(engine, SparseEngine) else None
    )
    pairs, held = [0] * MAX_HOPS, [0] * MAX_HOPS
    sources = engine.sources()
    progress.step(f"pairs by the {engine.name} engine", len(sources))
    for reach in engine.reach(sources):
        pairs[reach.hops - 1] += len(reach.ends)
        if within is not None:
            held[reach.hops - 1] += within.pairs_held(reach)
        if reach.hops == 1:
            progress.advance(len(reach.sources))
    crossing = tuple(one - other for one, other in zip(pairs, held, strict=True)) if within else None
    return Census(tuple(pairs), crossing, len(sources))
