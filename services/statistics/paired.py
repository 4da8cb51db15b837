"""Two systems on the same questions: how far apart they are, and whether that could be chance.

Every comparison of two systems goes through here: the report of runs, the gate, the benchmark and the judged
comparison show the same figures for the same values, clusters and seed.
"""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from scipy.special import bdtr, stdtr

from services.statistics.clustered_means import ClusteredMean, ClusteredMeans, clustered_means
from services.statistics.groups import Floats, Partition, partition
from services.statistics.intervals import Interval
from services.statistics.resampling import DRAWS, Alternative, SignFlips, sign_flips
from services.statistics.sign_flips import SignFlip


@dataclass(frozen=True, slots=True)
class Paired:
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
) -> Paired | None:
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
    return Paired(
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
