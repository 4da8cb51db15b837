"""What an engine for paths does; entities go by their position in the sorted list of ids."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import NamedTuple, Protocol

import numpy as np
from numpy.typing import NDArray

from kg.paths.edges import Ints
from kg.paths.walk import MAX_HOPS

Offsets = NDArray[np.int64]


@dataclass(frozen=True, slots=True, eq=False)
class Reach:
    """Who lies so many hops from some sources: `ends[offsets[i]:offsets[i + 1]]` from `sources[i]`."""

    hops: int
    sources: Ints
    offsets: Offsets
    ends: Ints

    def starts(self) -> Ints:
        """The source of each end, side by side with `ends`."""
        return np.repeat(self.sources, np.diff(self.offsets))


class Pair(NamedTuple):
    """A start and an end, and how many hops apart they are."""

    start: int
    end: int
    hops: int


class Arc(NamedTuple):
    """An edge as a path walks it; walked against its direction, `tail` is the edge's end."""

    edge: str
    tail: int
    head: int
    claim: str
    article: str
    category: str


Web = tuple[tuple[Arc, ...], ...]
"""All shortest paths of a pair: for each step the arcs that one of them takes there, by the edges' ids."""


class PathEngine(Protocol):
    """Finds distances and shortest paths; two engines on the same edges answer the same."""

    name: str
    entities: Sequence[str]
    """The ids of all entities, sorted."""

    def sources(self) -> Ints:
        """The entities that a path may start from, ascending."""
        ...

    def reach(self, sources: Ints, max_hops: int = MAX_HOPS) -> Iterator[Reach]:
        """Everybody within so many hops of the sources, each source in one block, memory bounded by it."""
        ...

    def webs(self, pairs: Sequence[Pair]) -> list[Web]:
        """All shortest paths of each pair, which are so many hops apart; parallel edges are arcs apart."""
        ...
