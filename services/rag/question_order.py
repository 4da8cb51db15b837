"""The order in which a run asks, so that its first questions are a fair part of all."""

from collections import defaultdict
from collections.abc import Iterable
from dataclasses import dataclass

from kg.ids import content_hash


@dataclass(frozen=True, slots=True)
class Listed:
    """A kept question with the group that a limit is balanced over; `bin` is None but for chains."""

    id: str
    kind: str
    hops: int
    bin: int | None
    answered: bool


def balanced(questions: Iterable[Listed]) -> list[Listed]:
    """The questions in turn from every kind, depth and bin; within these by a hash of their ids.

    The first n of them are a part of the first n + 1, whatever was answered before.
    """
    groups: defaultdict[tuple[str, int, int], list[Listed]] = defaultdict(list)
    for question in questions:
        groups[question.kind, question.hops, question.bin or 0].append(question)
    placed = [
        (rank, content_hash((*map(str, key), str(rank))), question)
        for key, group in groups.items()
        for rank, question in enumerate(sorted(group, key=lambda one: (content_hash([one.id]), one.id)))
    ]
    return [question for _, _, question in sorted(placed, key=lambda one: (one[0], one[1], one[2].id))]


def limited(questions: Iterable[Listed], limit: int | None) -> list[Listed]:
    """The questions that a limit leaves, in the order in which they are asked; None leaves all."""
    return balanced(questions)[:limit]
