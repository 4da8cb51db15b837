"""How a set of questions falls into groups that are not independent, and what they are then worth."""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction

import numpy as np
from numpy.typing import ArrayLike, NDArray

Floats = NDArray[np.float64]


@dataclass(frozen=True, slots=True, eq=False)
class Partition:
    """Which cluster each of n questions is in, as numbers 0 to `size` - 1; every clustered figure uses it."""

    codes: NDArray[np.intp]
    size: int

    @property
    def sizes(self) -> NDArray[np.intp]:
        """How many questions each cluster has; shape (size,)."""
        return np.bincount(self.codes, minlength=self.size)

    def sums(self, values: ArrayLike) -> Floats:
        """The sum over each cluster of one value a question; shape (size,)."""
        weights = np.asarray(values, np.float64)
        # Without any question bincount forgets that its weights are no whole numbers.
        return np.bincount(self.codes, weights=weights, minlength=self.size).astype(np.float64, copy=False)


def partition(clusters: Sequence[str]) -> Partition:
    """The partition of questions, given as the name of each one's cluster, in the order of first sight."""
    numbers: dict[str, int] = {}
    codes = np.fromiter((numbers.setdefault(name, len(numbers)) for name in clusters), np.intp, len(clusters))
    return Partition(codes, len(numbers))


@dataclass(frozen=True, slots=True)
class GroupSizes:
    """How a set of questions falls into groups.

    `effective` is n² / Σ m² (Kish 1965): how many groups of equal size would be as uneven. It is what a
    report should show: 300 questions with one group of 290 are worth about 1.07 groups, not 11.
    `components` is how many would be left if any shared article joined two questions, None where nobody
    told the articles: in a connected graph that is often one, and a single cluster shows no spread.
    """

    questions: int
    groups: int
    largest: int
    effective: float
    components: int | None = None


def group_sizes(groups: Mapping[str, str], articles: Iterable[Collection[str]] | None = None) -> GroupSizes:
    """Count the groups, given as each question's group; `effective` is 0 where there are no questions.

    `articles` has each question's articles, for the count of components.
    """
    sizes = Counter(groups.values()).values()
    return GroupSizes(
        questions=len(groups),
        groups=len(sizes),
        largest=max(sizes, default=0),
        effective=effective_groups(sizes),
        components=None if articles is None else count_components(articles),
    )


def count_components(articles: Iterable[Collection[str]]) -> int:
    """How many connected components questions form that share an article; one without any is its own."""
    parents: dict[str, str] = {}

    def root(article: str) -> str:
        while parents[article] != article:
            parents[article] = article = parents[parents[article]]
        return article

    lone = 0
    for held in articles:
        lone += not held
        roots = [root(article) for article in held if parents.setdefault(article, article)]
        for other in roots[1:]:
            parents[root(other)] = root(roots[0])
    return lone + sum(article == parent for article, parent in parents.items())


def effective_groups(sizes: Collection[int]) -> float:
    """n² / Σ m² over groups of m questions: 1 for one group, n for n lone questions (Kish 1965)."""
    return sum(sizes) ** 2 / sum(size**2 for size in sizes) if sizes else 0.0


def draw_stratified(strata: Sequence[tuple[str | int | bool, ...]], size: int, seed: int) -> list[int]:
    """So many of n things, as numbers from 0, in an order by chance; `strata` holds the stratum of each.

    Each stratum has its share, to whole things by largest remainders; equal remainders go to the larger one.
    """
    members: dict[tuple[str | int | bool, ...], list[int]] = defaultdict(list)
    for at, stratum in enumerate(strata):
        members[stratum].append(at)
    size = min(size, len(strata))
    shares = {name: Fraction(size * len(some), len(strata)) for name, some in members.items()}
    sizes = {name: int(share) for name, share in shares.items()}
    order = sorted(members, key=lambda name: (sizes[name] - shares[name], -len(members[name]), name))
    for name in order[: size - sum(sizes.values())]:
        sizes[name] += 1
    generator = np.random.default_rng(seed)
    drawn = [
        members[name][at]
        for name in sorted(members)
        for at in generator.permutation(len(members[name]))[: sizes[name]].tolist()
    ]
    return [drawn[at] for at in generator.permutation(len(drawn)).tolist()]
