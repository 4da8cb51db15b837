"""The entity graph in graph data science: what is projected, and what the recipes write."""

import doctest
from collections.abc import Iterator
from itertools import combinations

import networkx as nx
import pytest

import hopgrade
from kg.connect import open_graph
from kg.corpus import CorpusSettings, drop_corpus, open_corpus
from kg.errors import StoreTooOldError
from kg.progress import Silent
from kg.queries import area_queries, query
from kg.settings import Settings
from kg.store.graph import Graph
from services.python_api.corpus import Corpus
from services.questions.spans.evidence_clusters import communities_of_edges, read_communities
from tests.graph_reading import change, value
from tests.names import unique_name
from tests.services.python_api.examples import examples_of, run_examples

pytestmark = pytest.mark.campaign

# Two cliques of four, joined by one fact, and an entity without a fact. a0 and a1 share two facts.
FACTS = [
    *((f"a{i}", f"a{j}") for i, j in combinations(range(4), 2)),
    *((f"b{i}", f"b{j}") for i, j in combinations(range(4), 2)),
    ("a0", "a1"),
    ("a0", "b0"),
]
NAMES = sorted({name for fact in FACTS for name in fact} | {"alone"})

CLIQUES = """
UNWIND $names AS name
CREATE (:Entity {id: $corpus + name, corpus: $corpus, name: name, type: 'PERSON', degree: 0})
WITH count(*) AS made
UNWIND range(0, size($facts) - 1) AS i
MATCH (s:Entity {id: $corpus + $facts[i][0]}), (o:Entity {id: $corpus + $facts[i][1]})
CREATE (s)-[:RELATES {id: $corpus + i, corpus: $corpus}]->(o)
"""
MIRROR = """
MATCH (s:Entity {id: $corpus + 'alone'}), (o:Entity {id: $corpus + 'a0'})
CREATE (s)-[:MIRRORED {id: $corpus + 'm', corpus: $corpus, mirror_of: $corpus + '0'}]->(o)
"""


@pytest.fixture(scope="module")
def cliques(gds_settings: Settings) -> Iterator[Corpus]:
    name = unique_name("test", "module")
    with open_graph(gds_settings, Silent()) as graph:
        open_corpus(graph, name, CorpusSettings("builtin", "builtin/planted", 384, "128-256/50", "rules"))
        change(graph, CLIQUES, corpus=name, names=NAMES, facts=[list(fact) for fact in FACTS])
        change(graph, MIRROR, corpus=name)
        yield Corpus(graph, name, gds_settings)
        drop_corpus(graph, name)


def _projections(graph: Graph) -> list[str]:
    return [row["name"] for row in graph.rows(query("gds/list_graphs"), prefix="hopgrade-entities-")]


def test_pagerank_is_that_of_networkx(cliques: Corpus) -> None:
    ranked = hopgrade.write_pagerank(cliques, iterations=200)
    expected = nx.pagerank(nx.Graph(_weighted()), alpha=0.85, tol=1e-12)
    named = dict(zip(ranked["name"], ranked["pagerank"], strict=True))
    assert ranked["name"].iloc[0] == "a0"
    # The plug-in's ranks are not shares: they are proportional, and one without a fact has the least.
    scale = named["a0"] / expected["a0"]
    assert {name: named[name] / scale for name in expected} == pytest.approx(expected, rel=1e-4)
    assert named["alone"] == min(named.values())
    stored = "MATCH (e:Entity {id: $id}) RETURN e.pagerank"
    assert value(cliques.graph, stored, id=f"{cliques.name}a0") == named["a0"]


def _weighted() -> dict[str, dict[str, dict[str, float]]]:
    joined: dict[str, dict[str, dict[str, float]]] = {name: {} for name in NAMES if name != "alone"}
    for one, other in FACTS:
        for start, end in ((one, other), (other, one)):
            joined[start].setdefault(end, {"weight": 0.0})["weight"] += 1.0
    return joined


def test_communities_are_the_cliques_the_largest_first(cliques: Corpus) -> None:
    found = hopgrade.write_communities(cliques)
    groups = found.groupby("community")["name"].agg(sorted).to_dict()
    assert groups == {0: ["a0", "a1", "a2", "a3"], 1: ["b0", "b1", "b2", "b3"], 2: ["alone"]}
    again = hopgrade.write_communities(cliques)
    assert again.equals(found)
    assert _projections(cliques.graph) == []


def test_an_embedding_puts_those_of_a_clique_together(cliques: Corpus) -> None:
    found = hopgrade.write_graph_embeddings(cliques, dimensions=64, seed=3).set_index("name")[
        "graph_embedding"
    ]
    assert list(found["alone"]) == [0.0] * 64

    def cosine(one: str, other: str) -> float:
        a, b = found[one], found[other]
        dot, lengths = sum(x * y for x, y in zip(a, b, strict=True)), 1.0
        for vector in (a, b):
            lengths *= sum(x * x for x in vector) ** 0.5
        return float(dot / lengths)

    assert cosine("a2", "a3") > 0.9 > cosine("a2", "b3")
    again = hopgrade.write_graph_embeddings(cliques, dimensions=64, seed=3).set_index("name")[
        "graph_embedding"
    ]
    assert list(again["a0"]) == list(found["a0"])


def test_the_client_gets_the_graph_of_all_entities(cliques: Corpus) -> None:
    with hopgrade.gds_client(cliques) as client:
        with hopgrade.gds(cliques, client) as both_ways:
            # 13 pairs have facts; a0 and a1 share two, which are one relationship of weight 2.
            assert (both_ways.node_count(), both_ways.relationship_count()) == (9, 26)
            assert client.wcc.stats(both_ways).component_count == 2
            assert _projections(cliques.graph) == [both_ways.name()]
        with hopgrade.gds(cliques, client, mirrored=True, directed=True) as one_way:
            assert one_way.relationship_count() == 14
            assert client.wcc.stats(one_way).component_count == 1
    assert _projections(cliques.graph) == []


def test_a_second_call_replaces_the_first_projection(cliques: Corpus) -> None:
    hopgrade.gds(cliques)
    change(
        cliques.graph,
        "CREATE (:Entity {id: $corpus + 'new', corpus: $corpus, name: 'new'})",
        corpus=cliques.name,
    )
    with hopgrade.gds(cliques) as entities:
        assert entities.node_count() == 10
    change(cliques.graph, "MATCH (e:Entity {id: $corpus + 'new'}) DELETE e", corpus=cliques.name)


@pytest.mark.parametrize(
    "example", list(examples_of("services.python_api.gds")), ids=lambda example: example.name
)
def test_an_example_is_true(example: doctest.DocTest, cliques: Corpus) -> None:
    assert run_examples(example, cliques) == []


def test_evidence_clusters_by_leiden_are_those_by_louvain(cliques: Corpus) -> None:
    found = read_communities(cliques.graph, cliques.name)
    groups = [{f"{cliques.name}{letter}{n}" for n in range(4)} for letter in "ab"]
    assert [{entity for entity in found if found[entity] == number} for number in (0, 1)] == groups
    edges = cliques.graph.rows(query("entities/read_joined"), corpus=cliques.name)
    assert communities_of_edges(edges) == found
    assert _projections(cliques.graph) == []


def test_a_server_plans_the_statements_as_declared(cliques: Corpus) -> None:
    for statement in area_queries("gds"):
        columns, deprecated = cliques.graph.explain(statement)
        assert columns == list(statement.returns)
        assert deprecated == []


def test_without_the_plugin_it_is_told_how_to_have_it(graph: Graph, corpus: str, settings: Settings) -> None:
    if graph.rows(query("gds/is_installed"))[0]["installed"]:
        pytest.skip("the session's server has the plugin")
    with pytest.raises(StoreTooOldError, match="kg server start --gds"):
        hopgrade.write_pagerank(Corpus(graph, corpus, settings))
