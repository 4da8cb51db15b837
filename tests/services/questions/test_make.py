"""Questions as they stand in the graph: evidence, bins, accepted answers, and reasons of rejection."""

from collections import defaultdict
from collections.abc import Iterator
from uuid import uuid4

import pytest

from kg.corpus import drop_corpus, fingerprint
from kg.ledger import counts_of, read_stage
from kg.progress import Silent
from kg.stages.forgetting import forget_questions
from kg.store.graph import Graph, Row, vector_of
from services.questions.difficulty import difficulty, quartile_bins
from services.questions.make import make_questions
from tests.graph_reading import change, read, value
from tests.small_world import run_small_job, tools

QUESTIONS = """
MATCH (q:Question {corpus: $corpus})-[:FOLLOWS]->(p:Path)
RETURN q AS question, p.hops AS path_hops,
       COLLECT { MATCH (q)-[:ASKS_ABOUT]->(e) RETURN e.name } AS asks_about,
       COLLECT { MATCH (q)-[:ANSWERED_BY]->(e) RETURN e.name } AS answered_by,
       COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e.name ORDER BY v.index } AS stops,
       COLLECT { MATCH (p)-[v:VISITS]->(e) RETURN e.type ORDER BY v.index } AS types,
       COLLECT { MATCH (p)-[h:HOP]->() RETURN h ORDER BY h.index } AS hops,
       COLLECT { MATCH (q)-[s:SUPPORTED_BY]->(c) RETURN [s.hop, s.similarity, c.id] } AS support
"""


@pytest.fixture(scope="module")
def done(graph: Graph) -> Iterator[str]:
    name = f"test-{uuid4().hex[:12]}"
    run_small_job(graph, name)
    yield name
    drop_corpus(graph, name)


@pytest.fixture(scope="module")
def questions(graph: Graph, done: str) -> list[Row]:
    return read(graph, QUESTIONS, corpus=done)


def test_every_path_is_one_question(graph: Graph, done: str, questions: list[Row]) -> None:
    assert len(questions) == value(graph, "MATCH (p:Path {corpus: $corpus}) RETURN count(p)", corpus=done)
    for row in questions:
        assert row["question"]["hops"] == row["path_hops"] == len(row["stops"]) - 1
        assert row["asks_about"] == row["stops"][:1]
        assert row["answered_by"] == row["stops"][-1:] == [row["question"]["answer"]]
        assert row["question"]["answer_type"] == row["types"][-1]


def test_other_names_of_the_answer_are_accepted(questions: list[Row]) -> None:
    accepted = {
        row["question"]["answer"]: row["question"]["accepted"]
        for row in questions
        if row["question"]["answer"] == "Norholm Health Board"
    }
    assert "NHB" in accepted["Norholm Health Board"]
    assert all(row["question"]["answer"] in row["question"]["accepted"] for row in questions)


def test_a_question_holds_the_vector_of_its_text(questions: list[Row]) -> None:
    vectors = tools().embedder.embed([row["question"]["text"] for row in questions])
    for row, vector in zip(questions, vectors, strict=True):
        assert vector_of(row["question"]["embedding"]).tolist() == vector.tolist()


def test_each_hop_has_evidence_and_all_three_difficulties_follow_from_it(questions: list[Row]) -> None:
    for row in questions:
        by_hop: dict[int, list[float]] = defaultdict(list)
        for hop, similarity, _ in row["support"]:
            by_hop[hop].append(similarity)
        assert sorted(by_hop) == list(range(1, row["path_hops"] + 1))
        similarities = [by_hop[hop] for hop in sorted(by_hop)]
        for aggregate in ("min", "mean", "power"):
            assert row["question"][f"difficulty_{aggregate}"] == pytest.approx(
                difficulty(similarities, aggregate), abs=2e-6
            )


def test_bins_are_quartiles_of_the_kept_questions_of_a_depth(questions: list[Row]) -> None:
    kept = [row["question"] for row in questions if row["question"]["status"] == "kept"]
    bins = quartile_bins([q["difficulty_min"] for q in kept], [q["hops"] for q in kept])
    assert [q["bin"] for q in kept] == bins
    assert all("bin" not in row["question"] for row in questions if row["question"]["status"] != "kept")


def test_counts_are_those_of_the_graph(graph: Graph, done: str, questions: list[Row]) -> None:
    line = read_stage(graph, done, "questions")
    assert line is not None
    kept = [row["question"]["hops"] for row in questions if row["question"]["status"] == "kept"]
    expected = {"drawn": len(questions), "kept": len(kept)}
    expected |= {f"kept_{hops}_hops": kept.count(hops) for hops in set(kept)}
    assert counts_of(line) == expected


def test_a_question_that_gives_itself_away_is_kept_aside_with_the_reason(graph: Graph, corpus: str) -> None:
    run_small_job(graph, corpus)
    change(
        graph,
        "MATCH (e:Entity {corpus: $corpus, name: 'Anton Brask'}) SET e.aliases = ['Mira Tolland', 'Halden']",
        corpus=corpus,
    )
    forget_questions(graph, corpus)
    make_questions(graph, corpus, tools().embedder, Silent())
    rejected = {
        (row["stops"][0], row["question"]["rejected_by"], row["question"].get("bin"))
        for row in read(graph, QUESTIONS, corpus=corpus)
        if row["question"]["status"] == "rejected"
    }
    assert rejected == {
        ("Mira Tolland", "answer in the question", None),
        ("Halden Shipping", "answer in the question", None),
    }


def test_clearing_takes_questions_and_runs_and_leaves_the_rest(graph: Graph, corpus: str) -> None:
    run_small_job(graph, corpus)
    kept = "MATCH (n:Path|Claim|Entity|Chunk {corpus: $corpus}) RETURN count(n)"
    before = value(graph, kept, corpus=corpus)
    forget_questions(graph, corpus)
    gone = "MATCH (n:Question|Run|Answer|Cell {corpus: $corpus}) RETURN count(n)"
    assert (value(graph, gone, corpus=corpus), value(graph, kept, corpus=corpus)) == (0, before)


def test_making_them_again_changes_nothing(graph: Graph, done: str) -> None:
    before = fingerprint(graph, done)
    make_questions(graph, done, tools().embedder, Silent())
    assert fingerprint(graph, done) == before
