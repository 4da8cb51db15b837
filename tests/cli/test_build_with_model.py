"""`kg corpus ingest` and `kg corpus build` with a model, as a reader at a terminal meets them."""

import json
import re
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from tests import scripted_reader
from tests.kg_command import Ended, run_kg
from tests.scripted_endpoint import KEY, Answer, Asked, Endpoint, Said, scripted_endpoint
from tests.scripted_reader import changed, fact
from tests.valley import bodies

MODEL_SETTINGS = ("OPENAI_BASE_URL", "OPENAI_API_KEY", "HOPGRADE_MODEL", "HOPGRADE_EXTRACT_MODEL")
Kg = Callable[..., Ended]


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with scripted_endpoint(scripted_reader.read) as running:
        yield running


@pytest.fixture
def kg(
    kg_environment: None,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
) -> Kg:
    for name in MODEL_SETTINGS:
        monkeypatch.delenv(name, raising=False)
    return lambda *arguments: run_kg(capsys, monkeypatch, *arguments)


@pytest.fixture
def with_model(kg: Kg, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch) -> None:
    """Settings that lead to the endpoint, once `kg` has taken away those of the user."""
    for name, value in endpoint.environment().items():
        monkeypatch.setenv(name, value)


@pytest.fixture
def articles(tmp_path: Path) -> str:
    path = tmp_path / "valley.jsonl"
    rows = [{"id": str(n), "title": f"News {n}", "body": body} for n, body in enumerate(bodies(12))]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    return str(path)


def ingest(kg: Kg, articles: str, corpus: str) -> Ended:
    size = ("--min-tokens", "1", "--chunks", "16-48/8")
    return kg("corpus", "ingest", articles, "--corpus", corpus, "--extractor", "model", *size)


def test_without_a_model_the_reader_is_told_what_to_set(
    kg: Kg, articles: str, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = ingest(kg, articles, corpus)
    assert ended.code == 2
    assert 'No language model is set for the role "extract". Set HOPGRADE_EXTRACT_MODEL' in ended.err
    monkeypatch.setenv("HOPGRADE_MODEL", "some-model")
    ended = ingest(kg, articles, corpus)
    assert ended.code == 2
    assert "Set OPENAI_API_KEY, or OPENAI_BASE_URL for an endpoint that needs none." in ended.err


@pytest.mark.usefixtures("with_model")
def test_a_dry_run_sends_nothing_and_a_spent_budget_is_gone_on_from(
    kg: Kg, articles: str, corpus: str, endpoint: Endpoint, monkeypatch: pytest.MonkeyPatch
) -> None:
    assert ingest(kg, articles, corpus).code == 0
    build = ("corpus", "build", "--corpus", corpus)
    shown = kg(*build, "--links", "model", "--dry-run")
    assert shown.code == 0
    assert "Nothing was sent." in shown.out
    assert "The figure for links is an expectation" in shown.out
    estimate = kg(*build, "--dry-run", "--json").json
    assert endpoint.requests == []

    monkeypatch.setenv("HOPGRADE_BUDGET_TOKENS", "15000")
    stopped = kg(*build, "--links", "model")
    assert stopped.code == 3
    assert "of 15,000 tokens spent" in stopped.err
    assert "of 12 articles are read and written" in stopped.err
    assert re.search(r"models: \d+ calls, [\d,]+ tokens in, [\d,]+ out; kept", stopped.err)
    assert "Traceback" not in stopped.err

    monkeypatch.delenv("HOPGRADE_BUDGET_TOKENS")
    assert kg(*build).code == 0
    assert set(endpoint.answered.values()) == {1}
    claims = [asked for asked in endpoint.requests if scripted_reader.task(asked) != "pairs"]
    assert 0 < len(claims) <= estimate["claims"]["calls"]
    # The corpus remembers who looks for links.
    assert len(claims) < len(endpoint.requests)
    assert kg(*build, "--dry-run", "--json").json["claims"]["calls"] == 0
    assert "models:" not in kg(*build).err


@pytest.mark.campaign
@pytest.mark.usefixtures("with_model")
def test_what_failed_is_told_listed_and_asked_for_again(
    kg: Kg, articles: str, corpus: str, endpoint: Endpoint
) -> None:
    refusal = Said(content=None, refusal="I can't help with that.")
    endpoint.responder = changed(
        sentences=lambda asked, answer: refusal if "News 3" in asked.question else answer
    )
    ingest(kg, articles, corpus)
    built = kg("corpus", "build", "--corpus", corpus)
    assert built.code == 0
    assert f"Try again: kg corpus build --corpus {corpus} --retry-failed" in built.err
    listed = kg("corpus", "rejects", "--corpus", corpus, "--json").json
    assert {row["place"].partition(" (")[0] for row in listed} == {'"News 3"'}

    endpoint.responder = scripted_reader.read
    again = kg("corpus", "build", "--corpus", corpus, "--retry-failed")
    assert "Articles to be read again, as parts of them could not be read: 1." in again.err
    assert "Ask again" not in again.err
    assert kg("corpus", "rejects", "--corpus", corpus, "--json").json == []
    assert "Nothing failed before" in kg("corpus", "build", "--corpus", corpus, "--retry-failed").err


@pytest.mark.campaign
@pytest.mark.usefixtures("with_model")
def test_a_wrong_key_ends_in_one_sentence(kg: Kg, articles: str, corpus: str, endpoint: Endpoint) -> None:
    ingest(kg, articles, corpus)
    endpoint.faults = ["401"]
    ended = kg("corpus", "build", "--corpus", corpus)
    assert ended.code == 2
    assert "refused the key (HTTP 401)" in ended.err
    assert "Set OPENAI_API_KEY to a valid key." in ended.err
    assert KEY not in ended.err


A_PHRASE = {"object_type": "CONCEPT"}
GRADES_CASES = {
    "Matthew Perry died with elevated ketamine levels in his blood.": fact(
        "Matthew Perry",
        "died with",
        "elevated ketamine levels in his blood",
        subject_type="PERSON",
        **A_PHRASE,
    ),
    "Elevated ketamine levels led to respiratory depression.": fact(
        "elevated ketamine levels", "led to", "respiratory depression", subject_type="CONCEPT", **A_PHRASE
    ),
    "Human spillover cases will persist in bird flu (H5N1).": fact(
        "human spillover cases", "will persist in", "bird flu (H5N1)", subject_type="CONCEPT"
    ),
    "The H5N1 virus shows a potential reduction in lethality.": fact(
        "H5N1 virus", "shows", "potential reduction in lethality", **A_PHRASE
    ),
}
"""GRADE's examples (A.2): two paths that need a link, as sentences and their facts."""


@pytest.mark.usefixtures("with_model")
def test_grades_own_examples_become_paths_with_concepts(
    kg: Kg, corpus: str, endpoint: Endpoint, tmp_path: Path
) -> None:
    def facts_of(asked: Asked, _: object) -> Answer:
        said = scripted_reader.lines(scripted_reader.fences(asked)["statements"])
        return {"statements": [{"number": n, "facts": [GRADES_CASES[text]]} for n, text in said.items()]}

    def same(asked: Asked, answer: Any) -> Answer:  # noqa: ANN401
        pairs = scripted_reader.fences(asked)["pairs"].splitlines()
        said = {"ketamine": "context", "H5N1": "always"}
        for one, line in zip(answer["pairs"], pairs, strict=True):
            one["verdict"] = next((verdict for word, verdict in said.items() if word in line), "different")
        return dict(answer)

    endpoint.responder = changed(statements=facts_of, pairs=same)
    path = tmp_path / "cases.jsonl"
    bodies_of = [" ".join(list(GRADES_CASES)[:2]), " ".join(list(GRADES_CASES)[2:])]
    rows = [{"id": str(n), "title": "", "body": body} for n, body in enumerate(bodies_of)]
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    size = ("--min-tokens", "1", "--chunks", "64-128/0")
    read = ("corpus", "ingest", str(path), "--corpus", corpus, "--extractor", "model-concepts", *size)
    assert kg(*read).code == 0
    ended = kg("corpus", "build", "--corpus", corpus, "--concepts", "--links", "model", "--no-preflight")
    assert ended.code == 0, ended.err
    for start, end, link in (
        ("Matthew Perry", "respiratory depression", "context"),
        ("human spillover cases", "potential reduction in lethality", "exact"),
    ):
        ended = kg("graph", "paths", "between", start, end, "--corpus", corpus, "--json")
        assert ended.code == 0, ended.err
        assert link in ended.out
