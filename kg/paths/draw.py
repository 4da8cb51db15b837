"""A seeded draw that does not depend on the order in which its candidates come."""

import hashlib
from collections.abc import Iterable, Sequence
from heapq import heappush, heappushpop
from typing import TypeVar

T = TypeVar("T")


def priority(seed: int, *parts: str) -> int:
    """A pseudo-random 64-bit number for a candidate; the same for the same seed and parts, always."""
    text = "\x1f".join((str(seed), *parts)).encode()
    return int.from_bytes(hashlib.blake2b(text, digest_size=8).digest(), "big")


def ordered(seed: int, items: Iterable[str]) -> list[str]:
    """The items in a seeded random order."""
    return sorted(items, key=lambda item: (priority(seed, item), item))


def pick(seed: int, candidates: Sequence[Sequence[str]]) -> Sequence[str]:
    """One of the candidates, by seed."""
    return min(candidates, key=lambda candidate: (priority(seed, *candidate), tuple(candidate)))


class Draw:
    """A uniform sample of at most `size` of the pairs that are offered, in memory of that size (bottom-k)."""

    def __init__(self, size: int, seed: int) -> None:
        self._size = size
        self._seed = seed
        self._heap: list[tuple[int, str, str]] = []
        self.offered = 0

    def offer(self, start: str, end: str) -> None:
        """Put a pair into the draw; each pair once."""
        self.offered += 1
        item = (-priority(self._seed, start, end), start, end)
        if len(self._heap) < self._size:
            heappush(self._heap, item)
        else:
            heappushpop(self._heap, item)

    def drawn(self) -> list[tuple[str, str]]:
        """The pairs that were drawn, in the order of their priority."""
        return [(start, end) for _, start, end in sorted(self._heap, reverse=True)]
