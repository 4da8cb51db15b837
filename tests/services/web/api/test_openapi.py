"""The OpenAPI document: true of every operation whatever is sent, and with examples that fit it.

HEAD is answered as GET is, without a body.
"""

import asyncio
from collections.abc import AsyncIterator, Iterator
from typing import Any

import pytest
import schemathesis
from hypothesis import HealthCheck, Phase, given, settings
from hypothesis.errors import Unsatisfiable
from jsonschema import Draft202012Validator
from schemathesis import GenerationMode
from schemathesis.checks import not_a_server_error
from schemathesis.core.result import Ok
from schemathesis.specs.openapi.checks import (
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    status_code_conformance,
    unsupported_method,
)
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from kg.settings import Settings
from kg.store.graph import Graph
from services.web.api.access import Access
from services.web.api.app import ANSWERS, REQUESTS, AnswerHead, create_app
from tests.representatives import representatives
from tests.services.web.views.planted_standards import ANALYSED, plant_standards, unplant_standards

CHECKS = [
    not_a_server_error,
    status_code_conformance,
    content_type_conformance,
    response_headers_conformance,
    response_schema_conformance,
    unsupported_method,
]
SAFE = {"GET", "HEAD"}
EXAMPLES = representatives([2, 20], 2)
"""Requests to each operation in each mode; a wrong answer to one kind of them needs no more to be seen."""


@pytest.fixture(scope="module")
def known(
    api: TestClient, at: str, small_corpus: str, graph: Graph, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[dict[str, str]]:
    """Names and ids that the small world has, by the parameter that takes them."""
    plant_standards(graph, small_corpus, tmp_path_factory.mktemp("standards"))
    found = {"corpus": small_corpus}
    for noun in ("articles", "chunks", "claims", "entities", "paths", "questions"):
        singular = "entity" if noun == "entities" else noun.removesuffix("s")
        found[singular] = api.get(f"{at}/{noun}", params={"limit": 1}).json()["items"][0]["id"]
    found["run"] = api.get(f"{at}/runs").json()[0]["name"]
    answers = api.get(f"{at}/runs/{found['run']}/answers", params={"limit": 1}).json()["items"]
    yield {**found, "answer": answers[0]["id"], "standard": ANALYSED}
    unplant_standards(graph, small_corpus)


@pytest.mark.campaign
@pytest.mark.parametrize("mode", list(GenerationMode))
@pytest.mark.parametrize("examples", EXAMPLES)
def test_whatever_is_sent_the_answer_is_as_described(
    served: str, known: dict[str, str], mode: GenerationMode, examples: int
) -> None:
    schema = schemathesis.openapi.from_url(f"{served}/api/openapi.json")
    operations_asked = 0
    for found in schema.get_all_operations():
        assert isinstance(found, Ok), found
        operation = found.ok()
        operations_asked += 1

        @settings(
            max_examples=examples,
            deadline=None,
            phases=[Phase.explicit, Phase.generate],
            suppress_health_check=list(HealthCheck),
            derandomize=True,
            database=None,
        )
        @given(case=operation.as_strategy(generation_mode=mode))
        def ask(case: schemathesis.Case[Any]) -> None:
            case.call_and_validate(base_url=served, checks=CHECKS, timeout=600)
            wanted = {name: known[name] for name in case.path_parameters or {} if name in known}
            # What changes something is left to the tests of jobs.
            if wanted and case.method in SAFE:
                case.path_parameters = {**case.path_parameters, **wanted}
                case.call_and_validate(base_url=served, checks=CHECKS, timeout=600)

        try:
            ask()
        except Unsatisfiable:
            # There is nothing wrong that could be sent to an operation without parameters.
            assert mode is GenerationMode.NEGATIVE
    assert operations_asked > 30


def document(api: TestClient) -> dict[str, Any]:
    found: dict[str, Any] = api.get("/api/openapi.json").json()
    return found


def operations(described: dict[str, Any]) -> Iterator[dict[str, Any]]:
    for path in described["paths"].values():
        yield from path.values()


def test_every_example_fits_what_it_is_an_example_of(api: TestClient) -> None:
    described = document(api)
    examples = 0
    for operation in operations(described):
        bodies = [operation["requestBody"]] if "requestBody" in operation else []
        for content in (*bodies, *operation["responses"].values()):
            told = content.get("content", {}).get("application/json", {})
            if "example" in told:
                examples += 1
                whole = {**told["schema"], "components": described["components"]}
                Draft202012Validator(whole).validate(told["example"])
    assert examples == len(REQUESTS) + len(ANSWERS)


def test_every_operation_that_answers_with_json_has_an_example_and_says_what_it_does(api: TestClient) -> None:
    for operation in operations(document(api)):
        name = operation["operationId"]
        assert operation["description"], name
        answered = [operation["responses"].get(status) for status in ("200", "202")]
        if any(one and "application/json" in one["content"] for one in answered):
            assert name in ANSWERS
        assert ("requestBody" in operation) == (name in REQUESTS)


def test_operations_have_different_names(api: TestClient) -> None:
    names = [operation["operationId"] for operation in operations(document(api))]
    assert len(set(names)) == len(names)


def test_the_page_is_no_part_of_the_document(api: TestClient) -> None:
    assert {path.split("/")[1] for path in document(api)["paths"]} == {"api", "health", "ready", "metrics"}


def test_the_token_stands_in_the_document_where_there_is_one(api_settings: Settings) -> None:
    app = create_app(api_settings, Access("a token that is long enough"))
    described = app.openapi()
    assert described["components"]["securitySchemes"]["token"]["scheme"] == "bearer"
    assert all(operation["security"] for operation in operations(described))
    assert "a token that" not in str(described)


@pytest.mark.parametrize(
    "path", ["/corpora/{}", "/health", "/static/page.css", "/api/corpora/{}", "/api/nothing"]
)
def test_head_has_the_headers_of_get(api: TestClient, small_corpus: str, path: str) -> None:
    # Of one corpus: other tests make and drop some meanwhile, and home lists them all.
    path = path.format(small_corpus)
    head, get = api.head(path), api.get(path)
    assert head.status_code == get.status_code
    assert head.content == b""
    for name in ("content-type", "content-length", "etag", "cache-control", "content-security-policy"):
        assert head.headers.get(name) == get.headers.get(name)


def test_head_of_what_never_ends_ends() -> None:
    async def forever() -> AsyncIterator[bytes]:
        yield b"first"
        yield b"second"

    async def stream(_: Request) -> StreamingResponse:
        return StreamingResponse(forever())

    sent: list[dict[str, object]] = []

    async def scenario() -> None:
        async def receive() -> dict[str, object]:
            return {"type": "http.disconnect"}

        async def send(message: dict[str, object]) -> None:
            sent.append(message)

        scope = {
            "type": "http",
            "asgi": {"version": "3.0", "spec_version": "2.4"},
            "method": "HEAD",
            "path": "/",
            "headers": [],
            "query_string": b"",
        }
        app = AnswerHead(Starlette(routes=[Route("/", stream)]))
        await app(scope, receive, send)  # type: ignore[arg-type]

    asyncio.run(scenario())
    assert [one["type"] for one in sent] == ["http.response.start", "http.response.body"]
    assert sent[1]["body"] == b""
    assert sent[1]["more_body"] is False
