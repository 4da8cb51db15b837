"""Answers by the kind of their question and its hops, in the order in which every table shows them."""

from collections import defaultdict
from collections.abc import Sequence
from typing import Protocol, TypeVar

from services.evaluate.hop_aware.content import Group
from services.evaluate.hop_aware.tracks import NULL

CHAINED = ("chain", "sequential", "parallel")
"""The kinds of questions that have prefix questions; they come first."""


class Asked(Protocol):
    """What is known of an answer's question."""

    @property
    def kind(self) -> str:
        """The kind of question."""

    @property
    def query_type(self) -> str:
        """Its query type, empty where it has none."""

    @property
    def hops(self) -> int:
        """How many hops it takes."""


T = TypeVar("T", bound=Asked)


def grouped(some: Sequence[T]) -> list[tuple[Group, list[T]]]:
    """Each kind of question by hops; a kind with several depths has a group for all of them as well.

    Null questions are one group: they have no chain to count hops of.
    """
    kinds: defaultdict[tuple[str, str], list[T]] = defaultdict(list)
    for one in some:
        kinds[one.kind, one.query_type].append(one)
    found = []
    for kind, query_type in sorted(kinds, key=_order):
        inside = kinds[kind, query_type]
        depths = [] if kind == NULL else sorted({one.hops for one in inside})
        for hops in depths:
            found.append((Group(kind, query_type, hops), [one for one in inside if one.hops == hops]))
        if len(depths) != 1:
            found.append((Group(kind, query_type, None), inside))
    return found


def _order(kind: tuple[str, str]) -> tuple[int, str, str]:
    place = CHAINED.index(kind[0]) if kind[0] in CHAINED else len(CHAINED)
    return place, *kind
