"""The engine in memory: the edges as a sparse matrix, searched in blocks of sources.

A step is a product of boolean matrices, the frontier of every source of a block times the edges; what was
seen before is struck out. Memory is bounded by the block: at most some 20 bytes for each source of it and
each entity that one step reaches. By the same matrix the census counts all pairs by distance.
"""

from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from functools import partial

import numpy as np
from numpy.typing import NDArray
from scipy.sparse import csr_array

from kg.paths.protocol import (
    MAX_HOPS,
    NOTHING,
    Arc,
    EdgeTable,
    Elsewhere,
    Ints,
    Leaving,
    Offsets,
    Pair,
    PathEngine,
    Reach,
    Reaching,
    Walk,
    Web,
    Without,
    arc_order,
    entity_label,
    predicate_form,
)
from kg.progress import Progress, Silent

BLOCK = 512
BLOCK_CELLS = 2**25
"""Sources times entities of a block at most, so that large graphs get smaller blocks: 32 MiB for each array
of a byte a cell."""
PAIRS_A_BLOCK = 64
"""Pairs whose paths are walked back at once: each may bring all edges that end in a hub."""


def _find_allowed(table: EdgeTable, edge: Ints, without: Collection[str]) -> NDArray[np.bool_]:
    """Which of some edges are not of these ids."""
    return np.fromiter((table.ids[at] not in without for at in edge), np.bool_, len(edge))


class Arcs:
    """The steps that a walk allows, each edge once for each direction in which it may be walked."""

    def __init__(self, table: EdgeTable, walk: Walk, without: Without = NOTHING) -> None:
        edge = np.arange(table.size, dtype=np.int32)
        if not walk.mirrored:
            edge = edge[~table.mirrored]
        back = edge[_find_allowed(table, edge, without.backwards)]
        edge = edge[_find_allowed(table, edge, without.forwards)]
        tail, head = table.start[edge], table.end[edge]
        if walk.undirected:
            tail, head = np.append(tail, table.end[back]), np.append(head, table.start[back])
            edge = np.append(edge, back)
            kept = ~table.hub[tail] & (walk.literals_inside | ~table.literal[tail])
            tail, head, edge = tail[kept], head[kept], edge[kept]
        self.tail: Ints = tail
        self.head: Ints = head
        self.edge: Ints = edge


class SparseEngine:
    """Paths over an edge table in memory."""

    name = "sparse"

    def __init__(
        self,
        table: EdgeTable,
        walk: Walk | None = None,
        block: int | None = None,
        without: Without = NOTHING,
    ) -> None:
        """`block` is how many sources are searched at once; by default 512, fewer in a large graph."""
        self.entities: Sequence[str] = table.entities
        self.labels: Sequence[str] = tuple(map(entity_label, table.names, table.literal.tolist()))
        self.types: Sequence[str] = table.types
        self.arcs = Arcs(table, walk or Walk(), without)
        self.block = block or default_block(len(table.entities))
        self._table = table
        self._steps = boolean_matrix(self.arcs.tail, self.arcs.head, (len(table.entities),) * 2)
        by_head = np.argsort(self.arcs.head, kind="stable")
        self._in_tail: Ints = self.arcs.tail[by_head]
        self._in_edge: Ints = self.arcs.edge[by_head]
        counts = np.bincount(self.arcs.head, minlength=len(table.entities))
        self._in_offsets: Offsets = np.concatenate(([0], np.cumsum(counts)))
        self._ends: dict[tuple[bool, bool], tuple[Offsets, Offsets]] = {}
        forms = [predicate_form(predicate) for predicate in table.predicates]
        self._forms = {form: number for number, form in enumerate(dict.fromkeys(forms))}
        self._form_of = np.array([self._forms[form] for form in forms], np.int64)

    def sources(self) -> Ints:
        """The entities that a path may start from, ascending."""
        return np.flatnonzero(np.diff(self._steps.indptr)).astype(np.int32)

    def count_edges(self) -> Sequence[int]:
        """At how many edges each entity stands."""
        size = len(self.entities)
        start, end = (np.bincount(side, minlength=size) for side in (self._table.start, self._table.end))
        counts: list[int] = (start + end).tolist()
        return counts

    def count_ends(self, asked: Sequence[Leaving], *, backwards: bool = False) -> list[int]:
        """To how many other entities each of some entities leads by a predicate; backwards, from how many."""
        return [self._count(self._counted_ends(one.mirrored, backwards), one) for one in asked]

    def _count(self, counted: tuple[Offsets, Offsets], one: Leaving) -> int:
        keys, counts = counted
        number = self._forms.get(predicate_form(one.predicate))
        if number is None:
            return 0
        key = one.tail * len(self._forms) + number
        at = int(np.searchsorted(keys, key))
        return int(counts[at]) if at < len(keys) and keys[at] == key else 0

    def _counted_ends(self, mirrored: bool, backwards: bool) -> tuple[Offsets, Offsets]:
        """Tails with forms of predicates as sorted keys, and to how many entities each leads."""
        found = self._ends.get((mirrored, backwards))
        if found is None:
            found = self._ends[mirrored, backwards] = self._count_all_ends(mirrored, backwards)
        return found

    def _count_all_ends(self, mirrored: bool, backwards: bool) -> tuple[Offsets, Offsets]:
        edges = self.arcs.edge
        places = np.arange(len(edges)) if mirrored else np.flatnonzero(~self._table.mirrored[edges])
        sides = (self.arcs.tail[places], self.arcs.head[places])
        tails, heads = sides[::-1] if backwards else sides
        keys = tails * np.int64(len(self._forms)) + self._form_of[self._table.predicate[edges[places]]]
        order = np.lexsort((heads, keys))
        keys, heads = keys[order], heads[order]
        new = np.ones(len(keys), np.bool_)
        new[1:] = (keys[1:] != keys[:-1]) | (heads[1:] != heads[:-1])
        return np.unique(keys[new], return_counts=True)

    def reach(self, sources: Ints, max_hops: int = MAX_HOPS) -> Iterator[Reach]:
        """Everybody within so many hops of the sources, a block of sources after the other."""
        return reach_in_blocks(self._steps, self.block, sources, max_hops)

    def elsewhere(self) -> Elsewhere:
        """The search by the steps alone."""
        return Elsewhere(partial(_open_reach, self.block), (self._steps.indptr, self._steps.indices))

    def webs(self, pairs: Sequence[Pair]) -> list[Web]:
        """All shortest paths of each pair."""
        order = sorted(range(len(pairs)), key=lambda number: pairs[number])
        found: list[Web] = [()] * len(pairs)
        size = min(PAIRS_A_BLOCK, self.block)
        for first in range(0, len(order), size):
            numbers = order[first : first + size]
            for number, web in zip(numbers, self._webs_of([pairs[n] for n in numbers]), strict=True):
                found[number] = web
        return found

    def _webs_of(self, pairs: Sequence[Pair]) -> list[Web]:
        """Walk back from all ends at once, over arcs that come a hop nearer to the start."""
        start, end, hops = np.array(pairs, np.int64).reshape(-1, 3).T
        starts, row = np.unique(start, return_inverse=True)
        distances = self._distances(starts.astype(np.int32), int(hops.max(initial=1)) - 1)
        steps: list[list[list[Arc]]] = [[[] for _ in range(pair.hops)] for pair in pairs]
        entities = len(self.entities)
        cells = np.arange(len(pairs)) * entities + end
        for back in range(1, MAX_HOPS + 1):
            cells = cells[hops[cells // entities] >= back]
            number, head = cells // entities, cells % entities
            first, last = self._in_offsets[head], self._in_offsets[head + 1]
            places, lengths = ranges(first, last), last - first
            number, head = np.repeat(number, lengths), np.repeat(head, lengths)
            kept = distances[row[number], self._in_tail[places]] == hops[number] - back
            number, head, places = number[kept], head[kept], places[kept]
            edge, tail = self._in_edge[places], self._in_tail[places]
            columns = (column.tolist() for column in (number, edge, tail, head))
            for pair, *arc in zip(*columns, strict=True):
                steps[pair][-back].append(self._arc(*arc))
            cells = np.unique(number * entities + tail)
        return [tuple(self._in_order(arcs) for arcs in found) for found in steps]

    def _in_order(self, arcs: list[Arc]) -> tuple[Arc, ...]:
        return tuple(sorted(arcs, key=lambda arc: arc_order(arc, self.labels)))

    def _distances(self, sources: Ints, max_hops: int) -> NDArray[np.int8]:
        """Hops from each source to every entity; -1 where that is farther."""
        distances = np.full((len(sources), len(self.entities)), -1, np.int8)
        rows = np.arange(len(sources), dtype=np.int32)
        distances[rows, sources] = 0
        for reach in _reach_of(self._steps, sources, max_hops):
            distances[np.repeat(rows, np.diff(reach.offsets)), reach.ends] = reach.hops
        return distances

    def _arc(self, edge: int, tail: int, head: int) -> Arc:
        table = self._table
        claim, article, category = table.claim[edge], table.article[edge], table.category[edge]
        return Arc(
            table.ids[edge],
            tail,
            head,
            table.claims[claim],
            table.articles[article],
            table.categories[category],
            bool(table.mirrored[edge]),
            (table.words[article], int(table.offset[edge]), table.predicates[table.predicate[edge]]),
        )


def reach_in_blocks(steps: csr_array, block: int, sources: Ints, max_hops: int = MAX_HOPS) -> Iterator[Reach]:
    """Everybody within so many hops of the sources, a block of sources after the other."""
    for first in range(0, len(sources), block):
        yield from _reach_of(steps, sources[first : first + block], max_hops)


def _open_reach(block: int, indptr: Offsets, indices: Ints) -> Reaching:
    """The search of an engine in another process, over arrays that nobody writes to."""
    size = len(indptr) - 1
    steps = csr_array((np.ones(len(indices), np.bool_), indices, indptr), shape=(size, size))
    return partial(reach_in_blocks, steps, block)


def _reach_of(steps: csr_array, sources: Ints, max_hops: int) -> Iterator[Reach]:
    size, entities = len(sources), steps.shape[0]
    seen = np.zeros(size * entities, np.bool_)
    seen[np.arange(size) * entities + sources] = True
    frontier = boolean_matrix(np.arange(size, dtype=np.int32), sources, (size, entities))
    for hops in range(1, max_hops + 1):
        reached = frontier @ steps
        rows = np.repeat(np.arange(size, dtype=np.int32), np.diff(reached.indptr))
        cells = rows.astype(np.int64) * entities + reached.indices
        new = ~seen[cells]
        seen[cells[new]] = True
        ends = reached.indices[new].astype(np.int32)
        offsets = np.concatenate(([0], np.cumsum(np.bincount(rows[new], minlength=size))))
        if not len(ends):
            return
        yield Reach(hops, sources, offsets, ends)
        frontier = csr_array((np.ones(len(ends), np.bool_), ends, offsets), shape=(size, entities))


def default_block(entities: int) -> int:
    """How many sources are searched at once in a graph of so many entities."""
    return max(1, min(BLOCK, BLOCK_CELLS // max(1, entities)))


def boolean_matrix(rows: Ints, columns: Ints, shape: tuple[int, int]) -> csr_array:
    """A sparse matrix that is true in these cells; a cell may be named twice."""
    cells = csr_array((np.ones(len(rows), np.bool_), (rows, columns)), shape=shape)
    cells.sum_duplicates()
    return cells


def ranges(first: Offsets, last: Offsets) -> Offsets:
    """All whole numbers from each first one up to, and without, its last one."""
    lengths = last - first
    shifts = np.repeat(first - np.concatenate(([0], np.cumsum(lengths)[:-1])), lengths)
    return shifts + np.arange(int(lengths.sum()))


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

    def count_pairs(self, reach: Reach) -> int:
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
            held[reach.hops - 1] += within.count_pairs(reach)
        if reach.hops == 1:
            progress.advance(len(reach.sources))
    crossing = tuple(one - other for one, other in zip(pairs, held, strict=True)) if within else None
    return Census(tuple(pairs), crossing, len(sources))
