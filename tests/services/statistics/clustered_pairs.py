"""Simulated verdicts of two systems whose failures come in clusters, with a known true difference."""

import numpy as np

Pairs = tuple[list[bool], list[bool], list[str]]


def clustered_pairs(rng: np.random.Generator, clusters: int, difference: float, largest: int = 12) -> Pairs:
    """Verdicts of two systems on clusters of 1 to `largest` questions; the second is better by `difference`.

    Within a cluster each system has an accuracy of its own around its mean, so that a whole cluster goes well
    with one of them and badly with the other. A cluster's size has nothing to do with its accuracies.
    """
    sizes = rng.integers(1, largest + 1, clusters)
    ids = np.repeat(np.arange(clusters), sizes)
    rates = np.clip(0.5 + rng.uniform(-0.35, 0.35, (2, clusters)), 0, 1)
    rates[0] -= difference / 2
    rates[1] += difference / 2
    right = rng.random((2, len(ids))) < rates[:, ids]
    return right[0].tolist(), right[1].tolist(), [f"article-{number}" for number in ids.tolist()]
