"""Pools written by hand, and drawn ones.

Every selector keeps to the budget and to the pool; and what each of them prefers, by hand.

The genetic selector: what each part of the fitness is, by hand, and that breeding makes sets fitter.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from kg.errors import SettingsError
from services.comparison.protocol import SelectorName
from services.rag.selection import (
    DEFAULT,
    SELECTORS,
    Places,
    Pool,
    SelectionBudget,
    Selector,
    Weights,
    by_graph,
    choose_selector,
    fitness_of,
    genetic,
    mmr,
    top_k,
)


def made_pool(
    scores: Sequence[float],
    tokens: Sequence[int],
    names: Sequence[Sequence[int]] = (),
    named: Sequence[int] = (),
    vectors: Sequence[Sequence[float]] = (),
    clusters: Sequence[int] = (),
    walked: Sequence[float] = (),
) -> Pool:
    """A pool of an article a chunk; `names` lists for each chunk the entities, of 8, that it names."""
    size = len(scores)
    held = np.zeros((size, 8), dtype=np.float32)
    for row, entities in enumerate(names):
        held[row, list(entities)] = 1
    directions = np.array(vectors or np.eye(size), dtype=np.float32)
    return Pool(
        chunks=tuple(f"chunk-{place}" for place in range(size)),
        scores=np.array(scores, dtype=np.float64),
        vectors=directions / np.linalg.norm(directions, axis=1, keepdims=True) if size else directions,
        tokens=np.array(tokens, dtype=np.int64),
        articles=np.arange(size),
        clusters=np.array(clusters if len(clusters) else range(size), dtype=np.int64),
        entities=csr_matrix(held),
        rarity=1 / np.maximum(held.sum(axis=0), 1).astype(np.float64),
        question_entities=np.isin(np.arange(8), list(named)),
        walk_scores=np.array(walked if len(walked) else [-np.inf] * size, dtype=np.float64),
    )


def drawn_pool(seed: int, size: int) -> Pool:
    """Some pool; two of its scores are often equal, and some of its chunks are too long for any budget."""
    draw = np.random.default_rng(seed)
    return made_pool(
        scores=np.round(np.sort(draw.normal(size=size))[::-1], 1).tolist(),
        tokens=draw.integers(1, 120, size).tolist(),
        names=[draw.choice(8, draw.integers(0, 4), replace=False).tolist() for _ in range(size)],
        named=draw.choice(8, draw.integers(0, 3), replace=False).tolist(),
        vectors=draw.normal(size=(size, 5)).tolist(),
        clusters=draw.integers(0, 4, size).tolist(),
        walked=np.where(draw.random(size) < 0.5, draw.normal(size=size), -np.inf).tolist(),
    )


ALL = pytest.mark.parametrize("name", SELECTORS)


def chosen(select: Selector, pool: Pool, budget: int, seed: int = 0) -> list[int]:
    return [int(place) for place in select(pool, SelectionBudget(budget, seed))]


@ALL
@given(seed=st.integers(0, 10_000), size=st.integers(0, 25), budget=st.integers(0, 400))
def test_evidence_is_of_the_pool_within_the_budget_and_leaves_no_room(
    name: str, seed: int, size: int, budget: int
) -> None:
    pool = drawn_pool(seed, size)
    places = chosen(SELECTORS[name].select, pool, budget, seed)
    assert len(set(places)) == len(places)
    assert set(places) <= set(range(size))
    left = budget - int(pool.tokens[places].sum())
    assert left >= 0
    if name != "genetic":
        assert all(pool.tokens[place] > left for place in range(size) if place not in places)


@ALL
@given(seed=st.integers(0, 10_000))
def test_equal_questions_have_equal_evidence(name: str, seed: int) -> None:
    pool, select = drawn_pool(seed, 20), SELECTORS[name].select
    assert chosen(select, pool, 200, seed) == chosen(select, pool, 200, seed)


@pytest.mark.campaign
@ALL
@given(seed=st.integers(0, 10_000), power=st.integers(-8, 8))
def test_the_unit_of_a_retrievers_scores_does_not_matter(name: str, seed: int, power: int) -> None:
    # By a power of two no digit is lost, so nothing that was equal becomes different.
    pool, select = drawn_pool(seed, 12), SELECTORS[name].select
    other = replace(pool, scores=pool.scores * 2.0**power)
    assert chosen(select, pool, 200, seed) == chosen(select, other, 200, seed)


@ALL
def test_all_is_shown_where_all_fits_and_nothing_where_nothing_does(name: str) -> None:
    pool = made_pool([3, 2, 1], [50, 60, 70])
    assert sorted(chosen(SELECTORS[name].select, pool, 180)) == [0, 1, 2]
    assert chosen(SELECTORS[name].select, pool, 49) == []


def test_top_k_passes_over_what_does_not_fit() -> None:
    pool = made_pool([0.9, 0.8, 0.7, 0.6], [60, 70, 30, 10])
    assert chosen(top_k, pool, 100) == [0, 2, 3]


def test_mmr_takes_something_else_before_more_of_the_same() -> None:
    # The second says what the first says (cosine .98): .7 * .9 - .3 * .98 = .336, and the third is worth
    # .7 * .6 - 0 = .42. Its own relevance, .42 again, is what then keeps it before the fourth, .0.
    pool = made_pool([1, 0.9, 0.6, 0], [50] * 4, vectors=[(1, 0, 0), (1, 0.2, 0), (0, 0, 1), (0.1, 1, 0)])
    assert chosen(mmr, pool, 150) == [0, 2, 1]
    assert chosen(top_k, pool, 150) == [0, 1, 2]


def test_the_graphs_ranking_goes_before_the_pools_scores() -> None:
    pool = made_pool([0.9, 0.8, 0.7, 0.6], [50] * 4, walked=[-np.inf, 0.2, -np.inf, 0.5])
    assert chosen(by_graph, pool, 200) == [3, 1, 0, 2]


def test_a_protocol_names_the_selectors_that_there_are() -> None:
    assert set(get_args(SelectorName)) == set(SELECTORS)
    with pytest.raises(SettingsError, match="'best' is not a selector"):
        choose_selector("best")


NOTHING = Weights(clusters=0, hops=0, similarity=0, redundancy=0)

# The question names entity 0. Chunk 0 leads from it over entity 1 to chunk 3, and that over entity 2 to chunk
# 4; chunks 1 and 2 are like the question, and lead nowhere.
CHAIN = made_pool(
    [1.0, 0.9, 0.8, 0.3, 0.2, 0.0], [50] * 6, names=[(0, 1), (0,), (0,), (1, 2), (2, 3), (4,)], named=[0]
)


def fitness(pool: Pool, weights: Weights, places: list[int]) -> float:
    sets = np.zeros((1, len(pool.chunks)), dtype=np.bool_)
    sets[0, places] = True
    plain = top_k(pool, SelectionBudget(100))
    return float(fitness_of(pool, weights, plain, 256).of(sets)[0])


def test_each_cluster_counts_once_by_its_best_chunk() -> None:
    pool = made_pool([1.0, 0.5, 0.5, 0.0], [50] * 4, clusters=[0, 0, 1, 1])
    weights = replace(NOTHING, clusters=1, power=1)
    # Of the two clusters, worth 1 and .5, both can be had with the two chunks of top-k.
    assert fitness(pool, weights, [0, 1]) == pytest.approx(1 / 1.5)
    assert fitness(pool, weights, [0, 2]) == pytest.approx(1)
    assert fitness(pool, weights, [3]) == pytest.approx(0.5 / 1.5)


def test_a_link_is_covered_by_both_its_ends() -> None:
    weights = replace(NOTHING, hops=1, power=1)
    # Worth: 0 is named, best chunk 1.0, in 3 chunks; 1 is a hop away, best chunk 1.0, in 2; 2 is two hops
    # away, best chunk .3, in 2. Entities 3 and 4 stand in one article, and link nothing.
    named, first, second = 3**-0.5, 0.5 * 2**-0.5, 0.25 * 2**-0.5 * 0.3
    whole = named + first + second
    assert fitness(CHAIN, weights, [0, 1]) == pytest.approx(named / whole)
    assert fitness(CHAIN, weights, [0, 3]) == pytest.approx((named + first) / whole)
    assert fitness(CHAIN, weights, [0, 3, 4]) == pytest.approx(1)
    assert fitness(CHAIN, weights, [3, 5]) == 0


def test_a_question_that_names_nothing_starts_at_the_most_relevant_chunk() -> None:
    unnamed = replace(CHAIN, question_entities=np.zeros(8, dtype=np.bool_))
    weights = replace(NOTHING, hops=1)
    assert fitness(unnamed, weights, [0, 3]) > fitness(unnamed, weights, [2, 3])


def test_likeness_is_measured_against_top_k_and_repeats_count_against_a_set() -> None:
    pool = made_pool([1, 0.8, 0], [50] * 3, vectors=[(1, 0), (0.6, 0.8), (0, 1)])
    alike = replace(NOTHING, similarity=1, power=1)
    assert fitness(pool, alike, [0, 1]) == pytest.approx(1)
    assert fitness(pool, alike, [1, 2]) == pytest.approx(0.8 / 1.8)
    assert fitness(pool, replace(NOTHING, redundancy=1), [0, 1]) == pytest.approx(-0.6)
    assert fitness(pool, replace(NOTHING, redundancy=1), [0, 1, 2]) == pytest.approx(-(0.6 + 0.8 + 0) / 3)


def test_a_chain_is_found_that_top_k_misses() -> None:
    wanted = SelectionBudget(150, 1)
    assert top_k(CHAIN, wanted).tolist() == [0, 1, 2]
    hops = replace(DEFAULT, weights=replace(NOTHING, hops=1))
    assert genetic(CHAIN, wanted, hops).tolist() == [0, 3, 4]


@given(seed=st.integers(0, 10_000), budget=st.integers(100, 600))
def test_what_is_chosen_is_never_less_fit_than_top_k_or_mmr(seed: int, budget: int) -> None:
    pool, wanted = drawn_pool(seed, 20), SelectionBudget(budget, seed)
    plain = top_k(pool, wanted)
    fit = fitness_of(pool, DEFAULT.weights, plain, DEFAULT.most_links)

    def of(places: Places) -> float:
        return float(fit.of(np.isin(np.arange(20), places)[None, :])[0])

    assert of(genetic(pool, wanted)) >= max(of(plain), of(mmr(pool, wanted))) - 1e-6


def test_breeding_finds_what_no_drawing_does() -> None:
    """Of 60 chunks with room for 6 of them: later generations are fitter than the first."""
    better = 0
    for seed in range(10):
        pool = replace(drawn_pool(seed, 60), tokens=np.full(60, 50))
        wanted = SelectionBudget(300, seed)
        fit = fitness_of(pool, DEFAULT.weights, top_k(pool, wanted), DEFAULT.most_links)
        first, last = (
            float(fit.of(np.isin(np.arange(60), genetic(pool, wanted, one))[None, :])[0])
            for one in (replace(DEFAULT, generations=0), DEFAULT)
        )
        assert last >= first - 1e-6
        better += last > first + 1e-3
    assert better >= 8
