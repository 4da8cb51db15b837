"""Two systems on the same questions: how far apart they are, and whether that could be chance."""

from collections.abc import Sequence
from dataclasses import dataclass
from math import sqrt

import numpy as np
from scipy.special import bdtr, ndtri

from services.statistics.groups import Floats, Partition, partition
from services.statistics.intervals import LEVEL, Interval, clustered_variance
from services.statistics.resampling import DRAWS, cluster_bootstrap
from services.statistics.sign_flips import SignFlip, sign_flip


@dataclass(frozen=True, slots=True)
class Paired:
    """Two systems compared over n questions; `difference` is the second's accuracy less the first's.

    `standard_error`, `interval` and `test` take only clusters for independent, and are None where there are
    fewer than two. `naive_interval` and `naive_p` take all questions for independent, to show what that would
    have claimed. `design_effect` is how many times larger the clustered variance of the difference is, None
    where all differences are alike; `effective_n` is the number of independent questions that say as much.
    """

    n: int
    clusters: int
    difference: float
    standard_error: float | None
    interval: Interval | None
    test: SignFlip | None
    naive_interval: Interval
    naive_p: float
    design_effect: float | None
    effective_n: float | None


def compare_paired(
    first: Sequence[bool],
    second: Sequence[bool],
    clusters: Sequence[str],
    generator: np.random.Generator,
    draws: int = DRAWS,
) -> Paired | None:
    """Compare two systems by which questions each answered right, one entry a question; None without any."""
    n = len(first)
    if not n == len(second) == len(clusters):
        raise ValueError(f"{n} and {len(second)} verdicts and {len(clusters)} clusters: one each a question.")
    if not n:
        return None
    gained = np.asarray(second, np.float64) - np.asarray(first, np.float64)
    parts = partition(clusters)
    sums, sizes = parts.sums(gained), parts.sizes.astype(np.float64)
    difference = float(gained.mean())
    variance = _clustered(gained - difference, parts)
    effect = _design_effect(gained, variance)
    return Paired(
        n=n,
        clusters=parts.size,
        difference=difference,
        standard_error=None if variance is None else sqrt(variance),
        interval=cluster_bootstrap(sums, sizes, generator, draws),
        test=sign_flip(sums, generator, draws),
        naive_interval=naive_interval(gained),
        naive_p=mcnemar(int(np.count_nonzero(gained > 0)), int(np.count_nonzero(gained < 0))),
        design_effect=effect,
        effective_n=None if effect is None else n / max(1.0, effect),
    )


def mcnemar(gained: int, lost: int) -> float:
    """McNemar's exact two-sided p-value: of the questions that only one system got right, who got more.

    Under equality each is a coin's throw (McNemar 1947): p = min(1, 2 P(X ≤ min(gained, lost))), X being
    binomial over gained + lost with chance 1/2; 1 where they never disagree.
    """
    return min(1.0, 2 * float(bdtr(float(min(gained, lost)), gained + lost, 0.5)))


def naive_interval(gained: Floats, level: float = LEVEL) -> Interval:
    """The normal interval of a mean of paired differences in {-1, 0, 1}, questions taken for independent.

    mean ± z √((Σ d² - n mean²) / n²) (Agresti 2013, section 11.1.1), cut at -1 and 1.
    """
    n, mean = len(gained), float(gained.mean())
    half = float(ndtri((1 + level) / 2)) * sqrt(max(0.0, float(gained @ gained) - n * mean**2)) / n
    return Interval(max(-1.0, mean - half), min(1.0, mean + half))


def _clustered(residuals: Floats, parts: Partition) -> float | None:
    return clustered_variance(parts.sums(residuals), len(residuals)) if parts.size > 1 else None


def _design_effect(gained: Floats, variance: float | None) -> float | None:
    n = len(gained)
    if variance is None or not np.ptp(gained):
        return None
    return variance * n / float(np.var(gained, ddof=1))
