"""How clustering grows with the number of claims: CPU seconds, memory, clusters, memberships.

    python -m benchmarks.clusters [--sizes 1000,10000,50000,200000] [--seed 0]

The claims are synthetic: unit vectors around stories that lie around topics, so that topics overlap and the
number of stories grows with the corpus, as news do (12 claims a story, 40 stories a topic). Each size runs in
a process of its own, so that peaks of memory don't mix.
"""

import argparse
import os
import resource
import subprocess
import sys
import time
from collections import Counter

import numpy as np
from numpy.typing import NDArray

DIMENSIONS = 384
CLAIMS_A_STORY, STORIES_A_TOPIC = 12, 40
TOPIC_SPREAD, STORY_SPREAD, NOISE = 1.0, 0.6, 0.7
SIZES = (1_000, 10_000, 50_000, 200_000)
MIB, BLOCK = 1024, 1_000


def synthetic_claims(count: int, seed: int) -> NDArray[np.float32]:
    """Unit vectors (count, 384) around stories around topics, in an order that tells nothing."""
    generator = np.random.default_rng(seed)
    stories = max(1, count // CLAIMS_A_STORY)
    topics = TOPIC_SPREAD * generator.standard_normal((max(1, stories // STORIES_A_TOPIC), DIMENSIONS))
    centres = topics[generator.integers(len(topics), size=stories)].astype(np.float32)
    centres += STORY_SPREAD * generator.standard_normal(centres.shape, dtype=np.float32)
    vectors = np.empty((count, DIMENSIONS), dtype=np.float32)
    # In blocks, so that the peak of memory before the measurement is the vectors themselves.
    for start in range(0, count, BLOCK):
        block = vectors[start : start + BLOCK]
        block[:] = centres[generator.integers(stories, size=len(block))]
        block += NOISE * generator.standard_normal(block.shape, dtype=np.float32)
        block /= np.linalg.norm(block, axis=1, keepdims=True)
    return vectors


def measure(count: int, seed: int) -> str:
    """One line of the table."""
    from kg.resolve.clusters import cluster_claims  # noqa: PLC0415

    vectors = synthetic_claims(count, seed)
    before = _peak_mib()
    start = time.process_time()
    clusters = cluster_claims(vectors, seed=seed)
    seconds = time.process_time() - start
    sizes = sorted(Counter(member.cluster for member in clusters.memberships).values())
    return (
        f"{count:>9,}{seconds:>9.1f}{1e6 * seconds / count:>10.0f}{_peak_mib() - before:>9,.0f}"
        f"{vectors.nbytes / 2**20:>9,.0f}{clusters.cells:>7}{clusters.size:>10,}"
        f"{sizes[len(sizes) // 2]:>9,}{sizes[-1]:>9,}{len(clusters.memberships) / count:>13.2f}"
    )


def _peak_mib() -> float:
    return resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / MIB


def main() -> int:
    """Print the table."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0] if __doc__ else None)
    parser.add_argument("--sizes", default=",".join(map(str, SIZES)), help="claims, with commas between")
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--one", type=int, default=0, help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.one:
        print(measure(options.one, options.seed))
        return 0
    print(f"{os.cpu_count()} cores, load average at the start {os.getloadavg()[0]:.1f}; one thread is used")
    print(
        f"{'claims':>9}{'CPU s':>9}{'us/claim':>10}{'MiB more':>9}{'MiB in':>9}{'cells':>7}{'clusters':>10}"
        f"{'median':>9}{'largest':>9}{'memberships':>13}"
    )
    for size in options.sizes.split(","):
        command = [sys.executable, "-m", "benchmarks.clusters", "--one", size, "--seed", str(options.seed)]
        print(subprocess.run(command, check=True, capture_output=True, text=True).stdout.rstrip(), flush=True)
    return 0


if __name__ == "__main__":
    sys.exit(main())
