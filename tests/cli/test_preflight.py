"""Gold items at the command line: the benchmark of prompts, the doctor, and the trial before a job."""

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from kg.llm.prompts import all_prompts
from services.preflight.gold import gold_prompts, read_gold
from tests import scripted_reader
from tests.gold_replies import gold_responder
from tests.kg_command import Ended, run_kg
from tests.scripted_endpoint import Answer, Asked, Endpoint, Said, Status, scripted_endpoint
from tests.valley import bodies

Kg = Callable[..., Ended]
READING = ("write-claims", "check-claims", "find-triples")


@pytest.fixture
def kg(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Kg:
    """Run `kg` with a home of its own, and no graph."""
    monkeypatch.setenv("HOPGRADE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "300")
    return lambda *arguments: run_kg(capsys, monkeypatch, *arguments)


def use(endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    for name, value in endpoint.environment().items():
        monkeypatch.setenv(name, value)


def test_a_model_that_gives_right_replies_passes_every_item(kg: Kg, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_endpoint(gold_responder()) as endpoint:
        use(endpoint, monkeypatch)
        first = kg("benchmark", "prompts", "--model", "scripted", "--json")
        asked = len(endpoint.requests)
        again = kg("benchmark", "prompts", "--model", "scripted")
        assert len(endpoint.requests) == asked
    assert first.code == 0, first.err
    rows = first.json["prompts"]
    assert [row["prompt"] for row in rows] == [prompt.id for prompt in all_prompts()]
    for row in rows:
        failed = [one for one in row["outcomes"] if one["result"] != "passed"]
        assert not failed
        assert row["passed"] == row["items"] == len(read_gold(row["prompt"].partition("@")[0]))
        assert row["hard_passed"] == row["hard_items"] > 0
        assert row["input_tokens"] > 0
    items = sum(row["items"] for row in rows)
    (total,) = (line for line in again.out.splitlines() if line.startswith("all"))
    assert f"{items} of {items}" in total


def test_wrong_replies_are_told_item_by_item(kg: Kg, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_endpoint(gold_responder(wrong=("find-triples",))) as endpoint:
        use(endpoint, monkeypatch)
        ended = kg("benchmark", "prompts", "--prompt", "find-triples", "--items", "2", "--verbose")
    assert ended.code == 0, ended.err
    first, second = read_gold("find-triples")[:2]
    assert f"{first.id}: wrong" in ended.out
    assert f"{second.id} (hard: {second.note}): wrong" in ended.out
    assert "it said:" in ended.out
    assert read_gold("find-triples")[2].id not in ended.out


def test_an_unknown_prompt_is_told_with_those_that_there_are(kg: Kg) -> None:
    ended = kg("benchmark", "prompts", "--prompt", "find-tripels")
    assert ended.code == 2
    assert "there is no prompt 'find-tripels'" in ended.err
    assert all(name in ended.err for name in gold_prompts())


def findings(ended: Ended) -> list[dict[str, str]]:
    return [one for one in ended.json["findings"] if one["subject"].startswith("language model")]


@pytest.mark.campaign
def test_the_doctor_asks_the_endpoint(kg: Kg, monkeypatch: pytest.MonkeyPatch) -> None:
    (finding,) = findings(kg("doctor", "--json"))
    assert (finding["state"], finding["found"]) == ("note", "not set")
    with scripted_endpoint() as endpoint:
        use(endpoint, monkeypatch)
        (finding,) = findings(kg("doctor", "--json"))
        assert finding["subject"] == "language model (all roles)"
        assert (finding["state"], "lists the model 'scripted'" in finding["found"]) == ("ok", True)
        assert [one.path for one in endpoint.requests] == ["models"]
        endpoint.faults = ["401"]
        ended = kg("doctor", "--json")
        (finding,) = findings(ended)
        assert ended.code == 1
        assert "refuses the key (401)" in finding["found"]
        assert finding["remedy"] == "Check OPENAI_API_KEY."
        # A name that is not listed may work all the same.
        monkeypatch.setenv("HOPGRADE_JUDGE_MODEL", "unlisted")
        of_roles, judge = findings(kg("doctor", "--json"))
        assert of_roles["subject"] == "language model (extract, generate, answer)"
        assert (judge["state"], "answers as the model 'unlisted'" in judge["found"]) == ("ok", True)
        monkeypatch.delenv("HOPGRADE_JUDGE_MODEL")
        monkeypatch.setenv("HOPGRADE_MODEL", "no-such-model")
        unknown = Status(404, "The model `no-such-model` does not exist.", code="model_not_found")
        endpoint.faults = [Status(404, "No such path."), unknown]
        (finding,) = findings(kg("doctor", "--json"))
        assert finding["state"] == "missing"
        assert "does not know the model 'no-such-model'" in finding["found"]
        assert "HOPGRADE_MODEL" in finding["remedy"]
    (finding,) = findings(kg("doctor", "--json"))
    assert finding["found"].endswith("does not answer")
    assert "OPENAI_BASE_URL" in finding["remedy"]


@pytest.mark.campaign
def test_the_doctor_tries_the_prompts_of_a_whole_job(kg: Kg, monkeypatch: pytest.MonkeyPatch) -> None:
    with scripted_endpoint(gold_responder(wrong=("judge-binary",))) as endpoint:
        use(endpoint, monkeypatch)
        ended = kg("doctor", "--model", "--json")
    assert ended.code == 2
    assert "the model 'scripted' fails the prompt judge-binary (none of 3 passed)" in ended.err
    assert "kg benchmark prompts --verbose --model scripted --prompt judge-binary" in ended.err
    found = {row["prompt"].partition("@")[0]: row for row in ended.json["prompts"]}
    assert {"write-claims", "match-entities", "write-question", "answer-question"} <= found.keys()
    assert found["judge-binary"]["wrong"] == 3
    assert found["write-claims"]["passed"] == 3
    steps = {step["name"]: step for step in ended.json["projection"]["steps"]}
    assert {"extraction", "answering", "judging"} <= steps.keys()
    assert all(step["calls"] > 0 and step["money"] is None for step in steps.values())


@pytest.mark.campaign
def test_the_doctor_says_what_a_job_may_cost_and_for_what_size(
    kg: Kg, monkeypatch: pytest.MonkeyPatch
) -> None:
    with scripted_endpoint(gold_responder()) as endpoint:
        use(endpoint, monkeypatch)
        monkeypatch.setenv("HOPGRADE_MODEL_PRICES", '{"scripted": [1.0, 2.0]}')
        monkeypatch.delenv("NEO4J_URI", raising=False)
        ended = kg("doctor", "--model")
    assert "A job with models may take, for 100 articles" in ended.out
    assert "No corpus is at hand, so articles of the usual length are taken." in ended.out
    assert "in money." in ended.out


def test_without_a_model_there_is_nothing_to_try(kg: Kg) -> None:
    ended = kg("doctor", "--model")
    assert ended.code == 2
    assert "No language model is set" in ended.err


def articles(tmp_path: Path) -> str:
    path = tmp_path / "valley.jsonl"
    rows = [{"id": str(n), "title": f"News {n}", "body": body} for n, body in enumerate(bodies(4))]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


@pytest.mark.campaign
def test_a_build_stops_before_a_model_that_cuts_its_replies_off(
    kg_environment: None, kg: Kg, corpus: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    whole = gold_responder(otherwise=scripted_reader.read)
    gold = len(read_gold("find-triples"))
    cut = True

    def respond(request: Asked) -> Answer | Status:
        if cut and "take statements apart" in request.system:
            return Said('{"statements": [', finish_reason="length")
        return whole(request)

    monkeypatch.setenv("HOPGRADE_PREFLIGHT", "true")
    with scripted_endpoint(respond) as endpoint:
        use(endpoint, monkeypatch)
        size = ("--min-tokens", "1", "--chunks", "16-48/8", "--extractor", "model")
        assert kg("corpus", "ingest", articles(tmp_path), "--corpus", corpus, *size).code == 0
        ended = kg("corpus", "build", "--corpus", corpus)
        assert ended.code == 2
        assert "the model 'scripted' fails the prompt find-triples (3 of 3 cut off)" in ended.err
        assert "The job, claims:" in ended.err
        assert "--no-preflight" in ended.err
        cards = [one for one in endpoint.requests if "News 0" in one.question]
        assert not cards
        cut = False
        asked = len(endpoint.requests)
        assert kg("corpus", "build", "--corpus", corpus).code == 0
        # Only what failed is tried again.
        tried = [one for one in endpoint.requests[asked:] if "News" not in one.question]
        assert len(tried) == min(3, gold)
        asked = len(endpoint.requests)
        assert kg("corpus", "build", "--corpus", corpus).code == 0
        assert len(endpoint.requests) == asked


@pytest.mark.campaign
def test_a_build_goes_on_at_once_where_it_is_told_to(
    kg_environment: None, kg: Kg, corpus: str, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.setenv("HOPGRADE_PREFLIGHT", "true")
    with scripted_endpoint(scripted_reader.read) as endpoint:
        use(endpoint, monkeypatch)
        size = ("--min-tokens", "1", "--chunks", "16-48/8", "--extractor", "model")
        assert kg("corpus", "ingest", articles(tmp_path), "--corpus", corpus, *size).code == 0
        ended = kg("corpus", "build", "--corpus", corpus, "--no-preflight")
        assert ended.code == 0, ended.err
        assert "The job, claims: about " in ended.err
        assert "are tried on" not in ended.err
