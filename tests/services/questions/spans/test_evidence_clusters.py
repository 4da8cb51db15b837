"""The clusters that chunks lie in, by each facet, in a world where they are known.

Communities in process: known ones are found, the same ones each time.
The region of an article: the place that it names most, lifted along what lies in what.
"""

import networkx as nx
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from scipy.sparse import csr_array

from kg.errors import SettingsError
from kg.store.graph import Graph
from services.questions.spans.evidence_clusters import (
    Named,
    Place,
    communities_of_edges,
    louvain,
    number_communities,
    read_chunk_clusters,
    read_communities,
    regions_of_articles,
    says_stands_there,
    says_where,
)
from services.questions.spans.facets import FACETS, UNKNOWN, ClusterFacet, parse_facet
from tests.examples import examples
from tests.graph_reading import change
from tests.services.questions.spans.news_world import NEWS, plant_news

EXPECTED: dict[ClusterFacet, dict[str, str]] = {
    "articles": {name: f"{{corpus}}-{name}" for name in NEWS},
    "claims": {
        "harbour": "{corpus}-sea",
        "mill": "{corpus}-land",
        "school": "{corpus}-land",
        "clinic": "{corpus}-land",
        "letter": "no claim",
        "country": "{corpus}-sea",
    },
    "place": {
        "harbour": "North",
        "mill": "North",
        "school": "South",
        "clinic": "South",
        "letter": "no place",
        "country": "Norland",
    },
    "time": {
        "harbour": "2031-01",
        "mill": "2031-01",
        "school": "2031-02",
        "clinic": "no date",
        "letter": "2031-02",
        "country": "2031-03",
    },
    "domain": {
        "harbour": "trade",
        "mill": "sport",
        "school": "no category",
        "clinic": "sport",
        "letter": "trade",
        "country": "trade",
    },
}


@pytest.fixture
def news(graph: Graph, corpus: str) -> str:
    plant_news(graph, corpus)
    return corpus


def _labels(graph: Graph, corpus: str, facet: ClusterFacet) -> dict[str, str]:
    chunks = [f"{corpus}-{name}-{position}" for name in NEWS for position in (1, 2)]
    found = read_chunk_clusters(graph, corpus, facet, chunks)
    assert list(found) == chunks
    of_articles = {name: {found[f"{corpus}-{name}-1"], found[f"{corpus}-{name}-2"]} for name in NEWS}
    assert all(len(labels) == 1 for labels in of_articles.values())
    return {name: labels.pop() for name, labels in of_articles.items()}


@pytest.mark.parametrize("facet", EXPECTED)
def test_chunks_have_the_labels_that_the_world_was_made_with(
    graph: Graph, news: str, facet: ClusterFacet
) -> None:
    expected = {name: label.replace("{corpus}", news) for name, label in EXPECTED[facet].items()}
    assert _labels(graph, news, facet) == expected


def test_communities_are_of_entities_that_facts_join(graph: Graph, news: str) -> None:
    labels = _labels(graph, news, "communities")
    assert labels["harbour"] == labels["clinic"]
    assert labels["mill"] == labels["school"]
    assert labels["letter"] == "no community"
    assert len({labels[name] for name in ("harbour", "mill", "letter", "country")}) == 4
    assert _labels(graph, news, "communities") == labels


def test_a_chunk_that_is_in_no_graph_is_of_an_unknown_cluster(graph: Graph, corpus: str) -> None:
    for facet in FACETS:
        assert read_chunk_clusters(graph, corpus, facet, ["no such chunk"]) == {
            "no such chunk": UNKNOWN[facet]
        }
        assert read_chunk_clusters(graph, corpus, facet, []) == {}


def test_communities_are_those_of_one_corpus(graph: Graph, news: str, small_corpus: str) -> None:
    found = read_communities(graph, news)
    assert found
    assert all(entity.startswith(news) for entity in found)
    assert not found.keys() & read_communities(graph, small_corpus).keys()


@pytest.mark.parametrize("subject", ["Bo", "Kaldmere"])
def test_what_some_texts_take_for_something_else_is_a_place_only_where_facts_treat_it_as_one(
    graph: Graph, news: str, subject: str
) -> None:
    change(graph, "MATCH (e:Entity {id: $id}) SET e.type = 'GPE'", id=f"{news}-Bo")
    assert _labels(graph, news, "place")["mill"] == "Bo"
    for name in ("Bo", "Kaldmere", "Norland"):
        change(
            graph,
            "MATCH (e:Entity {id: $id})<-[n:NAMES]-() WITH n LIMIT 1 SET n.type = 'PERSON'",
            id=f"{news}-{name}",
        )
    labels = _labels(graph, news, "place")
    assert (labels["mill"], labels["country"]) == ("North", "Norland")
    change(
        graph,
        "MATCH (s:Entity {id: $subject}), (o:Entity {id: $object}) "
        "MERGE (s)-[:RELATES {id: $object, corpus: $corpus, predicate: 'was born in'}]->(o)",
        subject=f"{news}-{subject}",
        object=f"{news}-Bo" if subject != "Bo" else f"{news}-Vell",
        corpus=news,
    )
    assert _labels(graph, news, "place")["mill"] == ("Bo" if subject != "Bo" else "North")


def test_what_nothing_can_be_clustered_by_is_refused() -> None:
    assert parse_facet(" time ") == "time"
    with pytest.raises(SettingsError, match="claims, communities, place"):
        parse_facet("mood")


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


def _place(name: str, within: dict[str, int] | None = None, type_: str = "GPE") -> Place:
    return Place(name, name, type_, within or {})


def _regions(places: list[Place], named: dict[str, dict[str, int]]) -> dict[str, str]:
    rows = [Named(article, place, n) for article, counted in named.items() for place, n in counted.items()]
    return regions_of_articles(places, rows)


VALLEY = [
    _place("Ostby", {"North": 2, "South": 1}),
    _place("Kaldmere", {"North": 1}),
    _place("Vell", {"South": 1}),
    _place("North", {"Norland": 1}, "LOC"),
    _place("South", {"Norland": 1}, "LOC"),
    _place("Norland"),
    _place("Town Hall", {"Vell": 1}, "FAC"),
    _place("Arena", {}, "FAC"),
]


def test_towns_count_for_the_region_that_most_facts_put_them_in() -> None:
    named = {
        "a": {"Ostby": 1, "Kaldmere": 1, "Vell": 1},
        "b": {"Vell": 1},
        "c": {"Norland": 5, "Ostby": 1},
        "d": {"Norland": 1},
    }
    # Norland holds what all four articles name. North and South hold what two of them name.
    assert _regions(VALLEY, named) == {"a": "North", "b": "South", "c": "North", "d": "Norland"}


def test_a_place_that_most_articles_are_about_divides_nothing() -> None:
    # South is named in two of three articles, or a town in it: what lies there is told apart by town.
    named = {"a": {"Kaldmere": 1}, "b": {"Vell": 1, "Norland": 9}, "c": {"South": 1, "Norland": 5}}
    assert _regions(VALLEY, named) == {"a": "North", "b": "Vell", "c": "Norland"}


def test_a_building_counts_for_where_it_stands_and_alone_tells_nothing() -> None:
    named = {
        "a": {"Town Hall": 3, "Kaldmere": 1},
        "b": {"Arena": 4},
        "c": {"Kaldmere": 1},
        "d": {"Norland": 1},
    }
    assert _regions(VALLEY, named) == {"a": "South", "c": "North", "d": "Norland"}


def test_facts_that_go_round_in_a_circle_end() -> None:
    circle = [_place("A", {"B": 1}), _place("B", {"C": 1}), _place("C", {"B": 1})]
    named = {"x": {"A": 1}, "y": {"C": 1}, "z": {"B": 1}}
    assert set(_regions(circle, named)) == {"x", "y", "z"}


def test_order_changes_nothing_and_of_equal_regions_the_first_by_name_is_taken() -> None:
    apart = [_place("Vell"), _place("Kaldmere"), _place("Norland")]
    named = {"a": {"Vell": 1, "Kaldmere": 1}, "b": {"Norland": 2, "Vell": 2}, "c": {"Norland": 1}, "d": {}}
    turned = {article: dict(reversed(counted.items())) for article, counted in reversed(named.items())}
    assert _regions(apart, named) == _regions(apart[::-1], turned)
    assert _regions(apart, {"a": {"Vell": 1, "Kaldmere": 1}, "b": {"Norland": 1}})["a"] == "Kaldmere"


@examples("predicate, says")
def test_which_predicates_say_where_a_place_lies(predicate: str, says: bool) -> None:
    assert says_where(predicate) == says


@examples("predicate, says")
def test_which_predicates_say_that_their_object_is_a_place(predicate: str, says: bool) -> None:
    assert says_stands_there(predicate) == says
