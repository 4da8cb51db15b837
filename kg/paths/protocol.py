"""What an engine for paths does; entities go by their position in the sorted list of ids."""

from collections.abc import Callable, Iterator, Sequence
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


class Leaving(NamedTuple):
    """Arcs that leave an entity by a predicate, mirrored ones among them or not."""

    tail: int
    predicate: str
    mirrored: bool


_HELPING = frozenset(
    {"is", "are", "was", "were", "be", "been", "being", "has", "have", "had", "a", "an", "the"}
)


def predicate_form(predicate: str) -> str:
    """A predicate without its helping verbs and articles: "was defeated by" and "is defeated by" are one."""
    words = predicate.casefold().split()
    return " ".join(word for word in words if word not in _HELPING) or " ".join(words)


class Arc(NamedTuple):
    """An edge as a path walks it; walked against its direction, `tail` is the edge's end.

    `claim` is the first of those that have the same sentence. `origin` tells where the edge comes from in a
    corpus of any name: the hash of the article's words, where its sentence begins, and the predicate.
    """

    edge: str
    tail: int
    head: int
    claim: str
    article: str
    category: str
    mirrored: bool = False
    origin: tuple[str, int, str] = ("", 0, "")

    @property
    def predicate(self) -> str:
        """What it says of its two ends."""
        return self.origin[2]

    @property
    def leaving(self) -> Leaving:
        """How it leaves its tail."""
        return Leaving(self.tail, self.predicate, self.mirrored)

    @property
    def arriving(self) -> Leaving:
        """How it is left backwards, from its head."""
        return Leaving(self.head, self.predicate, self.mirrored)


Web = tuple[tuple[Arc, ...], ...]
"""All shortest paths of a pair: for each step the arcs that one of them takes there, in `arc_order`."""


def arc_order(arc: Arc, labels: Sequence[str]) -> tuple[str, str, tuple[str, int, str], bool, str]:
    """What arcs are sorted by: nothing in it but the last, which decides between equals, names the corpus."""
    return labels[arc.tail], labels[arc.head], arc.origin, arc.mirrored, arc.edge


Reaching = Callable[[Ints, int], Iterator[Reach]]
"""Everybody within so many hops of some sources, as `PathEngine.reach`."""


@dataclass(frozen=True, slots=True, eq=False)
class Elsewhere:
    """How another process searches as an engine does: `opener` is given the arrays, which may be large."""

    opener: Callable[..., Reaching]
    arrays: Sequence[NDArray[np.generic]]


class PathEngine(Protocol):
    """Finds distances and shortest paths; two engines on the same edges answer the same."""

    name: str
    entities: Sequence[str]
    """The ids of all entities, sorted."""
    labels: Sequence[str]
    """What the entities are called in a corpus of any name (`kg.paths.edges.entity_label`)."""

    types: Sequence[str]
    """The types of the entities, "" where one has none."""

    def count_edges(self) -> Sequence[int]:
        """At how many edges that a path may take each entity stands, at either end."""
        ...

    def count_ends(self, asked: Sequence[Leaving], *, backwards: bool = False) -> list[int]:
        """To how many other entities each of some entities leads by a predicate; backwards, from how many.

        Predicates of one form count as one (`predicate_form`), edges of facts always, and mirrored ones where
        they are asked for.
        """
        ...

    def sources(self) -> Ints:
        """The entities that a path may start from, ascending."""
        ...

    def reach(self, sources: Ints, max_hops: int = MAX_HOPS) -> Iterator[Reach]:
        """Everybody within so many hops of the sources, each source in one block, memory bounded by it."""
        ...

    def elsewhere(self) -> Elsewhere | None:
        """How another process searches; None where all go to one place anyway."""
        ...

    def webs(self, pairs: Sequence[Pair]) -> list[Web]:
        """All shortest paths of each pair, which are so many hops apart; parallel edges are arcs apart."""
        ...
