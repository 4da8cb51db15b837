"""A snapshot against the graph that it was read from."""

import numpy as np
import pytest

from kg.errors import NothingToDoError
from kg.progress import Silent
from kg.stages.build import build_graph
from kg.store.graph import Graph, vector_of
from services.rag.graph_search.load import load_snapshot, plain_spelling
from services.rag.graph_search.snapshot import Snapshot
from tests.graph_reading import change, read
from tests.services.rag.retrieval.valley_press import build_press
from tests.small_world import OPTIONS, ingest, tools


@pytest.fixture(scope="module")
def press(graph: Graph, press_corpus: str) -> Snapshot:
    return load_snapshot(graph, press_corpus)


def test_chunks_have_their_articles_columns_and_vectors(
    graph: Graph, press_corpus: str, press: Snapshot
) -> None:
    rows = read(
        graph,
        "MATCH (a:Article {corpus: $corpus})-[:HAS_CHUNK]->(c) "
        "RETURN c.id AS id, c.text AS text, a.title AS title, a.id AS article, a.source AS source, "
        "a.category AS category, a.author AS author, coalesce(toString(date(a.published_at)), '') AS date, "
        "c.embedding AS vector ORDER BY id",
        corpus=press_corpus,
    )
    chunks = press.chunks
    columns = [chunks.ids, chunks.texts, chunks.titles, chunks.articles, chunks.sources]
    columns += [chunks.categories, chunks.authors, chunks.published]
    names = ("id", "text", "title", "article", "source", "category", "author", "date")
    for name, column in zip(names, columns, strict=True):
        assert [row[name] for row in rows] == list(column)
    assert chunks.vectors.dtype == np.float32
    assert np.array_equal(chunks.vectors, np.stack([vector_of(row["vector"]) for row in rows]))


def test_facts_have_their_ends_their_claim_and_its_chunks(
    graph: Graph, press_corpus: str, press: Snapshot
) -> None:
    rows = read(
        graph,
        "MATCH (s:Entity {corpus: $corpus})-[r:RELATES]->(o) MATCH (k:Claim {id: r.claim}) "
        "RETURN r.id AS id, s.id AS s, r.predicate AS p, o.id AS o, r.embedding AS vector, "
        "COLLECT { MATCH (c:Chunk)-[:HAS_CLAIM]->(k) RETURN c.id ORDER BY c.id } AS chunks ORDER BY id",
        corpus=press_corpus,
    )
    facts, ids = press.facts, press.entities.ids
    assert [
        (facts.ids[at], ids[facts.subjects[at]], facts.predicates[at], ids[facts.objects[at]])
        for at in range(len(facts.ids))
    ] == [(row["id"], row["s"], row["p"], row["o"]) for row in rows]
    stated = [[press.chunks.ids[at] for at in facts.chunks[[fact]].indices] for fact in range(len(rows))]
    assert stated == [row["chunks"] for row in rows]
    vectors = np.stack([vector_of(row["vector"]) for row in rows])
    assert np.abs(facts.vectors[:] - vectors).max() <= 1 / 254


def test_every_name_leads_to_its_entity(graph: Graph, press_corpus: str, press: Snapshot) -> None:
    rows = read(
        graph,
        "MATCH (c:Chunk {corpus: $corpus})-[n:NAMES]->(e) "
        "RETURN c.id AS chunk, e.id AS entity, n.surface AS surface, n.name AS name, n.count AS count",
        corpus=press_corpus,
    )
    index = {found: at for at, found in enumerate(press.entities.ids)}
    for row in rows:
        for name in (row["surface"], row["name"], press.entities.names[index[row["entity"]]]):
            assert index[row["entity"]] in press.entities.spellings[plain_spelling(name)]
    assert press.naming.sum() == sum(row["count"] for row in rows)
    (board,) = press.entities.spellings["nhb"]
    assert press.entities.names[board] == "Norholm Health Board"
    assert len(press.entities.ids) == press.naming.shape[1] == len(press.entities.vectors)


def test_claims_have_their_chunks(graph: Graph, press_corpus: str, press: Snapshot) -> None:
    rows = read(
        graph,
        "MATCH (c:Chunk {corpus: $corpus})-[:HAS_CLAIM]->(k) RETURN count(*) AS edges, "
        "count(DISTINCT k) AS claims",
        corpus=press_corpus,
    )
    assert [{"edges": press.claims.chunks.nnz, "claims": len(press.claims.ids)}] == rows


def test_a_corpus_without_a_whole_graph_is_refused_with_the_remedy(graph: Graph, corpus: str) -> None:
    with pytest.raises(NothingToDoError, match=r"is not built yet\. Build it: kg corpus build"):
        load_snapshot(graph, corpus)
    ingest(graph, corpus, ["rovers"])
    with pytest.raises(NothingToDoError, match="is not built yet"):
        load_snapshot(graph, corpus)
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent(), until="resolution")
    assert load_snapshot(graph, corpus).corpus == corpus
    change(
        graph,
        "MATCH (s:Stage {corpus: $corpus, name: 'claims'}) SET s.state = 'running'",
        corpus=corpus,
    )
    with pytest.raises(NothingToDoError, match="is not whole"):
        load_snapshot(graph, corpus)


def test_a_corpus_may_hold_chunks_and_nothing_else(graph: Graph, corpus: str) -> None:
    build_press(graph, corpus)
    change(graph, "MATCH (n:Entity|Claim|Alias {corpus: $corpus}) DETACH DELETE n", corpus=corpus)
    snapshot = load_snapshot(graph, corpus)
    assert len(snapshot.chunks.ids) > 0
    assert snapshot.entities.ids == snapshot.facts.ids == snapshot.claims.ids == ()
    assert snapshot.naming.shape == (len(snapshot.chunks.ids), 0)
