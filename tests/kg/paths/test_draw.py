"""The draw: the same whatever the order, never more than asked for, and fair."""

import random
from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.stats import chisquare

from kg.paths.protocol import Reach
from kg.paths.spread import PairDraw, entity_keys, in_seeded_order, pair_priorities, seeded_number

ENTITIES = [f"entity-{i}" for i in range(40)]
NUMBERS = st.integers(0, len(ENTITIES) - 1)
PAIRS = st.sets(st.tuples(NUMBERS, NUMBERS), max_size=60)
Pairs = list[tuple[int, int]]


def offer(draw: PairDraw, pairs: Pairs) -> None:
    """Offer pairs start by start, as an engine finds them."""
    starts = list(dict.fromkeys(start for start, _ in pairs))
    ends = [[end for start, end in pairs if start == one] for one in starts]
    draw.offer(
        Reach(
            2,
            np.array(starts, np.int32),
            np.cumsum([0, *map(len, ends)]),
            np.array([end for found in ends for end in found], np.int32),
        )
    )


def drawn(pairs: Pairs, size: int, seed: int, above: int | None = None) -> Pairs:
    draw = PairDraw(size, entity_keys(seed, ENTITIES), above)
    middle = len(pairs) // 2
    offer(draw, pairs[:middle])
    offer(draw, pairs[middle:])
    return [(start, end) for _, start, end in draw.rows()]


@given(PAIRS, st.integers(1, 10), st.integers(0, 3), st.randoms(use_true_random=False))
def test_the_order_of_offers_does_not_matter(
    pairs: set[tuple[int, int]], size: int, seed: int, shuffler: random.Random
) -> None:
    one = sorted(pairs)
    other = shuffler.sample(one, len(one))
    assert drawn(one, size, seed) == drawn(other, size, seed)


@given(PAIRS, st.integers(1, 10), st.integers(0, 3))
def test_it_draws_the_pairs_of_smallest_priority(pairs: set[tuple[int, int]], size: int, seed: int) -> None:
    keys = entity_keys(seed, ENTITIES)
    starts, ends = (np.array([pair[i] for pair in pairs], np.int32) for i in (0, 1))
    by_priority = zip(
        pair_priorities(keys, starts, ends).tolist(), starts.tolist(), ends.tolist(), strict=True
    )
    expected = [(start, end) for _, start, end in sorted(by_priority)[:size]]
    assert drawn(sorted(pairs), size, seed) == expected


@given(PAIRS, st.integers(1, 9), st.integers(0, 3))
def test_a_later_draw_goes_on_where_an_earlier_one_stopped(
    pairs: set[tuple[int, int]], size: int, seed: int
) -> None:
    first = PairDraw(size, entity_keys(seed, ENTITIES))
    offer(first, sorted(pairs))
    last = max((priority for priority, _, _ in first.rows()), default=None)
    rest = drawn(sorted(pairs), len(pairs) + 1, seed, above=last)
    assert [(a, b) for _, a, b in first.rows()] + rest == drawn(sorted(pairs), len(pairs) + 1, seed)


def test_every_pair_is_as_likely_as_any_other() -> None:
    pairs = [(i, 20 + j) for i in range(5) for j in range(4)]
    counts = dict.fromkeys(pairs, 0)
    for seed in range(2_000):
        for pair in drawn(pairs, 4, seed):
            counts[pair] += 1
    assert sum(counts.values()) == 8_000
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_pairs_are_drawn_independently_of_each_other() -> None:
    """Also those that share a start or an end, in which a weak hash would show."""
    pairs = [(i, j) for i in (0, 1, 2) for j in (7, 8)]
    counts = dict.fromkeys(combinations(pairs, 2), 0)
    for seed in range(3_000):
        one, other = sorted(drawn(pairs, 2, seed))
        counts[one, other] += 1
    assert chisquare(list(counts.values())).pvalue > 0.001


def test_priorities_spread_over_their_whole_range() -> None:
    keys = entity_keys(0, map(str, range(400)))
    starts, ends = np.divmod(np.arange(160_000, dtype=np.int32), 400)
    priorities = pair_priorities(keys, starts, ends)
    assert len(np.unique(priorities)) == len(priorities)
    counts = np.bincount((priorities >> np.uint64(56)).astype(np.int64), minlength=256)
    assert chisquare(counts).pvalue > 0.001


def test_a_seed_makes_a_draw_and_an_order() -> None:
    pairs = [(i, i + 1) for i in range(30)]
    assert drawn(pairs, 10, 1) == drawn(pairs, 10, 1) != drawn(pairs, 10, 2)
    numbers = np.arange(40, dtype=np.int32)
    one, other = (in_seeded_order(entity_keys(seed, ENTITIES), numbers).tolist() for seed in (1, 2))
    assert sorted(one) == sorted(other) == numbers.tolist()
    assert one != other


def test_a_direction_is_a_pair_of_its_own() -> None:
    one, other = pair_priorities(
        entity_keys(0, ENTITIES), np.array([3, 7], np.int32), np.array([7, 3], np.int32)
    )
    assert one != other


def test_a_priority_depends_on_labels_not_on_places() -> None:
    one = entity_keys(5, ["a", "b", "c"])
    assert one.tolist() == entity_keys(5, ["c", "b", "a"])[::-1].tolist()


@pytest.mark.parametrize("parts", [("ab", "c"), ("a", "bc"), ("a", "b", "c"), ("abc",)])
def test_parts_of_a_seeded_number_do_not_run_into_each_other(parts: tuple[str, ...]) -> None:
    others = {("ab", "c"), ("a", "bc"), ("a", "b", "c"), ("abc",)} - {parts}
    assert seeded_number(0, *parts) not in {seeded_number(0, *other) for other in others}
    assert 0 <= seeded_number(0, *parts) < 2**128
