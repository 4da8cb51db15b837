"""Which questions are not independent, and the interval of a rate over them.

Questions fall into groups that share evidence; what few clusters of unequal sizes leave of a standard error
is its correction and degrees of freedom.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from math import sqrt

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtr, ndtri, stdtrit

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


LEVEL = 0.95


@dataclass(frozen=True, slots=True)
class Interval:
    """A confidence interval: of a share, within [0, 1], or of a difference of shares, within [-1, 1]."""

    low: float
    high: float


def wilson(errors: int, n: int, level: float = LEVEL) -> Interval | None:
    """The score interval of errors / n (Wilson 1927), None where n is 0."""
    if not 0 <= errors <= n:
        raise ValueError(f"{errors} errors among {n} answers is no share.")
    return _score_interval(errors / n, n, level) if n else None


def score_bounds(share: Floats | float, n: Floats | float, level: float = LEVEL) -> tuple[Floats, Floats]:
    """The bounds of Wilson's interval (1927) of each share of n; NaN where n is."""
    z2 = float(ndtri((1 + level) / 2)) ** 2
    centre = (share + z2 / (2 * n)) / (1 + z2 / n)
    half = np.sqrt(z2 * (share * (1 - share) / n + z2 / (4 * n**2))) / (1 + z2 / n)
    # Rounding can push a bound past the share itself where that is 0 or 1.
    return np.maximum(0.0, np.minimum(share, centre - half)), np.minimum(
        1.0, np.maximum(share, centre + half)
    )


def score_size(share: float, width: float, level: float = LEVEL) -> float:
    """The n of Wilson's interval of `share` that is `width` wide: what `_score_interval` was given.

    With u = z² / n and half the width h, h (1 + u) = √(p (1 - p) u + u² / 4), which is squared and solved.
    """
    h2, spread = (width / 2) ** 2, share * (1 - share)
    z2 = float(ndtri((1 + level) / 2)) ** 2
    square, linear = 0.25 - h2, spread - 2 * h2
    return 2 * z2 * square / (sqrt(linear**2 + 4 * square * h2) - linear)


def _score_interval(share: float, n: float, level: float) -> Interval:
    if not 0 < level < 1:
        raise ValueError(f"A confidence level lies between 0 and 1, not at {level}.")
    low, high = score_bounds(share, n, level)
    return Interval(float(low), float(high))


FEW_CLUSTERS = 20
"""With fewer, intervals and tests by cluster are rough, the more so the less even the clusters are; every
report says so. With five or fewer no two-sided sign-flip can reach .05."""
LEAST_TO_RESAMPLE = 6
"""With fewer, a judged comparison has no bootstrap interval: those of five hold the truth in 92 to 93 % (see
benchmarks/clustered_truth.py), and Student's with the degrees of freedom below in 94 to 96 %."""


def adjusted_variances(residuals: Floats, sizes: Floats) -> Floats:
    """Variance of each column's mean that takes only clusters for independent; shape (K,), NaN below two.

    `residuals` holds each cluster's sum of deviations from the mean, `sizes` its number of values, both of
    shape (G, K). Σ e_g² / (1 - p_g) / n² with p_g = m_g / n: CR2 of Bell and McCaffrey (2002, section 2),
    whose square root of a matrix is (1 - p_g)^-½ for a mean. With equal sizes 1 / (1 - p_g) is G / (G - 1),
    and this is the sandwich of Liang and Zeger (1986) with its usual factor; with unequal ones that falls
    short, since a large cluster draws the mean towards itself.
    """
    n, left = sizes.sum(axis=0), left_over(sizes)
    squares = np.divide(residuals**2, left, out=np.zeros_like(residuals), where=left > 0)
    total: Floats = np.where(_several(sizes), squares.sum(axis=0), np.nan)
    variances: Floats = np.divide(total, n**2, out=np.full_like(total, np.nan), where=n > 0)
    return variances


def degrees_of_freedom(sizes: Floats) -> Floats:
    """Of Student's distribution for that variance; `sizes` has shape (G, K), the result (K,), NaN below two.

    1 / (Σ p² + (Σ q)² - Σ q²) with q = p² / (1 - p): Satterthwaite's as Bell and McCaffrey (2002) work it out
    for independent values, here for a mean. It is G - 1 for equal sizes and less for unequal ones, down to 1.
    """
    n, left = sizes.sum(axis=0), left_over(sizes)
    shares = np.divide(sizes, n, out=np.zeros_like(sizes), where=n > 0)
    weights = np.divide(shares**2, left, out=np.zeros_like(shares), where=left > 0)
    spread = (shares**2).sum(axis=0) + weights.sum(axis=0) ** 2 - (weights**2).sum(axis=0)
    freedom: Floats = np.divide(1.0, spread, out=np.full_like(spread, np.nan), where=_several(sizes))
    return freedom


def expanded_tails(freedom: Floats, level: float = LEVEL) -> Floats:
    """The share of resampled means that an interval leaves out on each side; NaN where `freedom` is.

    Φ(-√((f + 1) / f) t) for Student's quantile t on f degrees of freedom: the expanded percentile interval
    (Hesterberg 2015), which has f = G - 1, with the degrees of freedom that unequal clusters leave.
    """
    return ndtr(-np.sqrt((freedom + 1) / freedom) * stdtrit(freedom, (1 + level) / 2))


def _several(sizes: Floats) -> NDArray[np.bool_]:
    several: NDArray[np.bool_] = np.count_nonzero(sizes, axis=0) >= 2
    return several


def left_over(sizes: Floats) -> Floats:
    """1 - m / n for each cluster of m of n values; shape (G, K), 0 where a column has none."""
    n = sizes.sum(axis=0)
    left: Floats = np.divide(n - sizes, n, out=np.zeros_like(sizes), where=n > 0)
    return left
