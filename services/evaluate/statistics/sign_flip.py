"""Whether a paired difference could be chance: each cluster's sign is flipped, over all ways or many."""

from dataclasses import dataclass
from math import sqrt

import numpy as np

from services.evaluate.statistics.groups import Floats

EXACT_UP_TO = 20
"""Clusters up to which all 2^G ways are tried: a million."""
DRAWS = 10_000
_NUMBERS_AT_ONCE = 4_000_000
_ROUNDING = 1e-9


@dataclass(frozen=True, slots=True)
class SignFlip:
    """A two-sided p-value: `exact` where all ways were tried, else with its Monte Carlo standard error."""

    p_value: float
    exact: bool
    standard_error: float


def sign_flip(sums: Floats, generator: np.random.Generator, draws: int = DRAWS) -> SignFlip | None:
    """The test that clusters' sums of paired differences (shape (G,)) are as likely below 0 as above.

    If two systems are alike, swapping their names within a cluster changes nothing, so every pattern of signs
    is equally likely (Fisher 1935, section 21; by cluster, Canay, Romano and Shaikh 2017). The p-value is the
    share of patterns whose total lies as far from 0 as the observed one. A sum of 0 has no sign, so only
    other clusters count: up to 20 all patterns are tried, beyond that `draws` are drawn, and the observed
    one is counted with them, (hits + 1) / (draws + 1), so that p is never 0 (Phipson and Smyth 2010).
    None where there are fewer than two clusters: one can't tell a difference from a whim.
    """
    if len(sums) < 2:
        return None
    sizes = np.abs(sums[sums != 0])
    far = abs(float(sums.sum())) - _ROUNDING * float(sizes.sum())
    if len(sizes) <= EXACT_UP_TO:
        return SignFlip(_exact(sizes, far), exact=True, standard_error=0.0)
    p_value = (_hits(sizes, far, generator, draws) + 1) / (draws + 1)
    return SignFlip(p_value, exact=False, standard_error=sqrt(p_value * (1 - p_value) / draws))


def _exact(sizes: Floats, far: float) -> float:
    totals = np.zeros(1)
    for size in sizes:
        totals = np.concatenate((totals + size, totals - size))
    return float(np.mean(np.abs(totals) >= far))


def _hits(sizes: Floats, far: float, generator: np.random.Generator, draws: int) -> int:
    # Clusters of one size are interchangeable: how many of them keep their sign is binomial.
    kinds, counts = np.unique(sizes, return_counts=True)
    block = max(1, _NUMBERS_AT_ONCE // len(kinds))
    hits = 0
    for start in range(0, draws, block):
        kept = generator.binomial(counts, 0.5, size=(min(block, draws - start), len(kinds)))
        hits += int(np.count_nonzero(np.abs((2 * kept - counts) @ kinds) >= far))
    return hits
