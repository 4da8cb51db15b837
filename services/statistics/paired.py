"""Two systems on the same questions: how far apart they are, and whether that could be chance.

Every comparison of two systems goes through here: the report of runs, the gate, the benchmark and the judged
comparison show the same figures for the same values, clusters and seed.

How many questions in how many clusters show a difference, and how small a one so many show.

plan_questions(PairedSpread(sd=.5, intra_cluster=.2, per_cluster=4), difference=.05)
detectable(.02, freedom=149)
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import ceil, sqrt

import numpy as np
from scipy.special import bdtr, gammaincinv, ndtr, stdtr, stdtrit

from services.statistics.clustered_means import ClusteredMean, ClusteredMeans, clustered_means
from services.statistics.intervals import Floats, Interval, Partition, partition
from services.statistics.resampling import DRAWS, Alternative, SignFlip, SignFlips, sign_flips


@dataclass(frozen=True, slots=True)
class PairedComparison:
    """Two systems compared over n questions; `difference` is the second's mean less the first's.

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
    naive_interval: Interval | None
    naive_p: float | None
    design_effect: float | None
    effective_n: float | None


def paired_means(
    differences: Floats, parts: Partition, seed: int = 0, draws: int = DRAWS
) -> tuple[ClusteredMeans, SignFlips]:
    """The means of columns of differences within [-1, 1], and the tests that they are 0.

    `differences` has shape (n, K), NaN where undefined, one row a question.
    """
    means = clustered_means(differences, parts)
    return means, sign_flips(means.totals, np.random.default_rng([seed, 1]), draws)


def compare_paired(
    first: Sequence[float],
    second: Sequence[float],
    clusters: Sequence[str],
    seed: int = 0,
    draws: int = DRAWS,
) -> PairedComparison | None:
    """Compare two systems by what each got on every question, from 0 to 1, one entry a question.

    The interval is Student's by cluster (`clustered_means`), the test flips the signs of clusters
    (`resampling.sign_flips`). None without any question.

    Raises:
        ValueError: the three differ in length.
    """
    n = len(first)
    if not n == len(second) == len(clusters):
        raise ValueError(f"{n} and {len(second)} values and {len(clusters)} clusters: one each a question.")
    if not n:
        return None
    differences = np.asarray(second, np.float64) - np.asarray(first, np.float64)
    means, flips = paired_means(differences, partition(clusters), seed, draws)
    mean = means.column(0)
    return PairedComparison(
        n=n,
        clusters=mean.clusters,
        difference=float(differences.mean()),
        standard_error=mean.standard_error,
        interval=mean.interval,
        test=flips.test(0),
        naive_interval=mean.naive_interval,
        naive_p=naive_p(differences, mean),
        design_effect=mean.design_effect,
        effective_n=mean.effective_n if mean.clusters > 1 else None,
    )


def naive_p(
    differences: Floats, found: ClusteredMean, alternative: Alternative = "different"
) -> float | None:
    """The p-value that takes all questions for independent, to show what that would have claimed.

    Of differences in {-1, 0, 1} McNemar's exact test, of others Student's paired t test; None where neither
    says anything. `found` is the mean of the same differences (shape (n,), NaN where undefined).
    """
    values = differences[np.isfinite(differences)]
    if len(values) and bool(np.isin(values, (-1.0, 0.0, 1.0)).all()):
        return mcnemar(int(np.count_nonzero(values > 0)), int(np.count_nonzero(values < 0)), alternative)
    if found.mean is None or not found.naive_error:
        return None
    below = float(stdtr(found.n - 1, found.mean / found.naive_error))
    return {"greater": 1 - below, "less": below, "different": min(1.0, 2 * min(below, 1 - below))}[
        alternative
    ]


def mcnemar(gained: int, lost: int, alternative: Alternative = "different") -> float:
    """McNemar's exact p-value: of the questions that only one system got right, who got more.

    Under equality each is a coin's throw (McNemar 1947): with X binomial over gained + lost with chance 1/2,
    p = P(X ≤ lost) for "greater", P(X ≤ gained) for "less", and min(1, 2 P(X ≤ min(gained, lost))) for
    "different"; 1 where they never disagree.
    """
    fewest = {"greater": lost, "less": gained, "different": min(gained, lost)}[alternative]
    share = float(bdtr(float(fewest), gained + lost, 0.5))
    return min(1.0, 2 * share) if alternative == "different" else share


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

    def power_at(clusters: int) -> float:
        error, freedom = spread.standard_error(clusters), spread.freedom(clusters)
        return power_of(difference, error, freedom, alpha, two_sided)

    enough = 2
    while power_at(enough) < power:
        enough *= 2
        if enough > MOST_CLUSTERS:
            raise ValueError(f"A difference of {difference:g} takes more than {MOST_CLUSTERS:,} clusters.")
    short = enough // 2
    while enough - short > 1:
        middle = (short + enough) // 2
        short, enough = (short, middle) if power_at(middle) >= power else (middle, enough)
    return Plan(ceil(enough * spread.per_cluster - 1e-9), enough, power_at(enough))


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
