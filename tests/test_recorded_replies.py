"""Answers of real models are recorded once and replayed; what was never recorded is declined and listed."""

import gzip
import json
import re
from dataclasses import asdict
from pathlib import Path
from typing import Any

import pytest
from fastapi.testclient import TestClient

from kg.llm.prompts import all_prompts, load_prompt
from kg.llm.protocol import Failure, ModelRequest, Reply
from kg.llm.roles import open_model
from tests.recorded_replies import (
    UNKNOWN,
    Recording,
    check_files,
    forget_unused,
    outdated,
    prompt_id,
    read_replies,
    recorder,
    recording,
    replaying_endpoint,
    request_key,
    shipped_recordings,
)
from tests.scripted_endpoint import scripted_endpoint

PROMPT = load_prompt("answer-closed-book")


def body(question: str, system: str = "") -> dict[str, Any]:
    system = system or PROMPT.fill(question=question)[0].content
    return {"messages": [{"role": "system", "content": system}, {"role": "user", "content": question}]}


def completion(text: str) -> dict[str, Any]:
    return {
        "choices": [{"message": {"content": text}}],
        "usage": {"prompt_tokens": 7, "completion_tokens": 2},
    }


@pytest.mark.parametrize("schema", ["", "\n\nAnswer in JSON."])
def test_the_prompt_of_a_request_is_told_with_and_without_what_follows_it(schema: str) -> None:
    for prompt in all_prompts():
        system = re.sub(r"\{\{[a-z0-9_]+\}\}", "so it is", prompt.system)
        assert prompt_id(body("Who leads it?", f"{system}{schema}")) == prompt.id


def test_what_a_replay_did_not_need_or_has_elsewhere_is_forgotten(tmp_path: Path) -> None:
    """Of three answers one is asked for, one stands in another recording too, and one is of no use."""
    path, other = tmp_path / "replies.jsonl.gz", tmp_path / "other.jsonl"
    bodies = [body(question) for question in ("Who leads it?", "Since when?", "Why?")]
    made = [recording(one, completion("Ana"), set()) for one in bodies]
    lines = [json.dumps(asdict(one)) + "\n" for one in made]
    path.write_bytes(gzip.compress("".join(lines).encode()))
    other.write_text(lines[1], encoding="utf-8")
    replies = read_replies(path, other)
    replies.used = {made[0].place, made[1].place}
    assert forget_unused(replies, path, other) == 2
    assert list(read_replies(path).by_place) == [made[0].place]
    assert read_replies(path, other).by_place.keys() == replies.used


def test_what_was_recorded_is_answered_and_the_rest_is_declined(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl.gz"
    requests = [
        ModelRequest(PROMPT.fill(question=question), PROMPT.id)
        for question in ("Who leads it?", "Since when?")
    ]
    with scripted_endpoint(lambda asked: f"To {asked.text[:3]}") as upstream:
        client = TestClient(recorder(upstream.base_url, path))
        sent = {"role": "user", "content": requests[0].messages[1].content}
        system = {"role": "system", "content": requests[0].messages[0].content}
        answered = client.post("/v1/chat/completions", json={"model": "m", "messages": [system, sent]})
        again = TestClient(recorder(upstream.base_url, path))
        asked_anew = again.post("/v1/chat/completions", json={"model": "m", "messages": [system, sent]})
        assert len(upstream.requests) == 1
    for one in (answered, asked_anew):
        assert one.json()["choices"][0]["message"]["content"] == "To Who"
    replies = read_replies(path)
    with replaying_endpoint(replies) as endpoint, open_model("judge", endpoint.settings(tmp_path)) as model:
        known, unknown = model.ask(requests)
    assert isinstance(known, Reply)
    assert known.text == "To Who"
    assert isinstance(unknown, Failure)
    assert unknown.kind == "refusal"
    assert [one.partition(":")[0] for one in replies.missing] == [PROMPT.id]
    assert len(replies.used) == 1


def test_a_recording_is_found_by_what_it_is_about_and_knows_its_prompt() -> None:
    sent: set[str] = set()
    one = recording(body("Who leads it?"), completion("Oda Wexler"), sent)
    again = recording(body("Who leads it?", "Another text."), completion("Oda Wexler"), sent)
    assert one.key == again.key == request_key(body("Who leads it?"))
    assert (one.prompt, again.prompt) == (PROMPT.id, "unknown")
    assert one.repeated_words == 0
    assert again.repeated_words == 3
    assert request_key(body("Who led it?")) != one.key


def test_answers_to_an_older_text_are_told(tmp_path: Path) -> None:
    path = tmp_path / "replies.jsonl"
    lines = [f'{{"key": "{n}", "prompt": "{prompt}", "system": "", "content": "x", "calls": []}}'
             for n, prompt in enumerate((PROMPT.id, f"{PROMPT.name}@0", f"{PROMPT.name}@0"))]  # fmt: skip
    path.write_text("\n".join(lines) + "\n", encoding="utf-8")
    assert outdated(read_replies(path)) == {f"{PROMPT.name}@0": 2}


def test_a_check_tells_which_files_a_change_of_a_prompt_outdates(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    paths = {name: tmp_path / f"{name}.jsonl" for name in ("old", "new")}
    for name, prompt in (("old", f"{PROMPT.name}@0"), ("new", PROMPT.id)):
        line = f'{{"key": "1", "prompt": "{prompt}", "system": "", "content": "x", "calls": []}}\n'
        paths[name].write_text(line, encoding="utf-8")
    assert check_files([paths["new"]]) == 0
    assert check_files(paths.values()) == 1
    told = capsys.readouterr().out
    assert f"old.jsonl, {PROMPT.name}@0: 1 answers to an older text" in told
    assert "new.jsonl, " not in told


def test_the_shipped_answers_are_of_prompts_that_there_are() -> None:
    recorded = list(read_replies(*shipped_recordings()).by_place.values())
    assert len(recorded) > 100
    assert all(isinstance(one, Recording) and (one.content or one.calls) for one in recorded)
    names = {one.name for one in all_prompts()} | {UNKNOWN}
    assert {one.prompt.partition("@")[0] for one in recorded} <= names


def test_a_recorder_hands_on_what_the_endpoint_refuses(tmp_path: Path) -> None:
    with scripted_endpoint(faults=["429"]) as upstream:
        client = TestClient(recorder(upstream.base_url, tmp_path / "replies.jsonl"))
        refused = client.post("/v1/chat/completions", json={"model": "m", **body("Who?")})
    assert refused.status_code == 429
    assert not (tmp_path / "replies.jsonl").exists()
