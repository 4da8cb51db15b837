"""Vector retrieval in Neo4j against a search of all vectors, and passages as a reader sees them."""

import numpy as np
import pytest

from kg.queries import query
from kg.store.graph import Graph, vector_of
from services.rag.protocol import Asked
from services.rag.vector import VectorRetriever, read_passages
from tests.graph_reading import change, read
from tests.small_world import tools

CHUNKS = "MATCH (c:Chunk {corpus: $corpus}) RETURN c.id AS id, c.embedding AS vector ORDER BY id"
TEXTS = ["Who founded Halden Shipping?", "Pigeons and ladders", "The Corrin Medal", "x"]


def questions(*texts: str) -> list[Asked]:
    return [
        Asked(f"question-{i}", text, vector)
        for i, (text, vector) in enumerate(zip(texts, tools().embedder.embed(texts), strict=True))
    ]


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_the_nearest_chunks_come_first_with_their_cosine(graph: Graph, small_corpus: str, limit: int) -> None:
    rows = read(graph, CHUNKS, corpus=small_corpus)
    vectors = np.stack([vector_of(row["vector"]) for row in rows])
    found = VectorRetriever(graph, small_corpus, limit).retrieve(asked := questions(*TEXTS))
    for question, hits in zip(asked, found, strict=True):
        cosines = (vectors @ question.vector).tolist()
        expected = sorted(zip(cosines, (row["id"] for row in rows), strict=True), reverse=True)[:limit]
        assert [hit.chunk for hit in hits] == [chunk for _, chunk in expected]
        assert [hit.score for hit in hits] == pytest.approx([cosine for cosine, _ in expected], abs=1e-5)


def test_a_question_gets_the_same_hits_alone_and_among_others(graph: Graph, small_corpus: str) -> None:
    retriever = VectorRetriever(graph, small_corpus, 4)
    together = retriever.retrieve(questions(*TEXTS))
    assert [retriever.retrieve([question])[0] for question in questions(*TEXTS)] == together
    assert retriever.retrieve([]) == []


def test_equal_chunks_come_in_the_order_of_their_ids(graph: Graph, corpus: str) -> None:
    (question,) = questions(TEXTS[0])
    rows = [{"id": f"{corpus}-{name}", "vector": question.vector} for name in "cadb"]
    new = "UNWIND $ids AS id CREATE (:Chunk {id: id, corpus: $corpus})"
    change(graph, new, ids=[row["id"] for row in rows], corpus=corpus)
    graph.rows(query("embeddings/write_chunks"), rows=rows)
    for limit in (2, 4):
        (hits,) = VectorRetriever(graph, corpus, limit).retrieve([question])
        assert [hit.chunk for hit in hits] == [f"{corpus}-{name}" for name in "abcd"[:limit]]
        assert [hit.score for hit in hits] == [pytest.approx(1, abs=1e-6)] * limit


def test_a_run_records_how_many_chunks_it_asked_for(graph: Graph) -> None:
    assert VectorRetriever(graph, "any", 7).name == "vector-7"


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
