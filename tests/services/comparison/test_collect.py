"""Rows of a comparison as the graph has them."""

from pathlib import Path

import pytest

from kg.store.graph import Graph
from services.comparison.collect import collect_chunks, collect_questions
from services.comparison.folder import POOL_FILE
from services.comparison.pool import read_pool
from services.questions.spans.facets import FACETS, UNKNOWN, ClusterFacet
from tests.services.comparison.small_standard import begin, forget


@pytest.mark.parametrize("facet", FACETS)
def test_a_gold_chunk_has_one_cluster_wherever_it_stands(
    graph: Graph, small_corpus: str, tmp_path: Path, facet: ClusterFacet
) -> None:
    protocol = begin(graph, small_corpus, tmp_path, f"collect-{facet}", evidence_clusters=facet)
    pool = read_pool(tmp_path / POOL_FILE).of
    questions = collect_questions(graph, protocol, sorted(pool))
    chunks = collect_chunks(graph, protocol, pool, questions)
    gold = {piece.chunk: piece.cluster for question in questions for piece in question.gold}
    assert gold
    assert gold == {name: chunks[name].cluster for name in gold}
    # A gap question's graph evidence leads up to what stands nowhere, and is none.
    assert {one.kind for one in questions if not one.gold} == {"null"}
    forget(graph, small_corpus)


def test_chunks_of_unknown_clusters_are_not_of_one(graph: Graph, small_corpus: str, tmp_path: Path) -> None:
    inference = {"clusters": "domain", "draws": 1_000}
    protocol = begin(
        graph, small_corpus, tmp_path, "unknown", evidence_clusters="domain", inference=inference
    )
    questions = collect_questions(graph, protocol, sorted(read_pool(tmp_path / POOL_FILE).of))
    forget(graph, small_corpus)
    clusters = {piece.cluster for question in questions for piece in question.gold}
    assert len(clusters) > 1
    assert all(cluster.startswith(f"{UNKNOWN['domain']}, ") for cluster in clusters)
    # Inference goes by the same clusters: not all questions are one.
    assert len({question.cluster for question in questions if question.gold}) > 1
