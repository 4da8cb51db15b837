"""`kg ask` as a user types it: one question, a conversation, a demonstration, a model by its provider."""

import io
import re
import sys
from pathlib import Path

import pytest

from services.rag.reader import READER
from tests.cli.conftest import Built, Kg
from tests.examples import examples
from tests.scripted_endpoint import KEY, scripted_endpoint
from tests.services.rag.scripted_answers import answer_as_told

QUESTION = "Who founded Kestrel Shipping?"


def test_a_question_may_be_said_as_an_option(built: Built, kg: Kg) -> None:
    argued = kg("ask", QUESTION, "--corpus", built.corpus, "--json")
    named = kg("ask", "-q", QUESTION, "--corpus", built.corpus, "--json")
    assert argued.json["reading"] == named.json["reading"]
    assert argued.json["reading"]["answer"]
    assert argued.json["generator"] == READER


def test_a_conversation_goes_on_until_exit(built: Built, kg: Kg, monkeypatch: pytest.MonkeyPatch) -> None:
    asked = [QUESTION, "Where is the headquarters of Kestrel Shipping?", "exit", "Never asked?"]
    monkeypatch.setattr(sys, "stdin", io.StringIO("\n".join(asked)))
    ended = kg("ask", "--corpus", built.corpus)
    assert ended.code == 0, ended.err
    alone = kg("ask", QUESTION, "--corpus", built.corpus).out.splitlines()[0]
    assert alone in ended.out
    assert ended.out.count("read first: ") == 2


@pytest.mark.campaign
def test_a_demonstration_is_a_run_whose_answers_can_be_looked_at(
    built: Built, kg: Kg, tmp_path: Path
) -> None:
    arguments = ("--demo", "--type", "inference", "--num", "3", "--corpus", built.corpus)
    ended = kg("ask", *arguments, "--logs", str(tmp_path / "logs"), "--json")
    assert ended.code == 0, ended.err
    told = ended.json
    assert told["run"] == "demo-single-step-graph"
    assert {one["query_type"] for one in told["questions"]} == {"inference"}
    assert len(told["questions"]) == 3
    rates = {row["query_type"]: row for row in told["rates"]}
    assert rates["all"]["questions"] == 3
    assert rates["all"]["right"] == sum(one["correct"] for one in told["questions"])
    assert len(list(Path(told["logs"]).glob("query_*.md"))) == 3
    shown = kg("ask", *arguments)
    assert all(one["question"] in shown.out for one in told["questions"])
    assert kg("run", "trace", told["questions"][0]["answer_id"], "--corpus", built.corpus).code == 0
    assert kg("run", "drop", told["run"], "--yes", "--corpus", built.corpus).code == 0


@pytest.mark.campaign
def test_a_provider_by_its_address_answers(built: Built, kg: Kg, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_endpoint(answer_as_told) as endpoint:
        address = endpoint.environment()["OPENAI_BASE_URL"]
        monkeypatch.setenv("HOPGRADE_ANSWER_API_KEY", KEY)
        arguments = ("--provider", address, "--model", "one", "--corpus", built.corpus)
        ended = kg("ask", QUESTION, *arguments, "--json")
        assert ended.code == 0, ended.err
        assert ended.json["generator"] == "one"
        assert endpoint.requests
        assert "models: " in ended.err
        assert KEY not in ended.out + ended.err


def test_a_citation_of_what_was_never_shown_is_remarked(
    built: Built, kg: Kg, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_endpoint(lambda _: "Answer: Ivo Brandt [99]") as endpoint:
        for name, value in endpoint.environment().items():
            monkeypatch.setenv(name, value)
        shown = kg("ask", QUESTION, "--model", "one", "--corpus", built.corpus)
    assert shown.out.splitlines()[:2] == [
        "Ivo Brandt",
        "The answer cites a passage that was never shown; this citation is left out.",
    ]


@pytest.mark.campaign
def test_a_dry_run_says_what_a_question_would_take_and_sends_nothing(
    built: Built, kg: Kg, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_endpoint(answer_as_told) as endpoint:
        for name, value in endpoint.environment().items():
            monkeypatch.setenv(name, value)
        call = ("ask", QUESTION, "--model", "one", "--corpus", built.corpus)
        told = kg(*call, "--dry-run", "--json").json
        agent = kg(*call, "--system", "react", "--dry-run", "--json").json
        shown = kg(*call, "--dry-run")
        assert not endpoint.requests
        assert "Nothing was sent." in shown.out
        assert kg(*call).code == 0
        assert len(endpoint.requests) == told["calls_expected"] == told["calls_at_most"] == 1
    assert 0 < told["input_tokens_expected"] < told["input_tokens_at_most"]
    assert agent["calls_expected"] > 1
    assert "No model would be asked." in kg("ask", QUESTION, "--corpus", built.corpus, "--dry-run").out


@pytest.mark.campaign
def test_a_demonstration_by_a_model_says_its_cost_first(
    built: Built, kg: Kg, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_endpoint(answer_as_told) as endpoint:
        for name, value in endpoint.environment().items():
            monkeypatch.setenv(name, value)
        monkeypatch.setenv("HOPGRADE_PREFLIGHT", "true")
        call = ("ask", "--demo", "--type", "inference", "--num", "2", "--model", "one", "--json")
        ended = kg(*call, "--corpus", built.corpus)
    assert ended.code == 0, ended.err
    said, _, tried = ended.err.partition("its prompts are tried on")
    assert re.search(r"The job, answers: about \d calls", said)
    assert "answer-question" in tried
    assert kg("run", "drop", ended.json["run"], "--yes", "--corpus", built.corpus).code == 0


@examples("arguments, told")
def test_what_does_not_go_together_is_said(kg: Kg, arguments: tuple[str, ...], told: str) -> None:
    ended = kg("ask", *arguments)
    assert ended.code == 2
    assert told in ended.err
    assert "Traceback" not in ended.err
