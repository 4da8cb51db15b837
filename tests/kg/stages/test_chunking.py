"""Chunks hold what their article is found and filtered by, those of older corpora after the next build."""

import json
from pathlib import Path

import numpy as np

from kg.ids import shelf_marks
from kg.progress import Silent
from kg.stages.articles import ArticleLimits, ingest_articles
from kg.stages.build import build_graph
from kg.stages.vectors import embedded_text
from kg.store.graph import Graph, Row, vector_of
from services.pipeline import open_for_job
from tests.graph_reading import change, read, value
from tests.small_world import ARTICLES, OPTIONS, tools

FIELDS = {"source": "The Echo", "category": "Sport", "author": "Vera Holm"}
CHUNKS = (
    "MATCH (c:Chunk {corpus: $corpus}) RETURN c.id AS id, properties(c) AS chunk, c.embedding AS vector "
    "ORDER BY id"
)


def test_chunks_repeat_their_article_and_so_do_claims_and_facts(
    graph: Graph, corpus: str, tmp_path: Path
) -> None:
    _build(graph, corpus, tmp_path)
    marks = shelf_marks(corpus, "The Echo", "Sport", "Vera Holm", "2021-03-05")
    for row in read(graph, CHUNKS, corpus=corpus):
        expected = FIELDS | marks | {"title": "Owner", "published": "2021-03-05"}
        assert row["chunk"] | expected == row["chunk"]
    assert _marked(graph, corpus) == {("Claim", marks["shelf"]), ("RELATES", marks["shelf"])}


def test_the_vector_of_a_chunk_is_of_its_title_and_text(graph: Graph, corpus: str, tmp_path: Path) -> None:
    _build(graph, corpus, tmp_path)
    rows = read(graph, CHUNKS, corpus=corpus)
    expected = tools().embedder.embed([embedded_text("Owner", row["chunk"]["text"]) for row in rows])
    np.testing.assert_allclose(np.stack([vector_of(row["vector"]) for row in rows]), expected, atol=1e-6)


def test_a_corpus_of_an_older_version_is_brought_up_to_date(
    graph: Graph, corpus: str, tmp_path: Path
) -> None:
    _build(graph, corpus, tmp_path)
    before = _content(graph, corpus)
    _make_older(graph, corpus)
    assert _content(graph, corpus) != before
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent(), until="resolution")
    assert _content(graph, corpus) == before


def _build(graph: Graph, corpus: str, folder: Path) -> None:
    open_for_job(graph, corpus, OPTIONS, tools())
    path = folder / "one.jsonl"
    row = {"title": "Owner", "body": ARTICLES["owner"], "published_at": "2021-03-05T23:30:00Z", **FIELDS}
    path.write_text(json.dumps(row), encoding="utf-8")
    ingest_articles(graph, corpus, [path], {}, ArticleLimits(1, 8_192), Silent())
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent(), until="resolution")


def _make_older(graph: Graph, corpus: str) -> None:
    """What an older version left: no fields on chunks, claims and facts, vectors without titles."""
    change(
        graph,
        "MATCH (c:Chunk {corpus: $corpus}) SET c.embedding = [x IN c.embedding | -x] "
        "REMOVE c.title, c.source, c.category, c.author, c.published, c.shelf, c.keys, c.day",
        corpus=corpus,
    )
    change(graph, "MATCH (k:Claim {corpus: $corpus}) REMOVE k.shelf, k.published", corpus=corpus)
    change(
        graph,
        "MATCH (:Entity {corpus: $corpus})-[r:RELATES]->() REMOVE r.shelf, r.published",
        corpus=corpus,
    )
    change(graph, "MATCH (s:Stage {corpus: $corpus, name: 'chunks'}) SET s.key = 'older'", corpus=corpus)


def _content(graph: Graph, corpus: str) -> tuple[list[Row], set[tuple[str, str]]]:
    return read(graph, CHUNKS, corpus=corpus), _marked(graph, corpus)


def _marked(graph: Graph, corpus: str) -> set[tuple[str, str]]:
    """Which shelves claims and facts stand on."""
    found: list[list[str]] = value(
        graph,
        "RETURN COLLECT { MATCH (k:Claim {corpus: $corpus}) RETURN DISTINCT ['Claim', k.shelf] } + "
        "COLLECT { MATCH (:Entity {corpus: $corpus})-[r:RELATES]->() RETURN DISTINCT ['RELATES', r.shelf] }",
        corpus=corpus,
    )
    return {(kind, shelf) for kind, shelf in found}
