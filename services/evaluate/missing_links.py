"""Which pairs of entities need a missing link: they have no shortest path without it (GRADE, table 4).

GRADE counts its questions; this counts all pairs. Two steps of a path join without an exact link where both
triples use names of one normal form for the entity between them; a mirrored edge is a contextual link, and
joins by any name at the end where context put another entity.
"""

from collections.abc import Callable, Mapping
from dataclasses import dataclass

import numpy as np
from scipy.sparse import csr_array

from kg.paths.edges import EdgeTable, Ints
from kg.paths.protocol import Reach
from kg.paths.sparse import SparseEngine, boolean_matrix
from kg.paths.walk import MAX_HOPS


@dataclass(frozen=True, slots=True)
class NeedOfLinks:
    """Of the pairs at so many hops, how many have no path of that length without links of a kind."""

    hops: int
    pairs: int
    exact: int
    context: int
    either: int


Forms = tuple[str | None, str | None]
"""The normal forms of an edge's own subject and object; None at the end where context put another entity."""


def need_of_links(table: EdgeTable, forms: Mapping[str, Forms]) -> list[NeedOfLinks]:
    """The need at 1 to 5 hops; `forms` has those of an edge by its id.

    A mirrored edge has no form at the end where context put another entity; there it joins with any name.
    """
    engine = SparseEngine(table)
    plain = np.flatnonzero(~table.mirrored).astype(np.int32)
    every = np.arange(table.size, dtype=np.int32)
    restricted = (
        _Walks(table, every, lambda edge: forms[table.ids[edge]]),
        _Walks(table, plain, lambda _: ("", "")),
        _Walks(table, plain, lambda edge: forms[table.ids[edge]]),
    )
    counts = np.zeros((MAX_HOPS, 4), np.int64)
    for reach in engine.reach(engine.sources()):
        kept = [walks.pairs_kept(reach) for walks in restricted]
        total = len(reach.ends)
        counts[reach.hops - 1] += (total, *(total - one for one in kept))
    return [NeedOfLinks(hops, *row) for hops, row in enumerate(counts.tolist(), start=1)]


class _Walks:
    """Walks over some edges that keep an entity's name from step to step, beside the search of an engine.

    A place is an entity under one normal form of its names, or under None, which joins with all of them.
    """

    def __init__(self, table: EdgeTable, edges: Ints, forms_of: Callable[[int], Forms]) -> None:
        places: dict[tuple[int, str | None], int] = {}
        joined: list[tuple[int, int, Forms]] = []
        for edge in edges.tolist():
            subject, target = forms_of(edge)
            ends = ((int(table.start[edge]), subject), (int(table.end[edge]), target))
            tail, head = (places.setdefault(end, len(places)) for end in ends)
            joined.append((tail, head, (subject, target)))
        entity_of = np.fromiter((entity for entity, _ in places), np.int32, len(places))
        tails, heads = _with_all_names(joined, entity_of)
        here, shape = np.arange(len(places), dtype=np.int32), (len(places), len(table.entities))
        self._shape = shape
        self._steps = boolean_matrix(tails, heads, (len(places), len(places)))
        self._entity_of = boolean_matrix(here, entity_of, shape)
        self._places_of = boolean_matrix(entity_of, here, shape[::-1])
        self._frontier = self._steps

    def pairs_kept(self, reach: Reach) -> int:
        """How many of these pairs such a walk joins in as many hops; levels must come in their order."""
        if reach.hops == 1:
            self._frontier = self._places_of[reach.sources]
        level = csr_array(
            (np.ones(len(reach.ends), np.bool_), reach.ends, reach.offsets),
            shape=(len(reach.sources), self._shape[1]),
        )
        # What is not on a shortest path by now never will be, so the frontier stays as small as the level.
        self._frontier = (self._frontier @ self._steps).multiply(level @ self._places_of).tocsr()
        return int((self._frontier @ self._entity_of).nnz)


def _with_all_names(joined: list[tuple[int, int, Forms]], entity_of: Ints) -> tuple[Ints, Ints]:
    """Steps between places; an end without a form is left or entered under all names of its entity."""
    names: dict[int, list[int]] = {}
    for place, entity in enumerate(entity_of.tolist()):
        names.setdefault(entity, []).append(place)
    steps: set[tuple[int, int]] = set()
    for tail, head, (subject, target) in joined:
        tails = [tail] if subject is not None else names[int(entity_of[tail])]
        heads = [head] if target is not None else names[int(entity_of[head])]
        steps.update((one, other) for one in tails for other in heads)
    array = np.array(sorted(steps), np.int32).reshape(-1, 2)
    return array[:, 0], array[:, 1]
