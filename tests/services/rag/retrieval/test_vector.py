"""Vector retrieval in Neo4j against a search of all vectors.

Retrievers by name.
"""

import numpy as np
import pytest

from kg.errors import SettingsError
from kg.queries import query
from kg.store.graph import Graph, vector_of
from services.rag.protocol import RagQuestion
from services.rag.retrieval.choose import DEFAULT, NAMED, RETRIEVERS, VectorRetriever, open_retriever
from tests.graph_reading import change, read
from tests.small_world import tools

CHUNKS = "MATCH (c:Chunk {corpus: $corpus}) RETURN c.id AS id, c.embedding AS vector ORDER BY id"
TEXTS = ["Who founded Halden Shipping?", "Pigeons and ladders", "The Corrin Medal", "x"]


def questions(*texts: str) -> list[RagQuestion]:
    return [
        RagQuestion(f"question-{i}", text, vector)
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
    graph.rows(query("search/write_embeddings"), target="chunks", rows=rows)
    for limit in (2, 4):
        (hits,) = VectorRetriever(graph, corpus, limit).retrieve([question])
        assert [hit.chunk for hit in hits] == [f"{corpus}-{name}" for name in "abcd"[:limit]]
        assert [hit.score for hit in hits] == [pytest.approx(1, abs=1e-6)] * limit


def test_a_run_records_how_many_chunks_it_asked_for(graph: Graph) -> None:
    assert VectorRetriever(graph, "any", 7).name == "vector-7"


def test_an_unknown_name_is_told_with_all_that_there_are(graph: Graph) -> None:
    with pytest.raises(SettingsError) as caught:
        open_retriever("magic", graph, "any", tools().embedder)
    assert "'magic'" in caught.value.message
    for name in RETRIEVERS:
        assert name in caught.value.remedy


@pytest.mark.parametrize("name", [name for name in RETRIEVERS if name != "pagerank-gds"])
def test_a_retriever_is_called_by_its_name_and_limit(graph: Graph, name: str) -> None:
    assert open_retriever(name, graph, "any", tools().embedder, 7).name == f"{name}-7"


def test_with_named_behind_it_a_retriever_looks_where_the_question_says(graph: Graph) -> None:
    assert open_retriever(f"words{NAMED}", graph, "any", tools().embedder, 7).name == "words-named-7"


def test_the_default_is_one_of_them() -> None:
    assert DEFAULT in RETRIEVERS
