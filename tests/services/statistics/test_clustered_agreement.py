"""Kappa over clusters: its interval covers where the naive one does not, and depends on no names."""

import numpy as np
import pytest

from services.statistics.agreement import ClusteredKappa, clustered_kappa, cohen_kappa
from services.statistics.groups import Partition, partition


def told(first: list[bool], second: list[bool], parts: Partition, seed: int = 0) -> ClusteredKappa:
    found = clustered_kappa(first, second, parts, np.random.default_rng(seed), draws=400)
    assert found is not None
    return found


def verdicts(rng: np.random.Generator, clusters: int, each: int) -> tuple[list[bool], list[bool], Partition]:
    """Whole clusters on which the second judge agrees or throws a coin, half and half: kappa .5."""
    parts = Partition(np.repeat(np.arange(clusters), each), clusters)
    first = rng.random(clusters * each) < 0.5
    follows = (rng.random(clusters) < 0.5)[parts.codes]
    second = np.where(follows, first, rng.random(clusters * each) < 0.5)
    return first.tolist(), second.tolist(), parts


def test_the_point_is_cohens_and_the_interval_holds_it() -> None:
    first, second, parts = verdicts(np.random.default_rng(1), 30, 4)
    found = told(first, second, parts)
    assert found.plain == cohen_kappa(first, second)
    assert found.clusters == 30
    assert found.interval is not None
    assert found.plain.value is not None
    assert found.interval.low < found.plain.value < found.interval.high


def test_lone_items_have_about_the_naive_interval() -> None:
    first, second, parts = verdicts(np.random.default_rng(2), 400, 1)
    found = told(first, second, parts)
    assert found.interval is not None
    assert found.plain.interval is not None
    assert found.interval.low == pytest.approx(found.plain.interval.low, abs=0.02)
    assert found.interval.high == pytest.approx(found.plain.interval.high, abs=0.02)


def test_it_covers_where_the_naive_interval_does_not() -> None:
    rng = np.random.default_rng(3)
    covered = naive = 0
    for seed in range(150):
        found = told(*verdicts(rng, 40, 10), seed=seed)
        assert found.interval is not None
        assert found.plain.interval is not None
        covered += found.interval.low <= 0.5 <= found.interval.high
        naive += found.plain.interval.low <= 0.5 <= found.plain.interval.high
    assert 0.9 <= covered / 150 <= 0.985
    assert naive / 150 < 0.8


def test_names_and_order_change_nothing() -> None:
    first, second, parts = verdicts(np.random.default_rng(4), 12, 5)
    order = np.random.default_rng(5).permutation(60)
    turned = partition([f"c{parts.codes[place]}" for place in order])
    shuffled = told([first[place] for place in order], [second[place] for place in order], turned)
    assert shuffled.interval == told(first, second, parts).interval


def test_three_categories_can_be_told_apart() -> None:
    first = ["right", "partly", "wrong", "right", "wrong", "partly"] * 10
    second = ["right", "partly", "wrong", "partly", "wrong", "right"] * 10
    parts = Partition(np.repeat(np.arange(15), 4), 15)
    found = clustered_kappa(first, second, parts, np.random.default_rng(0), draws=500)
    assert found is not None
    assert found.plain.value == pytest.approx(0.5)
    assert found.interval is not None


def test_one_cluster_full_agreement_or_no_item_gives_no_interval() -> None:
    alone = Partition(np.zeros(4, np.intp), 1)
    assert told([True, False, True, True], [True, False, False, True], alone).interval is None
    parts = Partition(np.arange(4), 4)
    agreed = told([True, False, True, True], [True, False, True, True], parts)
    assert (agreed.plain.value, agreed.interval) == (1.0, None)
    assert told([True] * 4, [True] * 4, parts).plain.value is None
    assert clustered_kappa([], [], Partition(np.zeros(0, np.intp), 0), np.random.default_rng(0)) is None
    with pytest.raises(ValueError, match="4 items and 1 clusters"):
        told([True] * 4, [False] * 4, partition(["a"]))
