"""What the evidence of questions spans, as it is written onto them, counted and told.

How many clusters evidence must span, and how many borders its hops must cross.
"""

from itertools import pairwise, product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.corpus import corpus_id
from kg.ledger import record_stage
from kg.store.graph import Graph
from services.questions.dataset import dataset_version
from services.questions.spans.facets import (
    border_shares,
    read_border_shares,
    shares_json,
)
from services.questions.spans.question_spans import (
    Span,
    labels_of_hops,
    least_clusters,
    least_crossings,
    renew_spans,
    span_of,
    spans_of_row,
    told_spans,
    write_spans,
)
from tests.examples import examples
from tests.graph_reading import change, value
from tests.services.questions.spans.news_world import plant_news

_ASK = """
CYPHER 25
MERGE (q:Question {id: $corpus + '-' + $name})
SET q.corpus = $corpus, q.kind = $kind, q.status = $status, q.text = $name, q.answer = $name
WITH q
UNWIND range(1, size($hops)) AS hop
UNWIND $hops[hop - 1] AS chunk
MATCH (c:Chunk {id: $corpus + '-' + chunk})
MERGE (q)-[:SUPPORTED_BY {hop: hop}]->(c)
"""


@pytest.fixture
def news(graph: Graph, corpus: str) -> str:
    plant_news(graph, corpus)
    return corpus


def _ask(
    graph: Graph, corpus: str, name: str, hops: list[list[str]], kind: str = "chain", status: str = "kept"
) -> None:
    change(graph, _ASK, corpus=corpus, name=name, hops=hops, kind=kind, status=status)


def _spans(graph: Graph, corpus: str, name: str) -> dict[str, tuple[int, int]]:
    node = value(graph, "MATCH (q:Question {id: $id}) RETURN q", id=f"{corpus}-{name}")
    return {facet: (one.clusters, one.crossings) for facet, one in spans_of_row(node).items()}


def test_questions_are_told_what_they_span_and_cross_by_each_facet(graph: Graph, news: str) -> None:
    _ask(graph, news, "near", [["harbour-1"], ["harbour-2"]])
    _ask(graph, news, "far", [["harbour-1"], ["school-1", "clinic-2"], ["mill-2"]])
    _ask(graph, news, "untold", [["letter-1"], ["clinic-1"]])
    version = dataset_version(graph, news)
    write_spans(graph, news)
    assert dataset_version(graph, news) == version
    assert _spans(graph, news, "near") == dict.fromkeys(
        ("articles", "claims", "communities", "place", "time", "domain"), (1, 0)
    )
    far = _spans(graph, news, "far")
    # The second hop is shown by the clinic without a date, or by the school without a category.
    assert far == {
        "articles": (3, 2),
        "claims": (2, 1),
        "communities": (2, 1),
        "place": (2, 2),
        "time": (1, 0),
        "domain": (2, 1),
    }
    assert _spans(graph, news, "untold") == {
        "articles": (2, 1),
        "claims": (1, 0),
        "communities": (1, 0),
        "place": (1, 0),
        "time": (1, 0),
        "domain": (2, 1),
    }


def test_null_questions_and_rejected_ones_span_nothing(graph: Graph, news: str) -> None:
    _ask(graph, news, "null", [["harbour-1"], ["mill-1"]], kind="null")
    _ask(graph, news, "rejected", [["harbour-1"], ["mill-1"]], status="rejected")
    write_spans(graph, news)
    assert _spans(graph, news, "null") == {}
    assert _spans(graph, news, "rejected") == {}
    assert read_border_shares(graph, news) == ()


def test_what_a_dataset_said_of_a_facet_stays_where_the_graph_says_nothing(graph: Graph, news: str) -> None:
    _ask(graph, news, "imported", [["letter-1"], ["letter-2"]])
    change(
        graph,
        "MATCH (q:Question {id: $id}) "
        "SET q.spans_place = 3, q.crossings_place = 2, q.spans_time = 4, q.crossings_time = 3",
        id=f"{news}-imported",
    )
    write_spans(graph, news)
    found = _spans(graph, news, "imported")
    assert found["place"] == (3, 2)
    assert found["time"] == (1, 0)


def test_spans_that_are_missing_are_written_once_and_again_for_another_graph(graph: Graph, news: str) -> None:
    change(
        graph,
        "MERGE (c:Corpus {id: $id}) SET c.name = $name, c.embedder = 'builtin', c.created_at = datetime()",
        id=corpus_id(news),
        name=news,
    )
    assert not renew_spans(graph, news)
    _ask(graph, news, "old", [["harbour-1"], ["mill-1"]])
    _ask(graph, news, "null", [["harbour-1"]], kind="null")
    assert renew_spans(graph, news)
    assert _spans(graph, news, "old")["articles"] == (2, 1)
    assert not renew_spans(graph, news)
    _ask(graph, news, "late", [["harbour-1"], ["clinic-2"]])
    assert renew_spans(graph, news)
    assert _spans(graph, news, "late")["place"] == (2, 1)
    change(graph, "MATCH (a:Article {id: $id}) SET a.category = 'trade'", id=f"{news}-mill")
    record_stage(graph, news, "articles", "another", {})
    assert renew_spans(graph, news)
    assert not renew_spans(graph, news)
    assert _spans(graph, news, "old")["domain"] == (1, 0)


def test_what_a_question_no_longer_spans_is_taken_off(graph: Graph, news: str) -> None:
    _ask(graph, news, "near", [["harbour-1"], ["harbour-2"]])
    _ask(graph, news, "far", [["harbour-1"], ["mill-1"]])
    write_spans(graph, news)
    for name in ("harbour", "mill"):
        change(graph, "MATCH (a:Article {id: $id}) SET a.published_at = null", id=f"{news}-{name}")
    _ask(graph, news, "dated", [["school-1"]])
    write_spans(graph, news)
    assert "time" not in _spans(graph, news, "far")
    assert _spans(graph, news, "dated")["time"] == (1, 0)


def test_a_question_that_comes_back_has_its_spans(graph: Graph, news: str) -> None:
    _ask(graph, news, "back", [["harbour-1"], ["mill-1"]], status="dropped")
    write_spans(graph, news)
    assert _spans(graph, news, "back")["articles"] == (2, 1)
    assert read_border_shares(graph, news) == ()


def test_spans_are_told_in_words() -> None:
    spans = {"spans_place": 3, "crossings_place": 1, "spans_time": 1, "crossings_time": 0}
    assert told_spans(spans) == "3 regions (1 crossing), 1 month (0 crossings)"
    assert told_spans({}) == ""


def test_shares_are_counted_of_the_questions_that_a_facet_tells_of(graph: Graph, news: str) -> None:
    _ask(graph, news, "near", [["harbour-1"], ["harbour-2"]])
    _ask(graph, news, "far", [["harbour-1"], ["clinic-2"], ["mill-2"]], kind="comparison")
    _ask(graph, news, "untold", [["letter-1"], ["letter-2"]])
    write_spans(graph, news)
    shares = {one.facet: one for one in read_border_shares(graph, news)}
    assert [one.border for one in shares.values()][:3] == ["geographic", "temporal", "domain"]
    place = shares["place"]
    assert (place.questions, place.crossing, place.share, place.by_crossings) == (2, 1, 0.5, {0: 1, 2: 1})
    assert shares["articles"].questions == 3
    told = {str(one["facet"]): one for one in shares_json(tuple(shares.values()))}
    assert told["place"]["by_crossings"] == {"0": 1, "2": 1}


def test_a_corpus_without_questions_has_no_shares() -> None:
    assert border_shares([]) == ()


def test_a_span_is_none_where_nothing_is_demanded() -> None:
    labels = {"k1": "no date", "k2": "2031-01"}
    assert span_of([["k1"], ["k1", "k2"]], "time", labels) is None
    assert span_of([], "time", labels) is None
    assert span_of([["k2"], ["k1"]], "time", labels) == Span(1, 0)


Hops = list[frozenset[str]]

HOPS = st.lists(st.frozensets(st.sampled_from("abcdef"), min_size=1, max_size=4), min_size=1, max_size=5)


@examples("hops, clusters, crossings")
def test_worked_examples(hops: list[str], clusters: int, crossings: int) -> None:
    labels = [frozenset(hop) for hop in hops]
    assert (least_clusters(labels), least_crossings(labels)) == (clusters, crossings)


@pytest.mark.parametrize("hops", [[], [frozenset[str]()], [frozenset[str](), frozenset[str]()]])
def test_evidence_of_which_nothing_is_known_has_neither(hops: Hops) -> None:
    assert least_clusters(hops) is None
    assert least_crossings(hops) is None


def test_a_hop_with_a_chunk_of_an_unknown_cluster_demands_nothing() -> None:
    clusters = {"k1": "north", "k2": None, "k3": "south"}
    assert labels_of_hops([["k1"], ["k1", "k2"], ["k3", "k1"], ["k9"]], clusters) == [
        frozenset({"north"}),
        frozenset(),
        frozenset({"south", "north"}),
        frozenset(),
    ]


@given(HOPS)
def test_both_are_the_least_over_all_choices_of_a_chunk_a_hop(hops: Hops) -> None:
    choices = list(product(*hops))
    assert least_clusters(hops) == min(len(set(choice)) for choice in choices)
    assert least_crossings(hops) == min(sum(a != b for a, b in pairwise(choice)) for choice in choices)


@given(HOPS, st.permutations("abcdef"))
def test_names_of_clusters_and_the_order_of_hops_change_nothing(hops: Hops, names: list[str]) -> None:
    renamed = [frozenset(names["abcdef".index(label)] for label in hop) for hop in hops]
    assert least_clusters(renamed) == least_clusters(hops) == least_clusters(hops[::-1])
    assert least_crossings(renamed) == least_crossings(hops) == least_crossings(hops[::-1])


def test_evidence_in_very_many_pieces_is_still_counted() -> None:
    hops = [frozenset({f"own {n}", "shared" if n % 2 else "other"}) for n in range(40)]
    assert least_clusters(hops) == 2
