"""Prefix questions that are really asked: once each, apart from the run's answers, and never lost."""

import json
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace
from pathlib import Path

import pytest

from kg.ids import run_id
from kg.ledger import read_stage
from kg.own_system import OwnSystem
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph, Row
from services.evaluate.judge import JudgeOptions, plan_judging
from services.evaluate.judge_by_hand import revise
from services.external.calls import Patience
from services.external.given_answers import external_answers, read_answers
from services.external.outside_system import external_system
from services.rag.run_options import RunOptions
from services.runs.records import drop_run, list_runs
from services.runs.start import RunPlan, plan_run, start_run
from tests.graph_reading import change, read, value
from tests.small_world import tools

PREFIX_ANSWERS = """
MATCH (:Run {id: $run})-[:GAVE_PREFIX]->(a:Answer)-[:TO]->(p:Question)
RETURN a.id AS answer, a.text AS text, a.correct AS correct, p.id AS question, p.kind AS kind,
       COUNT { (a)-[:TOOK]->() } AS steps
ORDER BY p.id
"""
OF_ITS_QUESTIONS = """
MATCH (:Run {id: $run})-[:GAVE]->(:Answer)-[:TO]->(q:Question)-[:HAS_PREFIX]->(p:Question)
WHERE p.rejected_by IS NULL RETURN DISTINCT p.id AS id ORDER BY id
"""
DEEP = RunOptions(name="deep", question_limit=6, prefixes=True)


@pytest.fixture(autouse=True)
def _without_other_runs(graph: Graph, small_corpus: str) -> Iterator[None]:
    yield
    for row in list_runs(graph, small_corpus):
        if row["name"] != "single-step":
            drop_run(graph, small_corpus, row["name"])


def start(graph: Graph, corpus: str, options: RunOptions = DEEP) -> None:
    """Start a run, or go on with it."""
    start_run(graph, corpus, options, Settings(), tools().embedder, Silent())


def plan(graph: Graph, corpus: str, options: RunOptions = DEEP) -> RunPlan:
    """What a start would do."""
    return plan_run(graph, corpus, options, Settings(), tools().embedder)


def asked(graph: Graph, corpus: str, run: str = "deep") -> list[Row]:
    """The answers of a run to prefix questions."""
    return read(graph, PREFIX_ANSWERS, run=run_id(corpus, run))


def test_each_is_asked_once_and_apart_from_the_run(graph: Graph, small_corpus: str) -> None:
    assert plan(graph, small_corpus).prefixes.pending
    start(graph, small_corpus)
    rows = asked(graph, small_corpus)
    wanted = [row["id"] for row in read(graph, OF_ITS_QUESTIONS, run=run_id(small_corpus, "deep"))]
    assert wanted
    assert [row["question"] for row in rows] == wanted
    assert {row["kind"] for row in rows} == {"prefix"}
    assert all(row["steps"] for row in rows)
    assert any(row["correct"] for row in rows)
    (line,) = [row for row in list_runs(graph, small_corpus) if row["name"] == "deep"]
    assert line["answers"] == 6
    both = "MATCH (:Run)-[:GAVE]->(a)<-[:GAVE_PREFIX]-(:Run) RETURN count(a)"
    assert value(graph, both) == 0


def test_what_a_filter_rejected_is_not_asked(graph: Graph, small_corpus: str) -> None:
    before = plan(graph, small_corpus).prefixes
    one = before.pending[0]
    change(graph, "MATCH (p:Question {id: $id}) SET p.rejected_by = 'answer hidden'", id=one)
    try:
        after = plan(graph, small_corpus).prefixes
    finally:
        change(graph, "MATCH (p:Question {id: $id}) REMOVE p.rejected_by", id=one)
    assert after.pending == before.pending[1:]
    assert after.questions == before.questions - 1


@pytest.mark.campaign
def test_they_can_follow_later_and_go_on_where_they_were_cut_off(graph: Graph, small_corpus: str) -> None:
    start(graph, small_corpus, replace(DEEP, prefixes=False))
    assert asked(graph, small_corpus) == []
    assert not plan(graph, small_corpus).anew
    start(graph, small_corpus)
    before = asked(graph, small_corpus)
    run = run_id(small_corpus, "deep")
    lost = "MATCH (:Run {id: $run})-[:GAVE_PREFIX]->(a) WITH a ORDER BY a.id LIMIT 2 DETACH DELETE a"
    change(graph, lost, run=run)
    cut = "MATCH (s:Stage {corpus: $corpus, name: 'prefixes deep'}) SET s.state = 'running'"
    change(graph, cut, corpus=small_corpus)
    assert len(plan(graph, small_corpus).prefixes.pending) == 2
    start(graph, small_corpus)
    assert asked(graph, small_corpus) == before
    assert plan(graph, small_corpus).prefixes.pending == ()
    start(graph, small_corpus, replace(DEEP, question_limit=None))
    assert len(asked(graph, small_corpus)) > len(before)


def test_they_go_with_their_run(graph: Graph, small_corpus: str) -> None:
    start(graph, small_corpus)
    start(graph, small_corpus, replace(DEEP, top=3, prefixes=False))
    assert asked(graph, small_corpus) == []
    drop_run(graph, small_corpus, "deep")
    loose = "MATCH (n:Answer|Step {corpus: $corpus}) WHERE NOT EXISTS { ()-->(n) } RETURN count(n)"
    assert value(graph, loose, corpus=small_corpus) == 0
    assert read_stage(graph, small_corpus, "prefixes deep") is None


def test_judges_and_hands_judge_them_too(graph: Graph, small_corpus: str) -> None:
    start(graph, small_corpus)
    rows = asked(graph, small_corpus)
    judging = plan_judging(graph, small_corpus, "deep", "some-judge", JudgeOptions())
    assert {row["answer"] for row in rows} < {row["id"] for row in judging.rows}
    assert len(judging.rows) == 6 + len(rows)
    chosen = next(row for row in rows if row["correct"])
    assert not revise(graph, chosen["answer"], False, "another one", "me", Silent()).correct
    again = {row["answer"]: row["correct"] for row in asked(graph, small_corpus)}
    assert not again[chosen["answer"]]


def test_a_file_may_answer_them(graph: Graph, small_corpus: str, tmp_path: Path) -> None:
    question = read(
        graph,
        "MATCH (q:Question {corpus: $corpus, kind: 'chain', status: 'kept', hops: 3})-[:HAS_PREFIX]->(p) "
        "WHERE p.rejected_by IS NULL RETURN q.id AS id, collect(p.id) AS prefixes ORDER BY q.id LIMIT 1",
        corpus=small_corpus,
    )[0]
    file = tmp_path / "answers.jsonl"
    ids = [question["id"], question["prefixes"][0], "nobody knows it"]
    file.write_text("".join(json.dumps({"id": one, "answer": "Kaldmere"}) + "\n" for one in ids))
    without = read_answers(graph, small_corpus, file, "jsonl")
    assert len(without.set_aside) == 2
    given = read_answers(graph, small_corpus, file, "jsonl", prefixes=True)
    assert [one.place for one in given.set_aside] == [f"{file}:3"]
    outside = external_answers(file, "jsonl", given)
    start(graph, small_corpus, RunOptions(name="file", outside=outside, prefixes=True))
    rows = asked(graph, small_corpus, "file")
    assert [(row["question"], row["text"]) for row in rows] == [(question["prefixes"][0], "Kaldmere")]


def test_other_answers_to_prefix_questions_replace_only_these(
    graph: Graph, small_corpus: str, tmp_path: Path
) -> None:
    (question,) = read(
        graph,
        "MATCH (q:Question {corpus: $corpus, status: 'kept'})-[:HAS_PREFIX]->(p) WHERE p.rejected_by IS NULL "
        "RETURN q.id AS id, p.id AS prefix ORDER BY q.id, p.id LIMIT 1",
        corpus=small_corpus,
    )
    file = tmp_path / "answers.jsonl"

    def evaluated(said: str, prefixes: bool = True) -> RunOptions:
        rows = [{"id": question["id"], "answer": "Kaldmere"}, {"id": question["prefix"], "answer": said}]
        file.write_text("".join(f"{json.dumps(row)}\n" for row in rows), encoding="utf-8")
        given = read_answers(graph, small_corpus, file, "jsonl", prefixes)
        outside = external_answers(file, "jsonl", given)
        return RunOptions(name="file", outside=outside, prefixes=prefixes)

    start(graph, small_corpus, evaluated("Kaldmere", prefixes=False))
    for said in ("Kaldmere", "Ostby"):
        assert not plan(graph, small_corpus, evaluated(said)).anew
        start(graph, small_corpus, evaluated(said))
        assert [row["text"] for row in asked(graph, small_corpus, "file")] == [said]


def test_a_system_is_opened_once_for_a_run_and_its_prefix_questions(graph: Graph, small_corpus: str) -> None:
    opened: list[str] = []

    def own() -> nullcontext[OwnSystem]:
        opened.append("once")
        return nullcontext(lambda _question: "Kaldmere")

    outside = external_system("counted", "callable mine:counted", "one", own, Patience(2, 5, 0))
    options = RunOptions(name="counted", outside=outside, question_limit=2, prefixes=True)
    start(graph, small_corpus, options)
    assert asked(graph, small_corpus, "counted")
    assert opened == ["once"]
    start(graph, small_corpus, options)
    assert opened == ["once"], "nothing was to be asked"
