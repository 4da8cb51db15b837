"""How often clustered intervals hold a known difference, and how often tests see one that isn't there.

    python -m benchmarks.clustered_truth [--repetitions 20000] [--draws 4000] [--clusters 5 10] [--least 2]
    python -m benchmarks.clustered_truth --rates .5 .9 .98

Two systems of a known difference answer questions in clusters of 1 to 12, with a known correlation of the
verdicts of a cluster. Coverage is the share of 95 % intervals that hold the true difference of .1: Student's
with clustered errors, expanded percentile, BCa, and the naive one. False alarms are the share of p ≤ .05
where both systems are equally good: Student's test with clustered errors, sign-flip, and the naive z test.
A dash stands for intervals that so few clusters don't get; `--least 2` shows how they would do.
With `--rates` it is about one system of a known rate instead: coverage of the score interval by cluster, of
Student's, and of Wilson's, which is naive. Over 20,000 repetitions a share of 95 % is known to ±0.3 %. Tables
are printed as Markdown.
"""

import argparse
from collections.abc import Iterator

import numpy as np
from scipy.special import ndtr

from services.statistics.clustered_means import ClusteredMeans, clustered_means, rate_intervals
from services.statistics.intervals import LEAST_TO_RESAMPLE, Floats
from services.statistics.resampling import cluster_bootstraps, sign_flips
from tests.services.statistics.correlated_verdicts import (
    correlated_differences,
    correlated_verdicts,
    uneven_clusters,
)

CORRELATIONS = (0.0, 0.1, 0.2, 0.3, 0.5)
CLUSTERS = (5, 6, 8, 10, 12, 20, 40, 100)
DIFFERENCE = 0.1
INTERVALS = ("t interval", "percentile", "BCa", "naive interval")
OF_RATES = ("score interval", "t interval", "naive interval")
TESTS = ("t test", "sign-flip", "naive test")
SETS = 50
"""Independent sets of verdicts over one drawing of cluster sizes; they share the draws of the bootstrap."""


def main() -> None:
    """Print the table row by row."""
    parser = argparse.ArgumentParser(description="Check clustered inference on data with a known truth.")
    parser.add_argument("--repetitions", type=int, default=20_000)
    parser.add_argument("--draws", type=int, default=4_000)
    parser.add_argument("--clusters", type=int, nargs="+", default=CLUSTERS)
    parser.add_argument("--least", type=int, default=LEAST_TO_RESAMPLE, help="clusters that bootstraps want")
    parser.add_argument("--rates", type=float, nargs="+", default=(), help="true rates of one system")
    options = parser.parse_args()
    _print_row("clusters", "correlation", *(("rate", *OF_RATES) if options.rates else (*INTERVALS, *TESTS)))
    _print_row(*("---" for _ in range(6 if options.rates else 9)))
    for clusters in options.clusters:
        for correlation in CORRELATIONS:
            place = (str(clusters), f"{correlation:g}")
            for rate in options.rates:
                held = rate_coverage(clusters, correlation, rate, options.repetitions)
                _print_row(*place, f"{rate:g}", *map(_percent, held))
            if not options.rates:
                shares = behaviour(clusters, correlation, options.repetitions, options.draws, options.least)
                _print_row(*place, *map(_percent, shares))


def rate_coverage(clusters: int, correlation: float, rate: float, repetitions: int) -> Floats:
    """The shares of intervals that hold a true rate, by OF_RATES."""
    rng = np.random.default_rng([clusters, round(100 * correlation), round(1000 * rate)])
    rounds, shares = max(1, repetitions // SETS), np.zeros(3)
    for _ in range(rounds):
        parts = uneven_clusters(rng, clusters)
        means = clustered_means(correlated_verdicts(rng, parts, rate, correlation, SETS), parts, least=0.0)
        score = rate_intervals(means)
        pairs = ((score.low, score.high), (means.low, means.high), (score.naive_low, score.naive_high))
        shares += [np.mean((low <= rate) & (rate <= high)) for low, high in pairs]
    return shares / rounds


def behaviour(clusters: int, correlation: float, repetitions: int, draws: int, least: int) -> Floats:
    """The shares of coverage by INTERVALS, then of false alarms by TESTS."""
    rng = np.random.default_rng([clusters, round(100 * correlation)])
    rounds = max(1, repetitions // SETS)
    shares = np.zeros(7)
    for _ in range(rounds):
        parts = uneven_clusters(rng, clusters)
        found = clustered_means(correlated_differences(rng, parts, DIFFERENCE, correlation, SETS), parts)
        shares[:4] += list(_coverage(found, rng, draws, least))
        null = clustered_means(correlated_differences(rng, parts, 0.0, correlation, SETS), parts)
        # Student's test at .05 sees a difference just where its 95 % interval leaves out 0.
        shares[4] += np.mean((null.low > 0) | (null.high < 0))
        shares[5] += np.mean(sign_flips(null.totals, rng, draws).different <= 0.05)
        # Differences that are all 0 have no error; NaN is no false alarm.
        with np.errstate(invalid="ignore"):
            shares[6] += np.mean(2 * ndtr(-np.abs(null.mean) / null.naive_error) <= 0.05)
    return shares / rounds


def _coverage(found: ClusteredMeans, rng: np.random.Generator, draws: int, least: int) -> Iterator[float]:
    drawn = cluster_bootstraps(found.totals, rng, draws, least=least)
    for low, high in (
        (found.low, found.high),
        (drawn.low, drawn.high),
        (drawn.bca_low, drawn.bca_high),
        (found.naive_low, found.naive_high),
    ):
        holds = (low - 1e-12 <= DIFFERENCE) & (high + 1e-12 >= DIFFERENCE)
        yield float(np.mean(holds)) if np.isfinite(low).any() else np.nan


def _print_row(*cells: str) -> None:
    print(f"| {' | '.join(cells)} |", flush=True)


def _percent(share: float) -> str:
    return "-" if np.isnan(share) else f"{100 * share:.1f}"


if __name__ == "__main__":
    main()
