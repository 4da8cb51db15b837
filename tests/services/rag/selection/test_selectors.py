"""Every selector keeps to the budget and to the pool; and what each of them prefers, by hand."""

from dataclasses import replace
from typing import get_args

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import SettingsError
from services.comparison.protocol import SelectorName
from services.rag.selection.choose import SELECTORS, by_graph, choose_selector, mmr, top_k
from services.rag.selection.protocol import Pool, Selector, Wanted
from tests.services.rag.selection.made_pools import drawn_pool, made_pool

ALL = pytest.mark.parametrize("name", SELECTORS)


def chosen(select: Selector, pool: Pool, budget: int, seed: int = 0) -> list[int]:
    return [int(place) for place in select(pool, Wanted(budget, seed))]


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
