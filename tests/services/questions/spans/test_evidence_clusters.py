"""The clusters that chunks lie in, by each facet, in a world where they are known."""

import pytest

from kg.errors import SettingsError
from kg.store.graph import Graph
from services.questions.spans.evidence_clusters import read_chunk_clusters, read_communities
from services.questions.spans.facets import FACETS, UNKNOWN, ClusterFacet, parse_facet
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
