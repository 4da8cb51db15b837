"""`kg run start`, `list` and `drop`, and `kg ask --system`, as a user types them."""

from collections.abc import Iterator

import pytest

from kg.corpus import drop_corpus
from kg.ids import run_id
from kg.queries import query
from kg.store.graph import Graph
from services.rag.reader import READER
from tests.examples import examples
from tests.kg_command import Ended, run_kg
from tests.names import unique_name
from tests.scripted_endpoint import Answer, Asked, scripted_endpoint
from tests.services.rag.scripted_answers import answer_as_told
from tests.small_world import ARTICLES, run_small_job

pytestmark = pytest.mark.usefixtures("kg_environment")

Capture = pytest.CaptureFixture[str]
Patch = pytest.MonkeyPatch


@pytest.fixture(scope="module")
def built(graph: Graph) -> Iterator[str]:
    name = unique_name("test", "module")
    run_small_job(graph, name, [one for one in ARTICLES if one not in {"board", "history", "prize"}])
    yield name
    drop_corpus(graph, name)


def test_a_run_is_started_listed_and_dropped(built: str, capsys: Capture, monkeypatch: Patch) -> None:
    def kg(*arguments: str) -> Ended:
        return run_kg(capsys, monkeypatch, *arguments, "--corpus", built)

    planned = kg("run", "start", "multi-step", "--limit", "4", "--dry-run", "--json").json
    assert (planned["questions"], planned["to_ask"], planned["calls_at_most"]) == (4, 4, 0)
    started = kg("run", "start", "multi-step", "--limit", "4")
    assert started.code == 0, started.err
    assert f"Run 'multi-step': 4 questions answered by {READER}" in started.out
    listed = {row["name"]: row for row in kg("run", "list", "--json").json}
    assert set(listed) == {"single-step", "multi-step"}
    assert (listed["multi-step"]["answers"], listed["multi-step"]["errors"]) == (4, 0)
    assert (listed["multi-step"]["system"], listed["multi-step"]["retriever"]) == ("multi-step", "vector-10")
    shown = kg("run", "list")
    assert "multi-step, vector-10" in shown.out
    assert READER in shown.out
    assert kg("run", "drop", "multi-step", "--yes", "--json").json == {"dropped": "multi-step", "answers": 4}
    assert [row["name"] for row in kg("run", "list", "--json").json] == ["single-step"]


@pytest.mark.campaign
def test_a_model_answers_by_its_name_and_its_spending_is_told(
    built: str, capsys: Capture, monkeypatch: Patch
) -> None:
    with scripted_endpoint(answer_as_told, models=("one", "two")) as endpoint:
        for name, value in endpoint.environment().items():
            monkeypatch.setenv(name, value)
        arguments = ("run", "start", "single-step", "--model", "two", "--limit", "3", "--corpus", built)
        planned = run_kg(capsys, monkeypatch, *arguments, "--dry-run")
        assert planned.code == 0, planned.err
        assert "At most 3 calls" in planned.out
        assert "uses up its searches" not in planned.out
        agent = ("run", "start", "react", *arguments[3:], "--max-iterations", "4", "--dry-run")
        planned = run_kg(capsys, monkeypatch, *agent)
        assert "At most 18 calls" in planned.out, "a plan, four searches and the answer for each of three"
        assert "uses up its searches or rounds" in " ".join(planned.out.split())
        assert endpoint.requests == []
        ended = run_kg(capsys, monkeypatch, *arguments, "--json")
        assert ended.code == 0, ended.err
        assert ended.json["name"] == "single-step-two"
        assert ended.json["generator"] == "two"
        assert {request.body["model"] for request in endpoint.requests} == {"two"}
        assert len(endpoint.requests) == 3
        assert "models: 3 calls" in ended.err
        # Its first prompts are the same, so their replies are kept; what follows on them is not.
        other = ("run", "start", "multi-step", *arguments[3:], "--dry-run", "--json")
        assert run_kg(capsys, monkeypatch, *other).json["input_tokens_at_most"] > 0
        assert (
            run_kg(capsys, monkeypatch, "run", "drop", "single-step-two", "-y", "--corpus", built).code == 0
        )


def test_runs_that_differ_in_the_seed_are_reported_as_one(
    built: str, capsys: Capture, monkeypatch: Patch
) -> None:
    def moody(asked: Asked) -> Answer:
        return "Insufficient information" if asked.body["seed"] == 8 else answer_as_told(asked)

    with scripted_endpoint(moody, models=("two",)) as endpoint:
        for name, value in endpoint.environment().items():
            monkeypatch.setenv(name, value)
        arguments = ("run", "start", "single-step", "--repeat", "2", "--seed", "7", "--corpus", built)
        refused = run_kg(capsys, monkeypatch, *arguments)
        assert refused.code == 2
        assert "rules answer alike" in refused.err
        asked = (*arguments, "--model", "two", "--limit", "30", "--temperature", "0.7")
        planned = run_kg(capsys, monkeypatch, *asked, "--dry-run", "--json")
        names = ["single-step-two-seed-7", "single-step-two-seed-8"]
        assert [run["name"] for run in planned.json["runs"]] == names
        ended = run_kg(capsys, monkeypatch, *asked, "--json")
        assert ended.code == 0, ended.err
        assert {(one.body["seed"], one.body["temperature"]) for one in endpoint.requests} == {
            (7, 0.7), (8, 0.7),
        }  # fmt: skip
        told = run_kg(capsys, monkeypatch, "run", "report", *names, "--corpus", built, "--json").json
        (found,) = told["repeats"]
        first, second = (run["right"] / run["answers"] for run in ended.json["runs"])
        assert (found["name"], found["runs"]) == ("single-step-two", names)
        assert found["accuracy"]["means"] == [first, second]
        assert found["unsteady"]["rate"] + 1e-9 >= abs(first - second)
        assert found["unsteady"]["rate"] > 0
        # They are one system, which is not compared with itself.
        assert told["comparisons"] == []
        assert "unsteady" in run_kg(capsys, monkeypatch, "run", "report", *names, "--corpus", built).out
        for name in names:
            assert run_kg(capsys, monkeypatch, "run", "drop", name, "-y", "--corpus", built).code == 0


def test_the_dry_run_of_a_sweep_says_what_a_model_would_take(
    built: str, capsys: Capture, monkeypatch: Patch
) -> None:
    with scripted_endpoint(answer_as_told) as endpoint:
        for name, value in endpoint.environment().items():
            monkeypatch.setenv(name, value)
        sweep = (
            "run",
            "sweep",
            "single-step",
            "--model",
            "one",
            "--limit",
            "4",
            "--top",
            "1,10",
            "--dry-run",
        )
        told = run_kg(capsys, monkeypatch, *sweep, "--corpus", built, "--json").json
        shown = run_kg(capsys, monkeypatch, *sweep, "--corpus", built).out
        assert not endpoint.requests
    one, ten = told["costs"].values()
    assert one["calls_expected"] == ten["calls_expected"] == told["questions"] == told["answers"] / 2
    assert one["input_tokens_expected"] < ten["input_tokens_expected"]
    assert f"answers from 10 chunks: about {told['questions']} calls" in shown
    assert "Nothing was sent." in shown


@pytest.mark.campaign
def test_a_run_with_verdicts_is_not_made_anew(
    graph: Graph, built: str, capsys: Capture, monkeypatch: Patch
) -> None:
    def kg(*arguments: str) -> Ended:
        return run_kg(capsys, monkeypatch, "run", *arguments, "--corpus", built)

    start = ("start", "single-step", "--name", "kept", "--limit", "2", "--top")
    assert kg(*start, "5").code == 0
    anew = kg(*start, "4")
    assert anew.code == 0
    assert "top 5, now 4): its 2 answers are made anew" in anew.err
    answers = graph.rows(query("answers/list_for_judge"), run=run_id(built, "kept"), judge="", scale="binary")
    answer = answers[0]["id"]
    assert run_kg(capsys, monkeypatch, "run", "revise", answer, "right", "--why", "so it is").code == 0
    refused = kg(*start, "3")
    assert refused.code == 2
    assert "2 answers with 1 verdicts, 1 of them by hand" in refused.err
    assert kg("drop", "kept", "--yes").code == 0


@examples("arguments, complaint")
def test_a_mistake_is_told_in_a_sentence(
    built: str, capsys: Capture, monkeypatch: Patch, arguments: tuple[str, ...], complaint: str
) -> None:
    ended = run_kg(capsys, monkeypatch, *arguments, "--corpus", built)
    assert ended.code == 2
    assert complaint in " ".join(ended.err.split())
    assert "Traceback" not in ended.err


@pytest.mark.campaign
def test_asking_shows_the_steps_of_a_system(built: str, capsys: Capture, monkeypatch: Patch) -> None:
    question = "Who founded the company that owns the club of Mira Tolland?"
    ended = run_kg(capsys, monkeypatch, "ask", question, "--system", "decomposition", "--corpus", built)
    assert ended.code == 0, ended.err
    assert "1 decompose" in ended.out
    assert "rerank" in ended.out
    found = run_kg(capsys, monkeypatch, "ask", question, "--corpus", built, "--json").json
    assert [step["action"] for step in found["steps"]] == ["retrieve", "answer"]
    assert found["reading"]["answer"]
