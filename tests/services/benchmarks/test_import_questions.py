"""Imported questions in a corpus: with evidence, found again, kept when questions are made anew."""

import json
from pathlib import Path
from typing import Any

import pytest

from kg.corpus import fingerprint
from kg.errors import NothingToDoError
from kg.progress import Silent
from kg.stages.articles import ArticleLimits, chunk_articles, ingest_articles, rejects
from kg.stages.path_finding import forget_questions
from kg.stages.vectors import embed_missing
from kg.store.graph import Graph
from services.datasets.import_questions import ImportResult, import_questions
from services.questions.dataset import dataset_version
from services.questions.hand_work import read_hand_work
from tests.examples import read_examples
from tests.graph_reading import change, value
from tests.services.benchmarks import sets
from tests.small_world import ARTICLES, OPTIONS, ingest, tools

NULL = {"id": "n1", "question": "Who owns the Verrin Larks?", "answer": "", "type": "null"}
OWNER: dict[str, Any] = read_examples("services/benchmarks/import_questions")["owner"]
LOST = {**OWNER, "id": "o2", "question": "Who plays?", "evidence": ["Nobody ever wrote this sentence."]}

EVIDENCE = """
MATCH (q:Question {corpus: $corpus, given_id: $id})-[s:SUPPORTED_BY]->(c:Chunk)<-[:HAS_CHUNK]-(a:Article)
RETURN collect(DISTINCT s.hop + ' ' + a.given_id) AS value
"""
COUNT = "MATCH (q:Question {corpus: $corpus, kind: 'imported'}) RETURN count(q) AS value"


@pytest.fixture
def world(graph: Graph, corpus: str) -> str:
    """Two articles of the small world, with chunks that have vectors."""
    _fill(graph, corpus, "owner", "founder")
    return corpus


def _fill(graph: Graph, corpus: str, *names: str) -> None:
    ingest(graph, corpus, names)
    chunk_articles(graph, corpus, OPTIONS.build.chunk_size, Silent())
    embed_missing(graph, corpus, "chunks", tools().embedder, Silent())


def bring(graph: Graph, corpus: str, path: Path) -> ImportResult:
    return import_questions(graph, corpus, path, "", tools().embedder, Silent())


def evidence(graph: Graph, corpus: str, given_id: str) -> list[str]:
    return sorted(value(graph, EVIDENCE, corpus=corpus, id=given_id))


def test_questions_are_kept_with_their_evidence_and_difficulty(
    graph: Graph, world: str, tmp_path: Path
) -> None:
    path = sets.write_lines(tmp_path / "a.jsonl", OWNER, NULL, LOST, {"question": " "})
    found = bring(graph, world, path)
    assert (found.form, found.questions, found.whole, found.without, found.lost) == ("jsonl", 3, 1, 1, 1)
    assert found.types == {"bridge": 2, "null": 1}
    assert found.pieces == {"title and text": 1, "id": 1}
    assert found.dataset == dataset_version(graph, world)
    assert evidence(graph, world, "o 1") == ["1 owner", "2 founder"]
    asked = value(
        graph, "MATCH (q:Question {corpus: $corpus, given_id: 'o 1'}) RETURN q {.*} AS value", corpus=world
    )
    assert (asked["kind"], asked["status"], asked["query_type"], asked["hops"]) == (
        "imported",
        "kept",
        "bridge",
        2,
    )
    assert 0 < asked["difficulty_min"] < 1
    assert asked.get("bin") is None
    assert len(asked["embedding"]) == 384
    assert (asked["spans_articles"], asked["crossings_articles"]) == (2, 1)


def test_what_could_not_be_used_is_listed_with_file_and_line(
    graph: Graph, world: str, tmp_path: Path
) -> None:
    path = sets.write_lines(tmp_path / "a.jsonl", OWNER, LOST, {"question": " "})
    found = bring(graph, world, path)
    listed = [(row["kind"], row["place"]) for row in rejects(graph, world)]
    assert listed == [("evidence not found", f"{path}:2"), ("question set aside", f"{path}:3")]
    assert [one.place for one in (*found.unmatched, *found.rejects)] == [place for _, place in listed]
    # The same file may be read for its passages: what is said of its questions stays.
    passages = sets.write_lines(path, {"question": "?", "context": [["T", ["Some words of a passage."]]]})
    ingest_articles(graph, world, [passages], {}, ArticleLimits(1, 8_192), Silent())
    assert [(row["kind"], row["place"]) for row in rejects(graph, world)] == listed
    sets.write_lines(path, OWNER)
    bring(graph, world, path)
    assert list(rejects(graph, world)) == []


def test_importing_again_changes_nothing(graph: Graph, world: str, tmp_path: Path) -> None:
    path = sets.write_lines(tmp_path / "a.jsonl", OWNER, NULL, LOST)
    bring(graph, world, path)
    before = fingerprint(graph, world)
    bring(graph, world, path)
    assert fingerprint(graph, world) == before


def test_an_import_that_was_cut_off_ends_as_if_it_was_not(graph: Graph, world: str, tmp_path: Path) -> None:
    path = sets.write_lines(tmp_path / "a.jsonl", OWNER, NULL)
    bring(graph, world, path)
    whole = fingerprint(graph, world)
    change(
        graph,
        "MATCH (q:Question {corpus: $corpus, given_id: 'n1'}) DETACH DELETE q"
        " WITH 1 AS one MATCH (:Question {corpus: $corpus})-[s:SUPPORTED_BY {hop: 2}]->() DELETE s",
        corpus=world,
    )
    bring(graph, world, path)
    assert fingerprint(graph, world) == whole


def test_evidence_is_found_when_its_article_comes_later(graph: Graph, corpus: str, tmp_path: Path) -> None:
    path = sets.write_lines(tmp_path / "a.jsonl", OWNER)
    _fill(graph, corpus, "owner")
    assert len(bring(graph, corpus, path).unmatched) == 1
    # The fact stands in the article of the board as well, but that one has neither the id nor the title.
    _fill(graph, corpus, "owner", "founder", "board")
    assert bring(graph, corpus, path).unmatched == ()
    assert evidence(graph, corpus, "o 1") == ["1 owner", "2 founder"]
    assert value(graph, COUNT, corpus=corpus) == 1


def test_imported_questions_outlive_those_that_are_made(graph: Graph, world: str, tmp_path: Path) -> None:
    bring(graph, world, sets.write_lines(tmp_path / "a.jsonl", OWNER, NULL))
    version = dataset_version(graph, world)
    change(
        graph,
        "CREATE (:Question {id: $corpus + '-made', corpus: $corpus, kind: 'chain', status: 'kept'})",
        corpus=world,
    )
    forget_questions(graph, world)
    assert value(graph, COUNT, corpus=world) == 2
    assert dataset_version(graph, world) == version
    assert evidence(graph, world, "o 1") == ["1 owner", "2 founder"]


def test_a_review_stands_when_the_file_is_imported_again(graph: Graph, world: str, tmp_path: Path) -> None:
    path = sets.write_lines(tmp_path / "a.jsonl", OWNER)
    bring(graph, world, path)
    change(
        graph,
        "MATCH (q:Question {corpus: $corpus}) SET q.status = 'dropped' CREATE (q)-[:HAS_REVIEW]->"
        "(:Review {id: q.id + '-r', corpus: $corpus, question: q.id, annotator: 'ann', decision: 'drop'})",
        corpus=world,
    )
    bring(graph, world, path)
    status = "MATCH (q:Question {corpus: $corpus}) RETURN q.status AS value"
    assert value(graph, status, corpus=world) == "dropped"
    assert read_hand_work(graph, world).reviews == 1


def test_a_text_that_the_set_has_twice_is_found_by_both_ids(
    graph: Graph, corpus: str, tmp_path: Path
) -> None:
    ingest(graph, corpus, ["owner"])
    twice = [{"id": id_, "title": "Owner", "body": ARTICLES["owner"]} for id_ in ("owner", "again", "third")]
    articles = sets.write_lines(tmp_path / "articles.jsonl", *twice)
    ingest_articles(graph, corpus, [articles], {}, ArticleLimits(1, 8_192), Silent())
    ingest_articles(graph, corpus, [articles], {}, ArticleLimits(1, 8_192), Silent())
    others = "MATCH (a:Article {corpus: $corpus}) RETURN a.other_ids AS value"
    assert value(graph, others, corpus=corpus) == ["again", "third"]
    chunk_articles(graph, corpus, OPTIONS.build.chunk_size, Silent())
    path = tmp_path / "q.jsonl"
    path.write_text(json.dumps({"question": "Who?", "answer": "x", "gold_ids": ["third"]}) + "\n")
    assert bring(graph, corpus, path).pieces == {"id": 1}


def test_a_file_without_a_usable_question_is_refused(graph: Graph, world: str, tmp_path: Path) -> None:
    path = sets.write_lines(tmp_path / "a.jsonl", {**OWNER, "question": ""})
    with pytest.raises(NothingToDoError, match="has no question that can be used"):
        bring(graph, world, path)
    assert value(graph, COUNT, corpus=world) == 0
