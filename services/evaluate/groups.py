"""Which questions are not independent of each other, because their evidence shares articles."""

from collections import Counter, defaultdict
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


def evidence_groups(evidence: Mapping[str, Collection[str]]) -> dict[str, str]:
    """The group of each question: those joined, directly or over others, by articles of their gold evidence.

    `evidence` maps a question's id to the ids of its gold articles. Groups are the connected components;
    a group's id is the smallest id of its questions, so it does not depend on any order. A question
    without evidence is a group of its own. Where most articles are shared, almost all questions fall into
    one giant group, and no cluster-aware interval can be had from it: show `group_sizes` beside one.
    """
    parent = {question: question for question in evidence}

    def root(question: str) -> str:
        while parent[question] != question:
            parent[question] = parent[parent[question]]
            question = parent[question]
        return question

    citing: dict[str, list[str]] = defaultdict(list)
    for question, articles in evidence.items():
        for article in articles:
            citing[article].append(question)
    for first, *others in citing.values():
        for other in others:
            one, two = root(first), root(other)
            # The smaller id stays on top, which makes the root the group's id.
            parent[max(one, two)] = min(one, two)
    return {question: root(question) for question in evidence}


def group_sizes(groups: Mapping[str, str]) -> GroupSizes:
    """Count the groups of `evidence_groups`; `effective` is 0 where there are no questions."""
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
