"""Corpora that are too large for one mixture are divided into cells."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from threadpoolctl import threadpool_limits

from kg.resolve.clusters import cluster_claims
from tests.kg.resolve.test_clusters import Vectors, strongest, topics

CELL = 400


def stories(count: int, claims_each: int) -> Vectors:
    return topics(count, claims_each, noise=0.4, seed=5)


def test_clusters_do_not_grow_with_the_corpus() -> None:
    for count in (20, 80):
        clusters = cluster_claims(stories(count, 40), seed=1, largest_cell=CELL)
        sizes = Counter(member.cluster for member in clusters.memberships)
        assert max(sizes.values()) <= CELL
        assert clusters.cells > 1
        assert clusters.size >= count / 4


def test_every_claim_keeps_its_row_and_its_strongest_cluster() -> None:
    vectors = stories(40, 40)
    clusters = cluster_claims(vectors, seed=1, largest_cell=CELL, threshold=0.1)
    of_claim: dict[int, list[float]] = defaultdict(list)
    for member in clusters.memberships:
        of_claim[member.claim].append(member.probability)
    assert sorted(of_claim) == list(range(len(vectors)))
    assert all(sum(shares) <= 1.001 for shares in of_claim.values())
    assert all(share >= 0.1 for shares in of_claim.values() if len(shares) > 1 for share in shares)
    assert sum(clusters.weights) == pytest.approx(1, abs=0.01)


def test_claims_of_a_story_stay_together_across_cells() -> None:
    clusters = cluster_claims(stories(40, 40), seed=1, largest_cell=CELL)
    chosen = strongest(clusters)
    together = [Counter(chosen[start : start + 40]).most_common(1)[0][1] for start in range(0, 1_600, 40)]
    assert sum(count >= 30 for count in together) >= 36


def test_the_result_is_the_same_whatever_the_threads() -> None:
    vectors = stories(30, 40)
    with threadpool_limits(limits=1):
        one = cluster_claims(vectors, seed=3, largest_cell=CELL)
    with threadpool_limits(limits=2):
        two = cluster_claims(vectors.copy(), seed=3, largest_cell=CELL)
    assert one == two


def test_equal_claims_that_cannot_be_divided_stay_one_cell() -> None:
    vectors = np.tile(topics(1, 1), (3 * CELL, 1))
    clusters = cluster_claims(vectors, seed=0, largest_cell=CELL)
    assert clusters.size == clusters.cells == 1
    assert len(clusters.memberships) == 3 * CELL


def test_a_cell_that_takes_nearly_all_claims_ends_the_division() -> None:
    near = np.random.default_rng(2).normal(scale=1e-3, size=(3 * CELL, 8)).astype(np.float32)
    near[:6] += 5
    clusters = cluster_claims(near, seed=0, largest_cell=CELL)
    assert {member.claim for member in clusters.memberships} == set(range(3 * CELL))
