"""`kg evaluate graphrag`, as a user types it."""

import sys

import pytest

from kg.errors import installation
from tests.examples import examples
from tests.kg_command import Ended, run_kg
from tests.scripted_endpoint import scripted_endpoint

pytestmark = pytest.mark.usefixtures("kg_environment")

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch


@pytest.mark.campaign
def test_a_run_of_the_library_is_made_shown_and_gone_on_with(
    small_corpus: str, capsys: Capture, monkeypatch: Patch
) -> None:
    def kg(*arguments: str) -> Ended:
        return run_kg(capsys, monkeypatch, *arguments, "--corpus", small_corpus)

    asked = ("evaluate", "graphrag", "--retriever", "vector-cypher", "--no-report", "--name", "theirs")
    first = kg(*asked, "--limit", "4")
    assert first.code == 0, first.err
    assert "theirs" in first.out
    assert "single-step" in first.out
    more = kg(*asked, "--limit", "6", "--json")
    assert more.code == 0, more.err
    listed = {row["name"]: row for row in kg("run", "list", "--json").json}
    assert listed["theirs"]["answers"] == 6
    assert "neo4j-graphrag" in listed["theirs"]["generator"]
    assert listed["theirs"]["errors"] == 0
    assert kg("run", "drop", "theirs", "--yes").code == 0


@pytest.mark.campaign
def test_a_model_answers_with_the_librarys_prompt_and_its_spending_is_told(
    small_corpus: str, capsys: Capture, monkeypatch: Patch
) -> None:
    with scripted_endpoint(lambda asked: "Greta Lindqvist", models=("some-model",)) as endpoint:
        for name, value in endpoint.environment().items():
            monkeypatch.setenv(name, value)
        arguments = ("graphrag", "--retriever", "hybrid", "--reader", "model", "--limit", "3", "--no-report")
        dry = ("evaluate", *arguments, "--dry-run", "--json", "--corpus", small_corpus)
        assert run_kg(capsys, monkeypatch, *dry).json["calls_expected"] == 3
        assert not endpoint.requests
        ended = run_kg(capsys, monkeypatch, "evaluate", *arguments, "--corpus", small_corpus)
        assert ended.code == 0, ended.err
        assert len(endpoint.requests) == 3
        assert all("Context:" in request.text for request in endpoint.requests)
        assert "models: 3 calls" in ended.err
    name = "graphrag-hybrid-some-model"
    assert name in ended.out
    dropped = run_kg(capsys, monkeypatch, "run", "drop", name, "--yes", "--corpus", small_corpus)
    assert dropped.code == 0


@examples("arguments, said")
def test_a_mistake_ends_in_one_sentence(
    small_corpus: str, capsys: Capture, monkeypatch: Patch, arguments: tuple[str, ...], said: str
) -> None:
    ended = run_kg(capsys, monkeypatch, "evaluate", "graphrag", *arguments, "--corpus", small_corpus)
    assert ended.code == 2
    assert said in ended.err


def test_without_the_library_the_remedy_is_told(
    small_corpus: str, capsys: Capture, monkeypatch: Patch
) -> None:
    monkeypatch.setitem(sys.modules, "neo4j_graphrag", None)
    ended = run_kg(capsys, monkeypatch, "evaluate", "graphrag", "--corpus", small_corpus)
    assert ended.code == 2
    assert installation("benchmark") in ended.err
