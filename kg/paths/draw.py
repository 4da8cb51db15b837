"""A fair, seeded sample of pairs that depends on neither their order nor the engine that finds them.

Every pair has a pseudo-random priority, a hash over the seed and the labels of its two entities; those with
the smallest are drawn (bottom-k). So each pair is as likely as any other, a larger draw goes on from a
smaller one, and memory is that of the draw, not that of the pairs.
"""

import hashlib
from collections.abc import Iterable

import numpy as np
from numpy.typing import NDArray

from kg.paths.edges import Ints
from kg.paths.protocol import Reach

Keys = NDArray[np.uint64]

_DRAWS_KEPT = 4
"""Times its size that a draw may hold before it is cut back."""


def seeded_number(seed: int, *parts: str) -> int:
    """A pseudo-random 128-bit number; the same for the same seed and parts, always."""
    text = "\x1f".join((str(seed), *parts)).encode("utf-8", "surrogatepass")
    return int.from_bytes(hashlib.blake2b(text, digest_size=16).digest(), "big")


def entity_keys(seed: int, labels: Iterable[str]) -> Keys:
    """A 64-bit key for each entity, by the seed and what it is called whatever the corpus."""
    salt = str(seed).encode()
    digests = (
        hashlib.blake2b(label.encode("utf-8", "surrogatepass"), digest_size=8, key=salt).digest()
        for label in labels
    )
    return np.frombuffer(b"".join(digests), dtype=">u8").astype(np.uint64)


def pair_priorities(keys: Keys, starts: Ints, ends: Ints) -> Keys:
    """The priority of each pair; a direction is a pair of its own.

    The mixing is the finaliser of SplitMix64 (Steele, Lea and Flood, 2014), over the start, then over both.
    """
    return _mixed(_mixed(keys)[starts] + keys[ends])


def in_seeded_order(keys: Keys, entities: Ints) -> Ints:
    """The entities in an order that depends on their keys alone."""
    return entities[np.lexsort((entities, _mixed(keys[entities])))]


class PairDraw:
    """The `size` pairs of smallest priority above a bound among all that are offered."""

    def __init__(self, size: int, keys: Keys, above: int | None = None) -> None:
        """`above` is the priority of the last pair of an earlier draw that this one goes on from."""
        self._size = size
        self._keys = keys
        self._of_start = _mixed(keys)
        self._above = None if above is None else np.uint64(above)
        self._below = np.uint64(2**64 - 1)
        self._held: list[tuple[Keys, Ints, Ints]] = []
        self._count = 0

    def offer(self, reach: Reach) -> None:
        """Put the pairs of some sources into the draw; each pair once."""
        lengths = np.diff(reach.offsets)
        priorities = _mixed(np.repeat(self._of_start[reach.sources], lengths) + self._keys[reach.ends])
        wanted = priorities <= self._below
        if self._above is not None:
            wanted &= priorities > self._above
        found = np.flatnonzero(wanted)
        rows = np.searchsorted(reach.offsets, found, side="right") - 1
        self._held.append((priorities[found], reach.sources[rows], reach.ends[found]))
        self._count += len(found)
        if self._count > _DRAWS_KEPT * self._size:
            self._cut()

    def drawn(self) -> list[tuple[int, int, int]]:
        """The pairs that were drawn, by priority: priority, start, end."""
        self._cut()
        columns = (column.tolist() for column in self._held[0]) if self._held else ([], [], [])
        return list(zip(*columns, strict=True))

    def _cut(self) -> None:
        if not self._held:
            return
        priorities, starts, ends = (np.concatenate(column) for column in zip(*self._held, strict=True))
        if len(priorities) > self._size:
            small = priorities <= np.partition(priorities, self._size - 1)[self._size - 1]
            priorities, starts, ends = priorities[small], starts[small], ends[small]
        order = np.lexsort((ends, starts, priorities))[: self._size]
        self._held = [(priorities[order], starts[order], ends[order])]
        self._count = len(order)
        if len(order) == self._size:
            self._below = priorities[order[-1]]


def _mixed(numbers: Keys) -> Keys:
    mixed = numbers ^ (numbers >> np.uint64(30))
    mixed *= np.uint64(0xBF58476D1CE4E5B9)
    mixed ^= mixed >> np.uint64(27)
    mixed *= np.uint64(0x94D049BB133111EB)
    mixed ^= mixed >> np.uint64(31)
    return mixed
