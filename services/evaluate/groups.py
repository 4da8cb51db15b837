"""How a set of questions falls into groups that are not independent, and what they are then worth."""

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class GroupSizes:
    """How a set of questions falls into groups.

    `effective` is n² / Σ m² (Kish 1965): how many groups of equal size would be as uneven. It is what a
    report should show: 300 questions with one group of 290 are worth about 1.07 groups, not 11.
    """

    questions: int
    groups: int
    largest: int
    effective: float


def group_sizes(groups: Mapping[str, str]) -> GroupSizes:
    """Count the groups, given as each question's group; `effective` is 0 where there are no questions."""
    sizes = Counter(groups.values()).values()
    return GroupSizes(
        questions=len(groups),
        groups=len(sizes),
        largest=max(sizes, default=0),
        effective=effective_groups(sizes),
    )


def effective_groups(sizes: Collection[int]) -> float:
    """n² / Σ m² over groups of m questions: 1 for one group, n for n lone questions (Kish 1965)."""
    return sum(sizes) ** 2 / sum(size**2 for size in sizes) if sizes else 0.0
