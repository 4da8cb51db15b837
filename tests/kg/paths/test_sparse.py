"""The engine in memory on random graphs, compared with networkx, and in any order and block size."""

import random
from collections import Counter

import networkx as nx
import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.paths.choose import Choice, Fitness, choose, count_paths
from kg.paths.protocol import MAX_HOPS, EntityEdges, OutEdge, Pair, PathEngine, Walk, edge_table
from kg.paths.sparse import BLOCK, BLOCK_CELLS, SparseEngine, census, default_block
from tests.kg.paths.tables import WALKS, World, chain, distances, list_paths, shortest_paths, worlds


def found_distances(engine: PathEngine) -> dict[tuple[str, str], int]:
    """What an engine says: hops of every pair."""
    return {
        (engine.entities[start], engine.entities[end]): reach.hops
        for reach in engine.reach(engine.sources())
        for start, end in zip(reach.starts().tolist(), reach.ends.tolist(), strict=True)
    }


def pairs_of(engine: PathEngine) -> list[Pair]:
    return [
        Pair(start, end, reach.hops)
        for reach in engine.reach(engine.sources())
        for start, end in zip(reach.starts().tolist(), reach.ends.tolist(), strict=True)
    ]


@given(worlds(), WALKS)
def test_every_pair_is_as_far_apart_as_networkx_says(world: World, walk: Walk) -> None:
    engine = SparseEngine(world.table(), walk)
    assert found_distances(engine) == distances(world.networkx(walk), MAX_HOPS)


@given(worlds(), WALKS)
def test_the_census_counts_what_networkx_counts(world: World, walk: Walk) -> None:
    expected = Counter(distances(world.networkx(walk), MAX_HOPS).values())
    assert census(world.table(), walk).pairs == tuple(expected[hops] for hops in range(1, MAX_HOPS + 1))


@given(worlds(), WALKS, st.integers(0, 3))
def test_webs_hold_exactly_the_shortest_paths(world: World, walk: Walk, seed: int) -> None:
    engine, graph = SparseEngine(world.table(), walk), world.networkx(walk)
    pairs = pairs_of(engine)
    for pair, web in zip(pairs, engine.webs(pairs), strict=True):
        start, end = engine.entities[pair.start], engine.entities[pair.end]
        expected = shortest_paths(graph, start, end)
        ways = [tuple(arc.edge for arc in path) for path in list_paths(web)]
        assert sorted(expected) == sorted(ways), "each once"
        assert count_paths(web) == len(expected)
        choice = choose(web, Fitness(), seed)
        if not isinstance(choice, Choice):
            assert choice == "sentences"
            continue
        assert tuple(arc.edge for arc in choice.arcs) in expected
        assert 0 < choice.fitting <= choice.alternatives == len(expected)
        stops = [choice.arcs[0].tail, *(arc.head for arc in choice.arcs)]
        assert len(set(stops)) == len(stops) == pair.hops + 1, "no entity twice"


@given(worlds(), WALKS, st.randoms(use_true_random=False), st.integers(1, 5))
def test_neither_order_nor_block_size_matters(
    world: World, walk: Walk, shuffler: random.Random, block: int
) -> None:
    rows = [row._replace(edges=shuffler.sample(row.edges, len(row.edges))) for row in world.rows()]
    shuffler.shuffle(rows)
    one, other = SparseEngine(world.table(), walk), SparseEngine(edge_table(rows), walk, block=block)
    assert one.entities == other.entities
    assert found_distances(one) == found_distances(other)
    pairs = pairs_of(one)
    shuffled = shuffler.sample(pairs, len(pairs))
    webs = dict(zip(shuffled, other.webs(shuffled), strict=True))
    assert [webs[pair] for pair in pairs] == one.webs(pairs)


@given(worlds(), WALKS)
def test_pairs_that_need_two_articles_are_those_that_none_holds(world: World, walk: Walk) -> None:
    graph = world.networkx(walk)
    article = {fact.id: fact.article for fact in world.facts}
    expected = [0] * MAX_HOPS
    for (start, end), hops in distances(graph, MAX_HOPS).items():
        ways = shortest_paths(graph, start, end)
        expected[hops - 1] += all(len({article[edge] for edge in way}) > 1 for way in ways)
    assert census(world.table(), walk, block=3).crossing == tuple(expected)


def test_a_chain_over_two_articles_needs_both() -> None:
    found = census(chain(0, 0, 1).table())
    assert found.pairs == (3, 2, 1, 0, 0)
    assert found.crossing == (0, 1, 1, 0, 0)
    assert found.starts == 3


def test_one_article_that_says_it_all_makes_the_second_needless() -> None:
    assert census(chain(0, 1, parallel=(1, 1)).table()).crossing == (0, 0, 0, 0, 0)


def test_an_empty_table_has_no_pairs() -> None:
    table = edge_table([])
    assert census(table).pairs == (0,) * MAX_HOPS
    assert SparseEngine(table).webs([]) == []


def test_no_path_is_longer_than_five_hops() -> None:
    engine = SparseEngine(chain(*range(7)).table())
    assert max(found_distances(engine).values()) == MAX_HOPS
    assert len(list(engine.reach(engine.sources(), 2))) == 2


@pytest.mark.parametrize(("entities", "block"), [(0, BLOCK), (10_000, BLOCK), (10**6, BLOCK_CELLS // 10**6)])
def test_large_graphs_get_smaller_blocks(entities: int, block: int) -> None:
    assert default_block(entities) == block


@pytest.mark.campaign
def test_ways_are_counted_beyond_what_a_machine_word_holds() -> None:
    """Five steps with 10,000 parallel edges each: 10^20 ways, more than 64 bits."""
    world = chain(*[0] * 5)
    rows = [
        row._replace(
            edges=[edge._replace(id=f"{edge.id}-{i:05}") for edge in row.edges for i in range(10_000)]
        )
        for row in world.rows()
    ]
    engine = SparseEngine(edge_table(rows))
    (web,) = engine.webs([Pair(0, 5, 5)])
    assert count_paths(web) == 10**20
    choice = choose(web, Fitness(), 10**19 + 7)
    assert isinstance(choice, Choice)
    assert choice.fitting == 10**20


def test_networkx_agrees_on_a_larger_graph() -> None:
    generator = np.random.default_rng(4)
    edges = {(int(a), int(b)) for a, b in generator.integers(300, size=(900, 2)) if a != b}
    graph = nx.DiGraph(edges)
    expected = Counter(
        hops
        for _, reached in nx.all_pairs_shortest_path_length(graph, cutoff=MAX_HOPS)
        for hops in reached.values()
        if hops
    )
    table = edge_table(
        EntityEdges(f"{i:03}", "", "", False, [OutEdge(f"{a}-{b}", f"{b:03}") for a, b in edges if a == i])
        for i in range(300)
    )
    assert census(table, block=64).pairs == tuple(expected[hops] for hops in range(1, MAX_HOPS + 1))
