"""Passages as a reader sees them."""

from kg.store.graph import Graph
from services.rag.answering import read_passages
from tests.graph_reading import read


def test_a_passage_shows_names_with_what_they_mean(graph: Graph, small_corpus: str) -> None:
    (row,) = read(
        graph,
        "MATCH (c:Chunk {corpus: $corpus}) WHERE c.text STARTS WITH 'The NHB' "
        "RETURN c.id AS id, c.text AS text",
        corpus=small_corpus,
    )
    found = read_passages(graph, [row["id"]])[row["id"]]
    assert (found.text, found.title) == (row["text"], "History")
    by_surface = {name.surface: name for name in found.names}
    assert by_surface["NHB"].name == "Norholm Health Board"
    assert by_surface["NHB"].type == "ORG"
    assert by_surface["Otto Pelham"].type == "PERSON"
    assert all(name.surface in found.text for name in found.names)


def test_a_passage_has_the_facts_it_states_and_no_denied_ones(graph: Graph, small_corpus: str) -> None:
    rows = read(
        graph,
        "MATCH (a:Article {corpus: $corpus})-[:HAS_CHUNK]->(c) WHERE a.title IN ['Owner', 'History'] "
        "RETURN c.id AS id",
        corpus=small_corpus,
    )
    passages = read_passages(graph, [row["id"] for row in rows]).values()
    facts = {
        (fact.subject.name, fact.predicate, fact.object.name): (fact, passage)
        for passage in passages
        for fact in passage.facts
    }
    fact, passage = facts["Ostby Rovers", "are owned by", "Halden Shipping"]
    assert fact.sentence == "The Ostby Rovers are owned by Halden Shipping."
    assert fact.sentence in passage.text
    assert {fact.subject.entity, fact.object.entity} <= {name.entity for name in passage.names}
    assert "Anton Brask" not in {subject for subject, _, _ in facts}


def test_no_chunks_are_no_passages(graph: Graph) -> None:
    assert read_passages(graph, []) == {}


def test_a_passage_knows_the_chunk_after_it(graph: Graph, small_corpus: str) -> None:
    rows = read(
        graph,
        "MATCH (c:Chunk {corpus: $corpus}) OPTIONAL MATCH (c)-[:NEXT]->(d) "
        "RETURN c.id AS id, coalesce(d.id, '') AS next",
        corpus=small_corpus,
    )
    passages = read_passages(graph, [row["id"] for row in rows])
    assert {chunk: one.next_chunk for chunk, one in passages.items()} == {
        row["id"]: row["next"] for row in rows
    }
