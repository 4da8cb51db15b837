"""The genetic selector: what each part of the fitness is, by hand, and that breeding makes sets fitter."""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rag.selection.choose import DEFAULT, Weights, fitness_of, genetic, mmr, top_k
from services.rag.selection.protocol import Places, Pool, Wanted
from tests.services.rag.selection.made_pools import drawn_pool, made_pool

NOTHING = Weights(clusters=0, hops=0, similarity=0, redundancy=0)

# The question names entity 0. Chunk 0 leads from it over entity 1 to chunk 3, and that over entity 2 to chunk
# 4; chunks 1 and 2 are like the question, and lead nowhere.
CHAIN = made_pool(
    [1.0, 0.9, 0.8, 0.3, 0.2, 0.0], [50] * 6, names=[(0, 1), (0,), (0,), (1, 2), (2, 3), (4,)], named=[0]
)


def fitness(pool: Pool, weights: Weights, places: list[int]) -> float:
    sets = np.zeros((1, len(pool.chunks)), dtype=np.bool_)
    sets[0, places] = True
    plain = top_k(pool, Wanted(100))
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
    unnamed = replace(CHAIN, named=np.zeros(8, dtype=np.bool_))
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
    wanted = Wanted(150, 1)
    assert top_k(CHAIN, wanted).tolist() == [0, 1, 2]
    hops = replace(DEFAULT, weights=replace(NOTHING, hops=1))
    assert genetic(CHAIN, wanted, hops).tolist() == [0, 3, 4]


@given(seed=st.integers(0, 10_000), budget=st.integers(100, 600))
def test_what_is_chosen_is_never_less_fit_than_top_k_or_mmr(seed: int, budget: int) -> None:
    pool, wanted = drawn_pool(seed, 20), Wanted(budget, seed)
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
        wanted = Wanted(300, seed)
        fit = fitness_of(pool, DEFAULT.weights, top_k(pool, wanted), DEFAULT.most_links)
        first, last = (
            float(fit.of(np.isin(np.arange(60), genetic(pool, wanted, one))[None, :])[0])
            for one in (replace(DEFAULT, generations=0), DEFAULT)
        )
        assert last >= first - 1e-6
        better += last > first + 1e-3
    assert better >= 8
