"""How many questions in how many clusters show a difference, and how small a one so many show.

plan_questions(PairedSpread(sd=.5, intra_cluster=.2, per_cluster=4), difference=.05)
detectable(.02, freedom=149)
"""

from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from scipy.special import gammaincinv, ndtr, stdtr, stdtrit

from services.statistics.groups import Floats

POWER = 0.8
ALPHA = 0.05
MOST_CLUSTERS = 100_000_000
_NODES, _WEIGHTS = np.polynomial.legendre.leggauss(200)


@dataclass(frozen=True, slots=True)
class PairedSpread:
    """How paired differences vary: their standard deviation, and how alike those of a cluster are.

    `intra_cluster` is the correlation r of two of them in a cluster, `per_cluster` the mean number m of
    questions of a cluster, `uneven` the coefficient of variation v of that number, 0 for equal clusters.
    """

    sd: float
    intra_cluster: float
    per_cluster: float
    uneven: float = 0.0

    @property
    def design_effect(self) -> float:
        """1 + ((1 + v²) m - 1) r, how many times larger clusters make the variance (Eldridge et al. 2006)."""
        return 1 + max(0.0, (1 + self.uneven**2) * self.per_cluster - 1) * self.intra_cluster

    def standard_error(self, clusters: float) -> float:
        """That of the mean difference over so many clusters."""
        return self.sd * sqrt(self.design_effect / (clusters * self.per_cluster))

    def freedom(self, clusters: float) -> float:
        """Degrees of freedom that so many clusters leave, at least 1; clusters - 1 for equal ones."""
        return max(1.0, clusters / (1 + self.uneven**2) - 1)


@dataclass(frozen=True, slots=True)
class Plan:
    """How many questions in how many clusters, and the power that they have for the difference."""

    questions: int
    clusters: int
    power: float


def power_of(
    difference: float, standard_error: float, freedom: float, alpha: float = ALPHA, two_sided: bool = True
) -> float:
    """The chance that Student's test at `alpha` shows a true `difference`, by the noncentral t distribution.

    P(T > q) + P(T < -q) for T noncentral by d = difference / standard error, q being Student's quantile of
    1 - `alpha` / 2; one-sided the first term alone with 1 - `alpha` (Donner and Klar 2000, section 4.1).
    Given the estimated variance, V of chi-squared distribution, the first is Φ(d - q √(V / f)); its mean over
    V is taken at the quantiles of V, by Gauss and Legendre.
    """
    if standard_error <= 0:
        return 1.0 if difference else 0.0
    shift = abs(difference) / standard_error
    return _beyond(shift, _bounds(freedom, alpha, two_sided), two_sided)


def power_of_equivalence(margin: float, standard_error: float, freedom: float, alpha: float = ALPHA) -> float:
    """The chance that two one-sided tests show a true difference of 0 to lie within `margin`.

    2 P(T ≤ margin / s - t) - 1 for Student's quantile t of 1 - `alpha`, at least 0 (Chow, Shao and Wang 2008,
    section 3.2.3).
    """
    if standard_error <= 0:
        return 1.0
    room = margin / standard_error - float(stdtrit(freedom, 1 - alpha))
    return max(0.0, 2 * float(stdtr(freedom, room)) - 1)


def detectable(
    standard_error: float, freedom: float, power: float = POWER, alpha: float = ALPHA, two_sided: bool = True
) -> float:
    """The smallest difference that is shown with chance `power`, given the standard error of the mean."""
    _hold_chances(power, alpha)
    if standard_error <= 0:
        return 0.0
    bounds = _bounds(freedom, alpha, two_sided)
    highest = 1.0
    while _beyond(highest, bounds, two_sided) < power:
        highest *= 2
    # A tenth of a second to import, which every start of the page would pay.
    from scipy.optimize import brentq  # noqa: PLC0415

    shift = brentq(lambda x: _beyond(x, bounds, two_sided) - power, 0.0, highest)
    return float(shift) * standard_error


def plan_questions(
    spread: PairedSpread,
    difference: float,
    power: float = POWER,
    alpha: float = ALPHA,
    two_sided: bool = True,
) -> Plan:
    """The fewest clusters, at least two, whose questions show `difference` with chance `power`.

    Found by bisection, since the quantile itself depends on how many clusters there are.
    """
    _hold_chances(power, alpha)
    if not difference:
        raise ValueError("A difference of 0 can't be shown by any number of questions.")

    def reached(clusters: int) -> float:
        error, freedom = spread.standard_error(clusters), spread.freedom(clusters)
        return power_of(difference, error, freedom, alpha, two_sided)

    enough = 2
    while reached(enough) < power:
        enough *= 2
        if enough > MOST_CLUSTERS:
            raise ValueError(f"A difference of {difference:g} takes more than {MOST_CLUSTERS:,} clusters.")
    short = enough // 2
    while enough - short > 1:
        middle = (short + enough) // 2
        short, enough = (short, middle) if reached(middle) >= power else (middle, enough)
    return Plan(ceil(enough * spread.per_cluster - 1e-9), enough, reached(enough))


def _bounds(freedom: float, alpha: float, two_sided: bool) -> Floats:
    quantile = float(stdtrit(freedom, 1 - alpha / 2 if two_sided else 1 - alpha))
    bounds: Floats = quantile * np.sqrt(2 * gammaincinv(freedom / 2, (_NODES + 1) / 2) / freedom)
    return bounds


def _beyond(shift: float, bounds: Floats, two_sided: bool) -> float:
    chances = ndtr(shift - bounds) + (ndtr(-shift - bounds) if two_sided else 0.0)
    return float(_WEIGHTS @ chances) / 2


def _hold_chances(power: float, alpha: float) -> None:
    if not 0 < alpha < power < 1:
        raise ValueError(f"Power {power:g} must lie between alpha {alpha:g} and 1.")
