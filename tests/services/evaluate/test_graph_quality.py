"""Figures on a graph: those of the small world by hand, and tails and components on paper."""

import pytest

from kg.paths.edges import EntityEdges, OutEdge, edge_table
from kg.progress import Silent
from kg.store.graph import Graph
from services.evaluate.graph_quality import (
    Components,
    DegreeTail,
    components,
    degree_tail,
    path_edges,
    read_graph_quality,
)
from tests.graph_reading import value


def test_the_tail_of_a_hundred_degrees() -> None:
    degrees = [1] * 98 + [2, 100]
    tail = degree_tail(degrees)
    assert (tail.entities, tail.median, tail.max) == (100, 1.0, 100)
    assert tail.top_share == 100 / 200
    assert tail.p99 == pytest.approx(2 + 0.01 * 98)
    assert degree_tail([]) == DegreeTail(0, 0.0, 0.0, 0.0, 0, 0.0)


def test_components_do_not_mind_directions() -> None:
    rows = [("a", ["b"]), ("c", ["b"]), ("d", ["e"]), ("alone", [])]
    table = edge_table(
        EntityEdges(one, one, "ORG", False, [OutEdge(one + to, to) for to in ends])
        for one, ends in [*rows, ("b", []), ("e", [])]
    )
    assert components(table) == Components(count=2, entities=5, largest=3)
    assert components(edge_table([])) == Components(0, 0, 0)


def test_edges_that_a_hub_keeps_out_are_in_one_table_only() -> None:
    about = {"type": "ORG", "literal": False}
    rows = [
        {"id": "a", "name": "A", **about, "edges": [["e1", "b", "c1", "art", "", "The A", "B", False]]},
        {"id": "b", "name": "B", **about, "edges": [["e2", "a", "c2", "art", "object", "B", "A", True]]},
    ]
    table, with_hubs, forms = path_edges(rows)
    assert table.ids == ("e1",)
    assert with_hubs.ids == ("e1", "e2")
    assert forms == {"e1": ("a", "b"), "e2": ("b", None)}
    assert with_hubs.mirrored.tolist() == [False, True]


def test_the_figures_of_a_built_corpus_agree_with_the_graph(graph: Graph, seed_corpus: str) -> None:
    found = read_graph_quality(graph, seed_corpus, Silent())
    usable = "MATCH (:Entity {corpus: $corpus})-[r:RELATES|MIRRORED WHERE r.in_paths]->() RETURN count(r)"
    assert found.path_edges == value(graph, usable, corpus=seed_corpus)
    kept = {(row["kind"], row["reason"]): row["edges"] for row in found.edges}
    assert sum(number for (_, reason), number in kept.items() if reason is None) == found.path_edges
    by_hub = sum(number for (_, reason), number in kept.items() if reason == "hub")
    assert found.path_edges_with_hubs == found.path_edges + by_hub
    hubs = "MATCH (e:Entity {corpus: $corpus}) WHERE e.hub AND e.degree > 0 RETURN count(e)"
    assert len(found.hubs) == value(graph, hubs, corpus=seed_corpus)
    two = """
    MATCH (e:Entity {corpus: $corpus, named: true})
    WHERE COUNT {
      MATCH (e)<-[:NAMES|MENTIONS]-()<-[:HAS_CHUNK|HAS_CLAIM]-{1,2}(a:Article) RETURN DISTINCT a
    } > 1
    RETURN count(e)
    """
    assert found.in_two_articles == value(graph, two, corpus=seed_corpus) > 0
    assert found.degrees.max == value(
        graph, "MATCH (e:Entity {corpus: $corpus, named: true}) RETURN max(e.degree)", corpus=seed_corpus
    )
    assert [row["hops"] for row in found.drawn] == [2, 3, 4, 5]
    assert sum(row["paths"] for row in found.drawn) == value(
        graph, "MATCH (p:Path {corpus: $corpus}) RETURN count(p)", corpus=seed_corpus
    )
    for need, pairs in zip(found.need, found.pairs.pairs, strict=True):
        assert need.pairs == pairs
        assert max(need.exact, need.context) <= need.either <= pairs
    assert all(
        wide >= narrow for wide, narrow in zip(found.pairs_with_hubs.pairs, found.pairs.pairs, strict=True)
    )


def test_the_demo_has_enough_paths_in_spite_of_the_policy(graph: Graph, seed_corpus: str) -> None:
    found = read_graph_quality(graph, seed_corpus, Silent())
    assert sum(number >= 400 for number in found.pairs.pairs[1:]) >= 3
