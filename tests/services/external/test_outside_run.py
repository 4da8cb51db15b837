"""Systems from outside in runs over the small world: they are asked, aligned, kept, resumed and compared."""

import threading
from collections.abc import Iterator
from contextlib import nullcontext
from dataclasses import replace

import pytest

from kg.errors import ModelUnavailableError, SettingsError
from kg.ids import run_id
from kg.ledger import read_ledger
from kg.own_system import OwnAnswer, OwnStep, OwnSystem, Reply, RetrievedText
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph, Row
from services.external.against_baseline import choose_baseline, standing
from services.external.calls import Patience
from services.external.outside_system import external_callable, external_system
from services.rag.protocol import ExternalSystem
from services.rag.reader import READER
from services.rag.run_options import RunOptions
from services.report.html import render_html
from services.report.make import make_report
from services.runs.records import drop_run, list_runs, read_loss
from services.runs.start import RunPlan, plan_run, start_run
from tests.graph_reading import change, read, value
from tests.small_world import tools

BASELINE = "single-step"
FOREIGN = "A text about a lighthouse, a goat and a very slow train that stands in none of the articles."

QUESTIONS = """
MATCH (q:Question {corpus: $corpus, status: 'kept'})
RETURN q.id AS id, q.text AS text, q.answer AS answer, q.kind AS kind,
       COLLECT { MATCH (q)-[:SUPPORTED_BY]->(c:Chunk) RETURN DISTINCT c.text ORDER BY c.text } AS evidence
ORDER BY id
"""
ANSWERS = """
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
RETURN a {.*} AS answer, q.id AS question, q.kind AS kind,
       COLLECT { MATCH (a)-[t:RETRIEVED]->(c) RETURN c.text ORDER BY t.rank } AS retrieved,
       COLLECT { MATCH (a)-[:TOOK]->(s:Step) RETURN s.action ORDER BY s.index } AS steps
ORDER BY question
"""


@pytest.fixture(autouse=True)
def _without_other_runs(graph: Graph, small_corpus: str) -> Iterator[None]:
    yield
    for row in list_runs(graph, small_corpus):
        if row["name"] != BASELINE:
            drop_run(graph, small_corpus, row["name"])


@pytest.fixture
def questions(graph: Graph, small_corpus: str) -> list[Row]:
    """The kept questions with the texts of their evidence."""
    return read(graph, QUESTIONS, corpus=small_corpus)


def outside(
    system: OwnSystem, source: str = "one", a_batch: int = 4, tells: bool = False, at_once: int = 2
) -> ExternalSystem:
    """A system as a run takes it."""
    made = external_system(
        "ours", "callable mine:ours", source, lambda: nullcontext(system), Patience(at_once, 5, 0), tells
    )
    return replace(made, questions_a_batch=a_batch)


def run(graph: Graph, corpus: str, chosen: ExternalSystem, name: str = "", limit: int | None = None) -> str:
    options = RunOptions(name=name, outside=chosen, question_limit=limit)
    return start_run(graph, corpus, options, Settings(), tools().embedder, Silent())


def answers(graph: Graph, corpus: str, name: str) -> list[Row]:
    return read(graph, ANSWERS, run=run_id(corpus, name))


def oracle(questions: list[Row]) -> OwnSystem:
    """A system that knows all answers and finds all evidence, in texts that it changed a little."""
    known = {row["text"]: row for row in questions}

    def system(question: str, /) -> Reply:
        row = known[question]
        texts = tuple(RetrievedText(f"Found: {text}", score=0.5, step=2) for text in row["evidence"])
        return OwnAnswer(
            row["answer"],
            (*texts, RetrievedText(FOREIGN)),
            (OwnStep("plan", question), OwnStep("retrieve", question), OwnStep("answer")),
            input_tokens=5,
            output_tokens=2,
            cost=0.25,
        )

    return system


def test_a_perfect_system_is_right_everywhere_and_its_texts_become_chunks(
    graph: Graph, small_corpus: str, questions: list[Row]
) -> None:
    name = run(graph, small_corpus, outside(oracle(questions)))
    assert name == "ours"
    rows = answers(graph, small_corpus, name)
    assert len(rows) == len(questions)
    evidence = {row["id"]: set(row["evidence"]) for row in questions}
    for row in rows:
        answer = row["answer"]
        assert answer["correct"], answer
        assert evidence[row["question"]] <= set(row["retrieved"])
        assert (answer["unaligned"], answer["unaligned_texts"]) == (1, [FOREIGN])
        assert row["steps"] == ["plan", "retrieve", "answer"]
        assert answer.get("broken_by") is None
        assert all(answer["hops_found"])
    (line,) = [one for one in list_runs(graph, small_corpus) if one["name"] == name]
    assert line["right"] == line["answers"] == len(questions)
    assert line["cost"] == pytest.approx(0.25 * len(questions))
    assert line["generator"] == "callable mine:ours"
    assert value(graph, "MATCH (r:Run {id: $id}) RETURN r.source", id=run_id(small_corpus, name)) == "one"


def test_a_run_that_was_cut_off_asks_nothing_twice(graph: Graph, small_corpus: str) -> None:
    asked: list[str] = []
    lock = threading.Lock()

    def stopping(question: str, /) -> str:
        with lock:
            asked.append(question)
            if len(asked) > 6:
                raise ModelUnavailableError("The network is gone.")
        return "some answer"

    with pytest.raises(ModelUnavailableError):
        run(graph, small_corpus, outside(stopping, a_batch=2))
    kept = len(answers(graph, small_corpus, "ours"))
    assert kept == 6
    second: list[str] = []

    def going_on(question: str, /) -> str:
        with lock:
            second.append(question)
        return "some answer"

    run(graph, small_corpus, outside(going_on, a_batch=2))
    assert not set(second) & set(asked[:6])
    assert len(second) == len(answers(graph, small_corpus, "ours")) - 6
    assert run(graph, small_corpus, outside(stopping)) == "ours"


def test_what_was_answered_is_kept_where_another_question_of_the_batch_ends_the_run(
    graph: Graph, small_corpus: str
) -> None:
    """One question after another: the first fails by itself, the fourth with an end to all."""
    asked: list[str] = []

    def stopping(question: str, /) -> str:
        asked.append(question)
        match len(asked):
            case 1:
                raise ValueError("out of luck")
            case 4:
                raise ModelUnavailableError("The network is gone.")
        return "some answer"

    with pytest.raises(ModelUnavailableError):
        run(graph, small_corpus, outside(stopping, a_batch=1000, at_once=1))
    kept = [row["answer"]["error"] for row in answers(graph, small_corpus, "ours")]
    assert sorted(kept) == ["", "", "ValueError: out of luck"]


def test_another_source_makes_the_run_anew_and_the_loss_is_told(
    graph: Graph, small_corpus: str, questions: list[Row]
) -> None:
    run(graph, small_corpus, outside(oracle(questions)), limit=3)
    other = RunOptions(outside=outside(oracle(questions), source="two"), question_limit=3)
    plan = plan_run(graph, small_corpus, other, Settings(), tools().embedder)
    assert plan.anew
    loss = read_loss(graph, small_corpus, plan.settings)
    assert (loss.answers, loss.changes) == (3, ("its file, address or map is another",))


@pytest.mark.campaign
def test_errors_are_kept_and_only_they_are_asked_again(graph: Graph, small_corpus: str) -> None:
    broken = True
    asked: list[str] = []

    def system(question: str, /) -> str:
        asked.append(question)
        if broken and question.startswith("W") and len(asked) % 2:
            raise ValueError("out of luck")
        return "an answer"

    chosen = outside(system, a_batch=2)
    run(graph, small_corpus, chosen)
    failed = [row for row in answers(graph, small_corpus, "ours") if row["answer"]["error"]]
    assert failed
    assert {row["answer"]["error"] for row in failed} == {"ValueError: out of luck"}
    assert {row["answer"]["broken_by"] for row in failed} == {"error"}
    broken = False
    asked.clear()
    options = RunOptions(outside=chosen, retry_failed=True)
    start_run(graph, small_corpus, options, Settings(), tools().embedder, Silent())
    assert len(asked) == len(failed)
    assert not [row for row in answers(graph, small_corpus, "ours") if row["answer"]["error"]]


def test_a_system_that_is_down_leaves_no_run_behind(graph: Graph, small_corpus: str) -> None:
    def system(_question: str, /) -> str:
        raise ConnectionRefusedError("nobody there")

    with pytest.raises(ModelUnavailableError, match=r"failed on all of 8 questions.*nobody there"):
        run(graph, small_corpus, outside(system, a_batch=8))
    assert "ours" not in {row["name"] for row in list_runs(graph, small_corpus)}
    assert not {"run ours", "matrix ours"} & {line["name"] for line in read_ledger(graph, small_corpus)}


@pytest.mark.campaign
def test_a_system_that_tells_no_retrieval_is_blamed_for_none(graph: Graph, small_corpus: str) -> None:
    run(graph, small_corpus, outside(lambda _question: "wrong"), name="silent")
    run(graph, small_corpus, outside(lambda _question: "wrong", tells=True), name="empty")
    silent, empty = (answers(graph, small_corpus, name) for name in ("silent", "empty"))
    chains = {row["question"] for row in silent if row["kind"] == "chain"}
    assert {row["answer"]["broken_by"] for row in silent if row["question"] in chains} == {"not told"}
    assert {row["answer"]["broken_by"] for row in empty if row["question"] in chains} == {"retrieval"}
    report = make_report(graph, small_corpus, ["silent", "empty"], Silent())
    first, second = report.runs
    assert sum(loss.untold for loss in first.losses) == len(chains)
    assert (first.hop_recall, second.facts.untold) == ((), 0)
    assert any("did not tell what it retrieved" in note for note in report.notes)
    assert "keeps to itself" in render_html(report)


@pytest.mark.campaign
def test_a_run_stands_beside_a_baseline(graph: Graph, small_corpus: str, questions: list[Row]) -> None:
    name = run(graph, small_corpus, outside(oracle(questions)))
    assert choose_baseline(graph, small_corpus, name, None) == BASELINE
    assert choose_baseline(graph, small_corpus, BASELINE, None) == ""
    assert choose_baseline(graph, small_corpus, name, "none") == ""
    with pytest.raises(SettingsError, match="its own baseline"):
        choose_baseline(graph, small_corpus, name, name)
    make_report(graph, small_corpus, [BASELINE, name], Silent())
    found = standing(graph, small_corpus, name, BASELINE)
    (line,) = [one for one in list_runs(graph, small_corpus) if one["name"] == BASELINE]
    whole = found.rows[0]
    assert (whole.scope, whole.n) == ("all", len(questions))
    assert whole.rate.rate == 0
    assert whole.baseline is not None
    assert whole.baseline.rate == pytest.approx(1 - line["right"] / line["answers"])
    assert whole.difference == pytest.approx(-(whole.baseline.rate or 0))
    assert whole.interval is not None
    # Student's interval over so few clusters may reach beyond 0.
    assert whole.interval.low <= (whole.difference or 0) <= whole.interval.high
    assert whole.interval.low < 0
    others = {one.scope: one for one in found.rows if not one.tested}
    chains = sum(one.n for one in found.rows if one.scope.endswith("hops"))
    assert sum(one.n for one in others.values()) == len(questions) - chains
    assert all(one.rate.rate == 0 and one.interval is None and one.p_value is None for one in others.values())
    assert (found.unaligned, found.with_unaligned) == (len(questions), len(questions))
    assert (found.errors, found.unshared, found.long_answers) == (0, 0, False)
    report = make_report(graph, small_corpus, [name], Silent())
    assert any(f"{len(questions)} retrieved texts" in note for note in report.notes)


def test_the_baseline_is_a_whole_run_of_our_own_by_rules(graph: Graph, small_corpus: str) -> None:
    system = outside(lambda _question: "wrong")
    name = run(graph, small_corpus, replace(system, generator=f"{READER} in a library"), name="earliest")
    change(
        graph,
        "MATCH (r:Run {corpus: $corpus, name: $name}) SET r.started_at = r.started_at - duration('P9D')",
        corpus=small_corpus,
        name=name,
    )
    part = RunOptions(name="part", question_limit=3)
    start_run(graph, small_corpus, part, Settings(), tools().embedder, Silent())
    change(
        graph,
        "MATCH (r:Run {corpus: $corpus, name: 'part'}) SET r.started_at = r.started_at - duration('P5D')",
        corpus=small_corpus,
    )
    assert choose_baseline(graph, small_corpus, "ours", None) == BASELINE


def test_who_reads_for_a_callable_that_only_retrieves_is_part_of_the_run(
    graph: Graph, small_corpus: str
) -> None:
    def plan(*reader: object) -> RunPlan:
        asked = external_callable("mine:ours", lambda _: "x", Patience(2, 5, 0), *reader)  # type: ignore[arg-type]
        options = RunOptions(name="read", outside=asked)
        return plan_run(graph, small_corpus, options, Settings(), tools().embedder)

    keys = {plan().key, plan(READER, ()).key, plan("a-model", ("answer@1",)).key, plan("a-model", ()).key}
    assert len(keys) == 4


@pytest.mark.campaign
def test_only_what_both_answered_is_compared(graph: Graph, small_corpus: str, questions: list[Row]) -> None:
    chosen = replace(outside(oracle(questions)), covers=frozenset(row["id"] for row in questions[:5]))
    run(graph, small_corpus, chosen, name="some")
    make_report(graph, small_corpus, [BASELINE, "some"], Silent())
    assert standing(graph, small_corpus, "some", BASELINE).rows[0].n == 5
    turned = standing(graph, small_corpus, BASELINE, "some")
    assert (turned.rows[0].n, turned.unshared) == (5, len(questions) - 5)
