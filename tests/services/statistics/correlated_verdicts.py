"""Simulated verdicts with a known difference and a known correlation of the questions of a cluster."""

import numpy as np

from services.statistics.intervals import Floats, Partition


def uneven_clusters(rng: np.random.Generator, clusters: int, largest: int = 12) -> Partition:
    """Clusters of 1 to `largest` questions, each size as likely as any other."""
    sizes = rng.integers(1, largest + 1, clusters)
    return Partition(np.repeat(np.arange(clusters), sizes), clusters)


def correlated_verdicts(
    rng: np.random.Generator, parts: Partition, accuracy: float, intra_cluster: float, columns: int
) -> Floats:
    """Verdicts 0 and 1 of one system, shape (n, columns): so many independent sets over one partition.

    Each cluster has an accuracy of its own from the beta distribution with mean `accuracy` for which two
    verdicts of a cluster correlate by `intra_cluster`: variance p (1 - p) r, so a + b = 1 / r - 1.
    """
    if intra_cluster > 0:
        weight = 1 / intra_cluster - 1
        rates = rng.beta(accuracy * weight, (1 - accuracy) * weight, (parts.size, columns))
    else:
        rates = np.full((parts.size, columns), accuracy)
    return (rng.random((len(parts.codes), columns)) < rates[parts.codes]).astype(np.float64)


def correlated_differences(
    rng: np.random.Generator, parts: Partition, difference: float, intra_cluster: float, columns: int
) -> Floats:
    """Paired differences -1, 0, 1 of two systems around .5, the second better by `difference`.

    The systems fail independently, so that the differences of a cluster correlate by `intra_cluster` as well.
    """
    first, second = (
        correlated_verdicts(rng, parts, 0.5 + sign * difference / 2, intra_cluster, columns)
        for sign in (-1, 1)
    )
    return second - first
