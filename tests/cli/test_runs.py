"""`kg run gate` and `kg run trace`."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import parse

import pytest

from cli.options import with_spans
from kg.corpus import drop_corpus
from kg.ids import run_id
from kg.settings import Settings
from kg.store.graph import Graph
from services.evaluate.run_analysis import analyse_failures
from services.rag.telemetry import LOCAL_COLLECTOR
from tests.cli.conftest import Kg
from tests.examples import examples
from tests.graph_reading import value
from tests.names import unique_name
from tests.services.report.planted import Given, Planted, answer, plant

QUESTIONS = [Planted(f"2-{start}-{i}", start=start, bin=i + 1) for start in range(7) for i in range(4)]


@pytest.fixture(scope="module")
def planted(graph: Graph) -> Iterator[str]:
    name = unique_name("test", "module")
    plant(graph, name, QUESTIONS)
    answer(graph, name, "good", [Given(q.name, right=True) for q in QUESTIONS])
    answer(graph, name, "bad", [Given(q.name, right=q.bin == 1) for q in QUESTIONS])
    answer(graph, name, "near", [Given(q.name, right=q.name != "2-0-0") for q in QUESTIONS])
    yield name
    drop_corpus(graph, name)


def test_a_worse_run_ends_with_1_and_says_why(kg: Kg, planted: str, tmp_path: Path) -> None:
    junit = tmp_path / "gate.xml"
    ended = kg("run", "gate", "bad", "--baseline", "good", "--corpus", planted, "--junit", str(junit))
    assert ended.code == 1
    assert "Gate: FAIL" in ended.out
    assert "Tested: accuracy by exact match on the 28 questions" in ended.out
    assert "failed: all: accuracy 1.000 -> 0.250 on 28 questions, drop +0.750" in ended.err
    assert parse(junit).getroot().get("failures") == "1"
    assert list(tmp_path.glob(".gate.xml*")) == []


def test_a_drop_that_could_be_chance_passes_with_a_warning(kg: Kg, planted: str) -> None:
    words = ("run", "gate", "near", "--baseline", "good", "--corpus", planted)
    ended = kg(*words)
    assert ended.code == 0
    assert "Gate: pass" in ended.out
    assert "warning: all: accuracy 1.000 -> 0.964" in ended.err
    assert kg(*words, "--strict").code == 1
    assert kg(*words, "--max-drop", "0.1", "--strict").code == 0


def test_json_holds_the_checks_and_the_exit_code_stays(kg: Kg, planted: str) -> None:
    words = ("run", "gate", "bad", "--baseline", "good", "--corpus", planted, "--json")
    ended = kg(*words, "--per-depth")
    assert ended.code == 1
    assert ended.json["passed"] is False
    assert [(check["scope"], check["verdict"]) for check in ended.json["checks"]] == [
        ("all", "worse"),
        ("2 hops", "worse"),
    ]
    assert ended.json["rules"]["max_drop"] == 0.03


@examples("arguments, said")
def test_a_mistake_ends_with_2_in_one_sentence(
    kg: Kg, planted: str, arguments: tuple[str, ...], said: str
) -> None:
    ended = kg("run", "gate", *arguments, "--corpus", planted)
    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    assert said in ended.err


def test_the_table_fits_in_eighty_columns(kg: Kg, planted: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    shown = kg("run", "gate", "bad", "--baseline", "good", "--corpus", planted, "--per-depth").out
    (line,) = [line for line in shown.splitlines() if line.startswith("2 hops")]
    assert "+0.750" in line
    assert line.rstrip().endswith("worse")


QUESTION = """
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question {kind: 'chain', hops: 2})
RETURN q.id ORDER BY q.id LIMIT 1
"""


@pytest.fixture
def question(graph: Graph, small_corpus: str) -> str:
    return str(value(graph, QUESTION, run=run_id(small_corpus, "single-step")))


def test_it_prints_outcome_chain_and_steps(kg: Kg, small_corpus: str, question: str) -> None:
    ended = kg("run", "trace", question, "single-step", "--corpus", small_corpus)
    assert ended.code == 0
    for told in ("Gold answer:", "Answered:", "Outcome:", "Gold chain", "Step 1: retrieve", "Step 2: answer"):
        assert told in ended.out
    assert "broken by" not in ended.out
    every = kg("run", "trace", question, "single-step", "--corpus", small_corpus, "--all")
    assert "more: --all" in ended.out
    assert "more: --all" not in every.out


def test_a_failure_has_its_cause_and_reason(graph: Graph, kg: Kg, small_corpus: str) -> None:
    (wrong, *_) = analyse_failures(graph, small_corpus, "single-step")[1]
    place = ("run", "trace", wrong.answer, "--corpus", small_corpus)
    hop = "" if wrong.hop is None else f" at hop {wrong.hop}"
    assert f"Cause:       {wrong.cause}{hop}: {wrong.why}\n" in kg(*place).out
    document = kg(*place, "--json").json
    assert document["failure"] == {"cause": wrong.cause, "hop": wrong.hop, "why": wrong.why}
    assert tuple(document["behaviours"]) == wrong.behaviours


def test_json_is_one_document_and_the_page_a_file(
    kg: Kg, small_corpus: str, question: str, tmp_path: Path
) -> None:
    page = tmp_path / "trace.html"
    words = ("run", "trace", question, "single-step", "--corpus", small_corpus)
    ended = kg(*words, "--json", "--html", str(page))
    assert ended.json["question"] == question
    assert {"answer_text", "retrieval_reported", "steps_reported"} <= ended.json.keys()
    assert {"said", "told", "steps_told"} <= ended.json.keys()
    assert [step["action"] for step in ended.json["steps"]] == ["retrieve", "answer"]
    assert ended.json["verdict"] in {"right", "wrong", "abstained"}
    assert page.read_text("utf-8").startswith("<!DOCTYPE html>")
    assert "drawing written" in ended.err


def test_an_unknown_answer_ends_with_a_remedy(kg: Kg, small_corpus: str) -> None:
    ended = kg("run", "trace", "answer-none", "--corpus", small_corpus)
    assert ended.code == 2
    assert "See the questions: kg questions list" in ended.err
    assert kg("run", "trace", "x", "--corpus", small_corpus, "--html", "no/such/place.html").code == 2


def test_a_run_leaves_logs(kg: Kg, small_corpus: str, tmp_path: Path) -> None:
    words = ("run", "start", "single-step", "--corpus", small_corpus, "--name", "logged", "--limit", "2")
    ended = kg(*words, "--logs", str(tmp_path / "logs"))
    kg("run", "drop", "logged", "--corpus", small_corpus, "--yes")
    (folder,) = (tmp_path / "logs").iterdir()
    assert f"logs written: {folder}" in ended.err
    assert {path.name for path in folder.iterdir()} == {
        "query_1.md",
        "query_2.md",
        "summary.md",
        "results.json",
    }


def test_spans_go_to_the_collector_that_is_set_or_to_this_machine_s() -> None:
    plain = Settings(otel_exporter_otlp_endpoint=None)
    assert with_spans(plain, otel=False, contents=False) is plain
    assert with_spans(plain, otel=True, contents=False).otel_exporter_otlp_endpoint == LOCAL_COLLECTOR
    named = Settings(otel_exporter_otlp_endpoint="http://collector:4318")
    both = with_spans(named, otel=False, contents=True)
    assert both.otel_exporter_otlp_endpoint == "http://collector:4318"
    assert both.otel_instrumentation_genai_capture_message_content
