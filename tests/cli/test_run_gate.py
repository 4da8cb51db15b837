"""`kg run gate` as a CI job meets it: exit codes, the table, JSON, the JUnit file."""

from collections.abc import Iterator
from pathlib import Path
from xml.etree.ElementTree import parse

import pytest

from kg.corpus import drop_corpus
from kg.store.graph import Graph
from tests.cli.conftest import Kg
from tests.examples import examples
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
