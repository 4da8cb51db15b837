"""How long the statistics of a report take over many questions, and how they behave on clustered data.

    python -m benchmarks.statistics [--questions 20000] [--simulations 1000]

Times: difficulty matrix, paired comparison with cluster bootstrap and sign-flip (10,000 draws each),
ablation, and the columns of a judged comparison all at once, on synthetic verdicts in articles of 1 to 12
questions; then the same with every question on its own, which is the most clusters that there can be. The
simulation draws pairs of systems with a known difference and counts how often the 95 % interval holds it, and
how often a test at .05 finds a difference where there is none, by cluster and naively; the inference of
judged comparisons has a simulation of its own, benchmarks.clustered_truth.
"""

import argparse
import os
import resource
import time
from collections.abc import Callable, Iterator

import numpy as np

from kg.paths.protocol import DEPTHS
from services.evaluate.matrix import AnswerVerdict, difficulty_matrix
from services.questions.difficulty import AGGREGATES
from services.report.collect import Difficulties, ablate
from services.statistics.clustered_means import clustered_means
from services.statistics.intervals import Floats, Partition, partition
from services.statistics.paired import compare_paired
from services.statistics.resampling import cluster_bootstraps, sign_flips
from tests.services.statistics.clustered_pairs import clustered_pairs
from tests.services.statistics.correlated_verdicts import correlated_differences

LARGEST = 12
COLUMNS = 300
DIFFERENCE = 0.1


def main() -> None:
    """Print both parts."""
    parser = argparse.ArgumentParser(description="Time and check the statistics of a report.")
    parser.add_argument("--questions", type=int, default=20_000)
    parser.add_argument("--simulations", type=int, default=1_000)
    options = parser.parse_args()
    print(f"{os.cpu_count()} cores, load average at the start {os.getloadavg()[0]:.1f}")
    for largest, name in ((LARGEST, f"articles of 1 to {LARGEST} questions"), (1, "every question alone")):
        print(f"\n{options.questions:,} questions, {name}")
        for what, seconds in times(options.questions, largest):
            print(f"  {what:<44}{seconds:>8.2f} s")
    print(f"  peak memory {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MiB")
    print(f"\n{options.simulations:,} simulated pairs of systems, 10,000 draws each")
    print(
        f"  {'articles':>8}{'95 % interval holds it':>24}{'naive':>8}{'false alarms at .05':>22}{'naive':>8}"
    )
    for clusters in (10, 20, 40, 100):
        covered, naively, alarms, naive_alarms = behaviour(clusters, options.simulations)
        print(f"  {clusters:>8}{covered:>24.3f}{naively:>8.3f}{alarms:>22.3f}{naive_alarms:>8.3f}")


def times(questions: int, largest: int) -> Iterator[tuple[str, float]]:
    """The seconds of each part of a report's statistics over so many questions."""
    rng = np.random.default_rng(0)
    first, second, clusters = _pairs(rng, questions, largest)
    difficulties = rng.random(questions)
    hops = rng.integers(DEPTHS[0], DEPTHS[-1] + 1, questions)
    rows = [
        AnswerVerdict(
            question_id=f"q{i}",
            hops=int(hops[i]),
            bin=int(difficulties[i] * 4) + 1,
            difficulty=float(difficulties[i]),
            wrong=not first[i],
            cluster=clusters[i],
            articles=(clusters[i], f"article-{i % 997}"),
        )
        for i in range(questions)
    ]
    values = tuple(map(float, difficulties))
    cut = Difficulties(
        tuple(row.question_id for row in rows),
        tuple(row.hops for row in rows),
        dict.fromkeys(AGGREGATES, values),
    )
    yield "difficulty matrix, intervals, correlations", _seconds(lambda: difficulty_matrix(rows))
    yield "ablation of three aggregates", _seconds(lambda: ablate(rows, cut, "depth"))
    yield (
        "one paired comparison, 10,000 draws each",
        _seconds(lambda: compare_paired(first, second, clusters)),
    )
    parts = partition(clusters)
    differences = correlated_differences(rng, parts, DIFFERENCE, 0.2, COLUMNS)
    yield f"{COLUMNS} differences, 10,000 draws each", _seconds(lambda: _all_at_once(differences, parts))


def _all_at_once(differences: Floats, parts: Partition) -> None:
    totals = clustered_means(differences, parts).totals
    cluster_bootstraps(totals, np.random.default_rng(2))
    sign_flips(totals, np.random.default_rng(3))


def behaviour(clusters: int, simulations: int) -> tuple[float, float, float, float]:
    """Coverage by cluster and naive, then false alarms by cluster and naive, over simulations."""
    rng = np.random.default_rng(clusters)
    counts = np.zeros(4)
    for _ in range(simulations):
        found = compare_paired(*clustered_pairs(rng, clusters, DIFFERENCE))
        null = compare_paired(*clustered_pairs(rng, clusters, 0.0))
        if found is None or found.interval is None or null is None or null.test is None:
            raise ValueError(f"{clusters} clusters are too few to compare over.")
        counts += (
            found.interval.low <= DIFFERENCE <= found.interval.high,
            found.naive_interval.low <= DIFFERENCE <= found.naive_interval.high,
            null.test.p_value < 0.05,
            null.naive_p < 0.05,
        )
    covered, naively, alarms, naive_alarms = (counts / simulations).tolist()
    return covered, naively, alarms, naive_alarms


def _pairs(
    rng: np.random.Generator, questions: int, largest: int
) -> tuple[list[bool], list[bool], list[str]]:
    first, second, clusters = clustered_pairs(rng, 2 * questions // (largest + 1) + 200, DIFFERENCE, largest)
    return first[:questions], second[:questions], clusters[:questions]


def _seconds(work: Callable[[], object]) -> float:
    started = time.perf_counter()
    work()
    return time.perf_counter() - started


if __name__ == "__main__":
    main()
