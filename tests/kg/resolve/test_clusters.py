"""Corpora that are too large for one mixture are divided into cells."""

from collections import Counter, defaultdict

import numpy as np
import pytest
from numpy.typing import NDArray
from threadpoolctl import threadpool_limits

from kg.resolve.clusters import Clusters, cluster_claims

Vectors = NDArray[np.float32]


def topics(count: int, claims_each: int, noise: float = 0.3, seed: int = 7) -> Vectors:
    """Unit vectors around `count` random directions, topic by topic."""
    generator = np.random.default_rng(seed)
    centres = np.repeat(generator.normal(size=(count, 48)), claims_each, axis=0)
    vectors = centres + noise * generator.normal(size=centres.shape)
    return np.asarray(vectors / np.linalg.norm(vectors, axis=1, keepdims=True), dtype=np.float32)


def strongest(clusters: Clusters) -> list[int]:
    """Each claim's most probable cluster."""
    best: dict[int, tuple[float, int]] = {}
    for member in clusters.memberships:
        best[member.claim] = max(best.get(member.claim, (0.0, 0)), (member.probability, member.cluster))
    return [best[claim][1] for claim in sorted(best)]


def test_claims_of_a_topic_come_together() -> None:
    clusters = cluster_claims(topics(4, 40), seed=3)
    chosen = strongest(clusters)
    by_topic = [Counter(chosen[start : start + 40]) for start in range(0, 160, 40)]
    assert clusters.size == 4
    assert len({counts.most_common(1)[0][0] for counts in by_topic}) == 4
    assert all(counts.most_common(1)[0][1] >= 38 for counts in by_topic)


def test_the_size_has_the_lowest_bic() -> None:
    clusters = cluster_claims(topics(4, 40), seed=3)
    assert clusters.size == min(clusters.bic, key=lambda entry: entry[1])[0]
    assert len(clusters.bic) > 3


def two_overlapping_topics(claims_each: int) -> Vectors:
    """Points in a plane around (-2.5, 0) and (2.5, 0), mirrored, and the origin as the last."""
    left = np.random.default_rng(5).normal(size=(claims_each, 2)) * [1.0, 0.3] - [2.5, 0.0]
    return np.vstack([left, -left, [[0.0, 0.0]]]).astype(np.float32)


def test_a_claim_between_two_topics_belongs_to_both() -> None:
    vectors = two_overlapping_topics(100)
    clusters = cluster_claims(vectors, seed=1)
    of_claim = defaultdict(list)
    for member in clusters.memberships:
        of_claim[member.claim].append(member.probability)
    assert clusters.size == 2
    assert len(of_claim[200]) == 2
    assert sum(of_claim[200]) == pytest.approx(1, abs=1e-3)
    assert len(of_claim[int(vectors[:, 0].argmin())]) == 1


def test_a_claim_below_the_threshold_everywhere_is_in_its_strongest_cluster() -> None:
    clusters = cluster_claims(two_overlapping_topics(100), seed=1, threshold=1.0)
    assert [member.claim for member in clusters.memberships] == list(range(201))
    assert min(member.probability for member in clusters.memberships) < 1


def test_the_same_input_and_seed_give_the_same_clusters() -> None:
    vectors = topics(5, 50, noise=0.8)
    assert cluster_claims(vectors, seed=11) == cluster_claims(vectors.copy(), seed=11)


def test_claims_outside_the_sample_are_clustered_too() -> None:
    vectors = topics(3, 200)
    clusters = cluster_claims(vectors, seed=2, sample_size=150)
    chosen = strongest(clusters)
    assert len(chosen) == 600
    for start in range(0, 600, 200):
        assert Counter(chosen[start : start + 200]).most_common(1)[0][1] >= 190


def test_many_claims_keep_their_row_numbers() -> None:
    vectors = two_overlapping_topics(5_000)
    clusters = cluster_claims(vectors, seed=2, sample_size=200, threshold=1.0)
    assert [member.claim for member in clusters.memberships] == list(range(10_001))
    chosen = strongest(clusters)
    assert chosen[int(vectors[:, 0].argmin())] != chosen[int(vectors[:, 0].argmax())]


@pytest.mark.parametrize("n", [1, 2, 3])
def test_few_claims_are_one_cluster(n: int) -> None:
    clusters = cluster_claims(topics(1, n), seed=0)
    assert clusters.weights == (1.0,)
    assert [(member.claim, member.cluster, member.probability) for member in clusters.memberships] == [
        (claim, 0, 1.0) for claim in range(n)
    ]


def test_no_claims_are_no_cluster() -> None:
    clusters = cluster_claims(np.zeros((0, 8), dtype=np.float32), seed=0)
    assert clusters.size == 0
    assert clusters.memberships == ()


def test_equal_claims_are_one_cluster() -> None:
    assert cluster_claims(np.tile(topics(1, 1), (50, 1)), seed=0).size == 1
    few_different = np.repeat(topics(5, 1), 20, axis=0)
    assert {member.claim for member in cluster_claims(few_different, seed=0).memberships} == set(range(100))


def test_vectors_that_are_no_finite_matrix_are_refused() -> None:
    with pytest.raises(ValueError, match="finite"):
        cluster_claims(np.full((5, 3), np.nan, dtype=np.float32), seed=0)
    with pytest.raises(ValueError, match="matrix"):
        cluster_claims(np.zeros(5, dtype=np.float32), seed=0)
    with pytest.raises(ValueError, match="threshold"):
        cluster_claims(topics(1, 5), seed=0, threshold=0.0)


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
