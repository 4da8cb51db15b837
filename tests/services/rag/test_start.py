"""Runs over the questions of the small world, as they stand in the graph: whole, limited, cut off, failed."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date
from pathlib import Path
from typing import Any

import pytest

from kg.corpus import fingerprint
from kg.errors import BudgetReachedError, ModelUnavailableError, NothingToDoError, SettingsError
from kg.ids import run_id
from kg.ledger import counts_of, read_stage
from kg.llm.budget import Budget
from kg.llm.prompts import load_prompt
from kg.progress import Silent
from kg.queries import Query
from kg.settings import Settings
from kg.store.graph import Graph, Row
from services.answers import exact_match, is_abstention, token_f1
from services.rag.model_generator import FROM_MEMORY
from services.rag.reader import READER
from services.rag.run_options import RunOptions, parse_system
from services.report.make import make_report
from services.runs.records import drop_run, list_runs
from services.runs.start import plan_run, start_run
from tests.examples import examples
from tests.graph_reading import change, read, value
from tests.scripted_endpoint import Endpoint, scripted_endpoint, time_out, times
from tests.services.rag.scripted_answers import answer_as_told
from tests.small_world import tools

ANSWERS = """
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
RETURN a AS answer, q {.*, embedding: null} AS question,
       COLLECT { MATCH (a)-[t:RETRIEVED]->(c) RETURN [t.rank, t.step, t.score] ORDER BY t.rank } AS retrieved,
       COLLECT { MATCH (a)-[:TOOK]->(s:Step) RETURN s.action ORDER BY s.index } AS steps
ORDER BY q.id
"""
KEPT = "MATCH (q:Question {corpus: $corpus, status: 'kept'}) RETURN count(q)"
MODEL = RunOptions(generator="model")


@pytest.fixture
def done(small_corpus: str) -> str:
    return small_corpus


@pytest.fixture(autouse=True)
def _without_other_runs(graph: Graph, done: str) -> Iterator[None]:
    yield
    for row in list_runs(graph, done):
        if row["name"] != "single-step":
            drop_run(graph, done, row["name"])


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with scripted_endpoint(answer_as_told) as opened:
        yield opened


def run(graph: Graph, corpus: str, options: RunOptions, settings: Settings | None = None) -> str:
    """Start a run, and return its name."""
    return start_run(graph, corpus, options, settings or Settings(), tools().embedder, Silent())


def answers(graph: Graph, corpus: str, name: str) -> list[Row]:
    """The answers of a run as the graph has them."""
    return read(graph, ANSWERS, run=run_id(corpus, name))


def row_of(graph: Graph, corpus: str, name: str) -> Row:
    """A run's line in the list."""
    (found,) = [row for row in list_runs(graph, corpus) if row["name"] == name]
    return found


def untimed(rows: list[Row]) -> list[tuple[object, ...]]:
    """What was answered to which question, from what, in which steps."""
    return [
        (row["question"]["id"], row["answer"]["id"], row["answer"]["text"], row["retrieved"], row["steps"])
        for row in rows
    ]


@pytest.mark.parametrize("system", ["single-step", "multi-step", "decomposition"])
def test_every_kept_question_is_answered_once_and_judged(graph: Graph, done: str, system: str) -> None:
    name = run(graph, done, RunOptions(system=parse_system(system)))
    rows = answers(graph, done, name)
    assert name == system
    assert len({row["question"]["id"] for row in rows}) == len(rows) == value(graph, KEPT, corpus=done)
    for row in rows:
        answer, question = row["answer"], row["question"]
        text, gold, accepted = answer["text"], question["answer"], question["accepted"]
        assert answer["exact_match"] == exact_match(text, gold, accepted)
        assert answer["correct"] == answer["answer_match"] >= answer["exact_match"]
        assert answer["f1"] == pytest.approx(token_f1(text, gold, accepted), abs=1e-4)
        assert answer["abstained"] == is_abstention(text)
        assert (answer["error"], answer["judged_by"], answer["prompts"]) == ("", "answer match", [])
        assert [rank for rank, _, _ in row["retrieved"]] == list(range(1, len(row["retrieved"]) + 1))
        assert all(row["steps"][step - 1] == "retrieve" for _, step, _ in row["retrieved"])
        assert row["steps"][-1] == "answer"
    line = read_stage(graph, done, f"run {name}")
    assert line is not None
    assert counts_of(line) == {
        "answers": len(rows),
        "right": sum(row["answer"]["correct"] for row in rows),
        "abstained": sum(row["answer"]["abstained"] for row in rows),
        "failed": 0,
    }
    cells = "MATCH (:Run {id: $run})-[:HAS_CELL]->(c) WHERE c.hops > 0 AND c.bin > 0 RETURN sum(c.n)"
    chains = [row for row in rows if row["question"]["kind"] == "chain"]
    assert value(graph, cells, run=run_id(done, name)) == len(chains)


SUPPORT = """
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
RETURN q.id AS question, q.kind AS kind,
       COLLECT { MATCH (q)-[s:SUPPORTED_BY]->(c) WITH c, min(s.hop) AS hop
                 RETURN c.id ORDER BY hop, c.id } AS gold,
       COLLECT { MATCH (a)-[t:RETRIEVED]->(c) RETURN c.id ORDER BY t.rank } AS read
"""


def test_gold_evidence_is_read_in_place_of_a_search_and_null_questions_have_none(
    graph: Graph, done: str
) -> None:
    name = run(graph, done, RunOptions(evidence="gold"))
    rows = read(graph, SUPPORT, run=run_id(done, name))
    assert name == "single-step-gold"
    assert all(row["gold"] and row["read"] == row["gold"] for row in rows)
    asked = {row["question"] for row in rows}
    kept = read(
        graph,
        "MATCH (q:Question {corpus: $corpus, status: 'kept'}) RETURN q.id AS id, q.kind AS kind",
        corpus=done,
    )
    assert asked == {row["id"] for row in kept if row["kind"] != "null"} < {row["id"] for row in kept}
    (record,) = read(graph, "MATCH (r:Run {id: $id}) RETURN r", id=run_id(done, name))
    kept_of_it = tuple(record["r"][name] for name in ("retriever", "evidence", "top"))
    assert kept_of_it == ("gold-evidence", "gold", 0)
    # Every search of an agent that goes by rules finds the same.
    agent = run(graph, done, RunOptions(system="react", evidence="gold", question_limit=3))
    assert all(set(row["read"]) <= set(row["gold"]) for row in read(graph, SUPPORT, run=run_id(done, agent)))


def test_a_report_sets_a_run_between_its_ceilings(graph: Graph, done: str) -> None:
    gold, memory = (run(graph, done, RunOptions(evidence=evidence)) for evidence in ("gold", "none"))
    sections = {one.facts.name: one for one in make_report(graph, done, ["single-step", gold], Silent()).runs}
    assert sections[gold].ceilings is None
    found = sections["single-step"].ceilings
    assert found is not None
    assert found.from_memory is not None
    assert found.retrieval is not None
    assert found.reading is not None
    assert (found.gold, found.closed_book) == (gold, memory)
    assert found.system.n == found.reading.n == len(answers(graph, done, gold))
    assert found.from_memory.hits == 0
    assert found.system.rate is not None
    assert found.reading.rate is not None
    assert found.retrieval.difference + found.reading.rate == pytest.approx(1 - found.system.rate)


def test_a_closed_book_run_reads_nothing_and_asks_the_model_from_memory(
    graph: Graph, done: str, endpoint: Endpoint, tmp_path: Path
) -> None:
    rules = run(graph, done, RunOptions(evidence="none", question_limit=4))
    rows = answers(graph, done, rules)
    assert rules == "single-step-closed-book"
    assert all(row["answer"]["abstained"] and not row["retrieved"] for row in rows)
    assert {tuple(row["steps"]) for row in rows} == {("answer",)}
    options = RunOptions(evidence="none", generator="model", name="memory", question_limit=2)
    settings = endpoint.settings(tmp_path).model_copy(update={"hopgrade_model_cutoff": date(2031, 1, 9)})
    run(graph, done, options, settings)
    cutoffs = "MATCH (r:Run {corpus: $corpus}) WHERE r.model_cutoff IS NOT NULL RETURN r.name, r.model_cutoff"
    assert [list(row.values()) for row in read(graph, cutoffs, corpus=done)] == [["memory", "2031-01-09"]]
    rows = answers(graph, done, "memory")
    assert {prompt.partition("@")[0] for row in rows for prompt in row["answer"]["prompts"]} == {
        load_prompt(FROM_MEMORY).id.partition("@")[0]
    }
    assert {row["answer"]["text"] for row in rows} == {"Kaldmere"}


def test_the_best_of_the_candidates_are_read(graph: Graph, done: str) -> None:
    options = RunOptions(reranker="lexical", candidates=12, top=6, evidence_tokens=2048, question_limit=3)
    name = run(graph, done, options)
    (record,) = read(graph, "MATCH (r:Run {id: $id}) RETURN r", id=run_id(done, name))
    assert (name, record["r"]["retriever"], record["r"]["reranker"]) == (
        "single-step-reranked",
        "vector-12",
        "lexical",
    )
    steps = read(
        graph,
        "MATCH (:Run {id: $run})-[:GAVE]->(a)-[:TOOK]->(s) WITH a, s ORDER BY s.index "
        "RETURN a.id, collect([s.action, s.top_k, COUNT { (s)-[:SAW]->() }]) AS steps",
        run=run_id(done, name),
    )
    assert [row["steps"] for row in steps] == [
        [["retrieve", 12, 12], ["rerank", 6, 6], ["answer", None, 0]]
    ] * 3
    assert plan_run(graph, done, options, Settings(), tools().embedder).pending == ()
    changed = replace(options, candidates=13)
    assert plan_run(graph, done, changed, Settings(), tools().embedder).anew


@pytest.mark.campaign
def test_a_run_records_what_makes_it_repeatable(graph: Graph, done: str) -> None:
    run(graph, done, RunOptions(system="decomposition", top=4, name="mine"))
    kept = value(graph, "MATCH (r:Run {id: $id}) RETURN r", id=run_id(done, "mine"))
    assert (kept["name"], kept["system"], kept["retriever"], kept["top"]) == (
        "mine",
        "decomposition",
        "vector-4",
        4,
    )
    assert (kept["reranker"], kept["generator"], kept["judge"]) == ("lexical", READER, "answer match")
    assert kept["embedder"] == tools().embedder.name
    assert kept["dataset"].startswith("v-")
    assert kept["finished_at"] >= kept["started_at"]
    assert "question_limit" not in kept


def test_a_second_start_asks_nothing_and_changes_nothing(graph: Graph, done: str) -> None:
    run(graph, done, RunOptions())
    before = fingerprint(graph, done)
    plan = plan_run(graph, done, RunOptions(), Settings(), tools().embedder)
    assert (plan.pending, plan.anew) == ((), False)
    run(graph, done, RunOptions())
    assert fingerprint(graph, done) == before


def test_only_what_is_missing_is_answered(graph: Graph, done: str) -> None:
    name = run(graph, done, RunOptions(name="whole"))
    before = untimed(answers(graph, done, name))
    lost = "MATCH (:Run {id: $run})-[:GAVE]->(a) WITH a ORDER BY a.id LIMIT 3 DETACH DELETE a"
    change(graph, lost, run=run_id(done, name))
    change(graph, "MATCH (s:Stage {corpus: $corpus, name: 'run whole'}) SET s.state = 'running'", corpus=done)
    assert len(plan_run(graph, done, RunOptions(name=name), Settings(), tools().embedder).pending) == 3
    run(graph, done, RunOptions(name=name))
    assert untimed(answers(graph, done, name)) == before


@pytest.mark.campaign
def test_a_raised_limit_goes_on_and_a_lowered_one_takes_nothing_away(graph: Graph, done: str) -> None:
    options = RunOptions(name="part")
    run(graph, done, replace(options, question_limit=3))
    first = untimed(answers(graph, done, "part"))
    assert len(first) == 3
    assert row_of(graph, done, "part")["question_limit"] == 3
    run(graph, done, replace(options, question_limit=5))
    second = untimed(answers(graph, done, "part"))
    assert len(second) == 5
    assert all(row in second for row in first)
    run(graph, done, replace(options, question_limit=2))
    assert untimed(answers(graph, done, "part")) == second
    assert row_of(graph, done, "part")["question_limit"] == 5
    run(graph, done, options)
    assert len(answers(graph, done, "part")) == value(graph, KEPT, corpus=done)
    assert row_of(graph, done, "part")["question_limit"] is None


@pytest.mark.campaign
@pytest.mark.parametrize(
    "changed", [{"top": 3}, {"system": "multi-step"}, {"generator": "model"}], ids=["top", "system", "model"]
)
def test_changed_settings_make_a_run_anew(
    graph: Graph, done: str, endpoint: Endpoint, tmp_path: Path, changed: dict[str, str]
) -> None:
    options = RunOptions(name="changing", question_limit=4)
    run(graph, done, options)
    others = value(graph, "MATCH (a:Answer {corpus: $corpus}) RETURN count(a)", corpus=done)
    other = replace(options, **changed)  # type: ignore[arg-type]
    settings = endpoint.settings(tmp_path)
    assert plan_run(graph, done, other, settings, tools().embedder).anew
    run(graph, done, other, settings)
    again = value(graph, "MATCH (a:Answer {corpus: $corpus}) RETURN count(a)", corpus=done)
    assert again == others
    assert len(answers(graph, done, "changing")) == 4


def test_edited_questions_make_a_run_anew(graph: Graph, done: str) -> None:
    options = RunOptions(name="older", question_limit=2)
    run(graph, done, options)
    change(
        graph,
        "MATCH (q:Question {corpus: $corpus, status: 'kept'}) WITH q ORDER BY q.id LIMIT 1 "
        "SET q.was = q.text, q.text = q.text + ' '",
        corpus=done,
    )
    try:
        assert plan_run(graph, done, options, Settings(), tools().embedder).anew
    finally:
        change(
            graph,
            "MATCH (q:Question {corpus: $corpus}) WHERE q.was IS NOT NULL SET q.text = q.was, q.was = null",
            corpus=done,
        )


class _Dying(Graph):
    """A graph that goes away right after, or right before, one of its writes of answers."""

    dies_at = 0
    committed = True
    writes = 0

    def rows(self, statement: Query, **params: object) -> list[Row]:
        if statement.name != "answers/write_answers":
            return super().rows(statement, **params)
        self.writes += 1
        if self.writes == self.dies_at and not self.committed:
            raise KeyboardInterrupt
        found = super().rows(statement, **params)
        if self.writes == self.dies_at:
            raise KeyboardInterrupt
        return found


@pytest.mark.campaign
@pytest.mark.parametrize("committed", [True, False], ids=["after the write", "before the write"])
def test_a_run_that_was_cut_off_loses_and_doubles_nothing(
    graph: Graph,
    done: str,
    endpoint: Endpoint,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    committed: bool,
) -> None:
    monkeypatch.setattr("services.rag.answering.QUESTIONS_A_BATCH", 3)
    settings = endpoint.settings(tmp_path)
    dying = _Dying(graph._driver, graph.database, graph.uri)
    dying.dies_at, dying.committed = 2, committed
    options = replace(MODEL, name="cut")
    with pytest.raises(KeyboardInterrupt):
        run(dying, done, options, settings)
    assert len(answers(graph, done, "cut")) == (6 if committed else 3)
    asked_before = sum(endpoint.answered.values())
    assert asked_before == 6
    run(graph, done, options, settings)
    questions = value(graph, KEPT, corpus=done)
    assert len({row["question"]["id"] for row in answers(graph, done, "cut")}) == questions
    assert row_of(graph, done, "cut")["answers"] == questions
    assert sum(endpoint.answered.values()) == len(endpoint.answered) == questions


@pytest.mark.campaign
def test_faults_that_pass_leave_no_trace(graph: Graph, done: str, endpoint: Endpoint, tmp_path: Path) -> None:
    endpoint.faults = ["429", "500", "cut"]
    settings = endpoint.settings(tmp_path, hopgrade_model_concurrency=1)
    name = run(graph, done, replace(MODEL, question_limit=6), settings)
    found = row_of(graph, done, name)
    assert name == "single-step-scripted"
    assert (found["answers"], found["errors"], found["generator"]) == (6, 0, "scripted")
    assert found["input_tokens"] > 0
    assert found["cost"] is None
    assert len(endpoint.requests) == 6 + 3


@pytest.mark.campaign
def test_faults_that_stay_are_errors_and_can_be_tried_again(
    graph: Graph, done: str, endpoint: Endpoint, tmp_path: Path
) -> None:
    endpoint.faults = ["refusal", "silence", "length", "429 for an hour"]
    settings = endpoint.settings(
        tmp_path,
        hopgrade_model_concurrency=1,
        hopgrade_model_retries=0,
        hopgrade_model_timeout_seconds=time_out(endpoint.faults),
        hopgrade_model_prices={"scripted": (1.0, 1.0)},
    )
    options = replace(MODEL, name="poor", question_limit=8)
    run(graph, done, options, settings)
    rows = answers(graph, done, "poor")
    kinds = sorted(row["answer"]["error"].partition(":")[0] for row in rows if row["answer"]["error"])
    assert kinds == ["cut off", "rate limit", "refusal", "time-out"]
    failed = [row["answer"] for row in rows if row["answer"]["error"]]
    assert all((one["text"], one["correct"], one["abstained"]) == ("", False, False) for one in failed)
    assert row_of(graph, done, "poor")["cost"] > 0
    sent = len(endpoint.requests)
    run(graph, done, options, settings)
    assert len(endpoint.requests) == sent
    run(graph, done, replace(options, retry_failed=True), settings)
    assert len(endpoint.requests) == sent + 4
    found = row_of(graph, done, "poor")
    assert (found["answers"], found["errors"]) == (8, 0)
    steps = "MATCH (s:Step {corpus: $corpus}) WHERE NOT EXISTS { ()-[:TOOK]->(s) } RETURN count(s)"
    assert value(graph, steps, corpus=done) == 0


@pytest.mark.campaign
def test_an_endpoint_that_is_gone_ends_the_run_and_keeps_what_there_was(
    graph: Graph, done: str, endpoint: Endpoint, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("services.rag.answering.QUESTIONS_A_BATCH", 3)
    settings = endpoint.settings(tmp_path, hopgrade_model_retries=0, hopgrade_model_concurrency=1)
    options = replace(MODEL, name="gone")
    run(graph, done, replace(options, question_limit=3), settings)
    endpoint.faults = times(50, "500")
    with pytest.raises(ModelUnavailableError):
        run(graph, done, options, settings)
    assert len(answers(graph, done, "gone")) >= 3
    endpoint.faults = []
    run(graph, done, replace(options, retry_failed=True), settings)
    found = row_of(graph, done, "gone")
    assert (found["answers"], found["errors"]) == (value(graph, KEPT, corpus=done), 0)


def test_a_budget_that_is_reached_ends_the_run(
    graph: Graph, done: str, endpoint: Endpoint, tmp_path: Path
) -> None:
    settings = endpoint.settings(tmp_path)
    with pytest.raises(BudgetReachedError):
        start_run(graph, done, MODEL, settings, tools().embedder, Silent(), Budget(tokens=5_000))
    assert row_of(graph, done, "single-step-scripted")["finished_at"] is None


def test_dropping_a_run_leaves_the_others_and_lets_it_start_anew(graph: Graph, done: str) -> None:
    run(graph, done, RunOptions())
    before = untimed(answers(graph, done, "single-step"))
    run(graph, done, RunOptions(name="other", question_limit=3))
    assert drop_run(graph, done, "other") == 3
    assert untimed(answers(graph, done, "single-step")) == before
    loose = "MATCH (n:Answer|Step|Cell {corpus: $corpus}) WHERE NOT EXISTS { ()-->(n) } RETURN count(n)"
    assert value(graph, loose, corpus=done) == 0
    assert read_stage(graph, done, "run other") is None
    with pytest.raises(NothingToDoError, match="no run 'other'"):
        drop_run(graph, done, "other")
    run(graph, done, RunOptions(name="other", question_limit=3))
    assert len(answers(graph, done, "other")) == 3


@examples("options, complaint")
def test_options_that_can_not_work_are_refused(
    graph: Graph, done: str, options: dict[str, Any], complaint: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in ("HOPGRADE_MODEL", "HOPGRADE_ANSWER_MODEL"):
        monkeypatch.delenv(name, raising=False)
    with pytest.raises(SettingsError, match=complaint):
        run(graph, done, RunOptions(**options))


def test_a_corpus_without_questions_says_how_to_make_some(graph: Graph, corpus: str) -> None:
    with pytest.raises(NothingToDoError, match="no kept questions") as caught:
        run(graph, corpus, RunOptions())
    assert f"kg questions make --corpus {corpus}" in caught.value.remedy
