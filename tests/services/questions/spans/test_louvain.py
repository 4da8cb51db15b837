"""Communities in process: known ones are found, the same ones each time."""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from services.questions.spans.evidence_clusters import communities_of_edges, louvain, number_communities


def _weights(graph: "nx.Graph[int]") -> csr_array:
    return csr_array(nx.to_numpy_array(graph))


def _found(graph: "nx.Graph[int]", seed: int = 0) -> list[int]:
    found: list[int] = louvain(_weights(graph), np.random.default_rng(seed)).tolist()
    return found


def test_cliques_that_one_edge_joins_are_communities_the_largest_first() -> None:
    graph = nx.disjoint_union(nx.complete_graph(4), nx.complete_graph(6))
    graph.add_edge(0, 4)
    assert _found(graph) == [1] * 4 + [0] * 6


def test_the_karate_club_splits_as_well_as_anywhere() -> None:
    club = nx.karate_club_graph()
    labels = _found(club)
    groups = [{node for node, label in enumerate(labels) if label == one} for one in set(labels)]
    # The best known partition has modularity .4449 with weights (Brandes et al. 2008 give .4198 without).
    assert nx.community.modularity(club, groups) > 0.43


def test_a_heavy_edge_outweighs_many_light_ones() -> None:
    graph: nx.Graph[int] = nx.Graph()
    graph.add_weighted_edges_from([(0, 1, 10), (2, 3, 10), (1, 2, 1), (0, 2, 1), (1, 3, 1)])
    labels = _found(graph)
    assert labels[0] == labels[1] != labels[2] == labels[3]


@pytest.mark.parametrize("size", [0, 1, 3])
def test_without_edges_every_node_is_alone(size: int) -> None:
    assert louvain(csr_array((size, size)), np.random.default_rng(0)).tolist() == list(range(size))


@settings(deadline=None, max_examples=40)
@given(st.integers(2, 25), st.floats(0.05, 0.6), st.integers(0, 1_000))
def test_a_result_is_repeated_and_no_worse_than_one_community_or_none(n: int, p: float, seed: int) -> None:
    graph = nx.gnp_random_graph(n, p, seed=seed)
    labels = _found(graph)
    assert labels == _found(graph)
    sizes = [labels.count(label) for label in range(max(labels) + 1)]
    assert sizes == sorted(sizes, reverse=True)
    if graph.number_of_edges():
        groups = [{node for node, label in enumerate(labels) if label == one} for one in set(labels)]
        alone = nx.community.modularity(graph, [{node} for node in graph])
        assert nx.community.modularity(graph, groups) >= max(0.0, alone) - 1e-9


def test_edges_of_a_corpus_may_come_in_any_order_and_direction() -> None:
    edges = [("ann", "bo", 2), ("bo", "cy", 1), ("ann", "cy", 3), ("dan", "eve", 1), ("eve", "ann", 1)]
    rows = [{"one": one, "other": other, "facts": facts} for one, other, facts in edges]
    turned = [{"one": row["other"], "other": row["one"], "facts": row["facts"]} for row in rows[::-1]]
    assert communities_of_edges(rows) == communities_of_edges(turned)
    assert communities_of_edges(rows) == {"ann": 0, "bo": 0, "cy": 0, "dan": 1, "eve": 1}
    assert communities_of_edges([]) == {}


def test_a_lone_entity_is_in_no_community_and_of_equal_sizes_the_first_id_is_first() -> None:
    assert number_communities({"b": 7, "a": 3, "c": 3, "d": 7, "e": 9}) == {"a": 0, "c": 0, "b": 1, "d": 1}
