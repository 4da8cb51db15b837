"""The draw: the same whatever the order, never more than asked for, and fair."""

import random
from itertools import combinations

import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from kg.paths.draw import Draw, ordered, pick, priority

PAIRS = st.sets(st.tuples(st.text(max_size=4), st.text(max_size=4)), max_size=30)


def drawn(pairs: list[tuple[str, str]], size: int, seed: int) -> list[tuple[str, str]]:
    draw = Draw(size, seed)
    for start, end in pairs:
        draw.offer(start, end)
    assert draw.offered == len(pairs)
    return draw.drawn()


@given(PAIRS, st.integers(1, 10), st.integers(0, 3), st.randoms(use_true_random=False))
def test_the_order_of_offers_does_not_matter(
    pairs: set[tuple[str, str]], size: int, seed: int, shuffler: random.Random
) -> None:
    one = sorted(pairs)
    other = one.copy()
    shuffler.shuffle(other)
    assert drawn(one, size, seed) == drawn(other, size, seed)


@given(PAIRS, st.integers(1, 10), st.integers(0, 3))
def test_it_holds_as_many_different_pairs_as_it_can(
    pairs: set[tuple[str, str]], size: int, seed: int
) -> None:
    found = drawn(sorted(pairs), size, seed)
    assert len(found) == len(set(found)) == min(size, len(pairs))
    assert set(found) <= pairs


@given(PAIRS, st.integers(1, 9), st.integers(0, 3))
def test_a_larger_draw_goes_on_from_a_smaller_one(pairs: set[tuple[str, str]], size: int, seed: int) -> None:
    assert drawn(sorted(pairs), size + 1, seed)[:size] == drawn(sorted(pairs), size, seed)


def test_every_pair_is_as_likely_as_any_other() -> None:
    pairs = [(f"start-{i}", f"end-{j}") for i in range(5) for j in range(4)]
    counts = dict.fromkeys(pairs, 0)
    for seed in range(2_000):
        for pair in drawn(pairs, 4, seed):
            counts[pair] += 1
    assert sum(counts.values()) == 8_000
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_pairs_are_drawn_independently_of_each_other() -> None:
    pairs = [(f"start-{i}", "end") for i in range(5)]
    counts = dict.fromkeys(combinations(pairs, 2), 0)
    for seed in range(3_000):
        one, other = sorted(drawn(pairs, 2, seed))
        counts[one, other] += 1
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_a_seed_makes_a_draw() -> None:
    pairs = [(f"start-{i}", "end") for i in range(50)]
    assert drawn(pairs, 10, 1) == drawn(pairs, 10, 1) != drawn(pairs, 10, 2)


def test_a_direction_is_a_pair_of_its_own() -> None:
    assert priority(0, "a", "b") != priority(0, "b", "a")
    assert priority(0, "ab", "c") != priority(0, "a", "bc")
    assert 0 <= priority(0, "a") < 2**64


def test_items_are_ordered_by_seed_not_by_name() -> None:
    names = [f"entity-{i}" for i in range(30)]
    found = ordered(5, names)
    assert sorted(found) == sorted(names)
    assert found == ordered(5, reversed(names)) != ordered(6, names)
    assert found != sorted(names)


def test_one_of_many_is_picked_by_seed_in_any_order() -> None:
    candidates = [[f"edge-{i}", f"edge-{i + 1}"] for i in range(6)]
    picked = [pick(seed, candidates) for seed in range(300)]
    assert picked == [pick(seed, candidates[::-1]) for seed in range(300)]
    counts = [picked.count(candidate) for candidate in candidates]
    assert chisquare(counts).pvalue > 0.001


@pytest.mark.parametrize("only", [["edge-1"], ["edge-1", "edge-2"]])
def test_where_there_is_one_it_is_picked(only: list[str]) -> None:
    assert pick(3, [only]) == only
