"""Metrics, a line for each request, and how much of the server one of them may take."""

import asyncio
import json
import logging
import re
from collections.abc import AsyncIterator, Iterator

import pytest
from fastapi import FastAPI
from prometheus_client.parser import text_string_to_metric_families
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from kg.settings import Settings
from services.web.api.app import create_app
from services.web.api.problems import answer_errors
from services.web.api.serving import JsonLines, LimitRequests, RequestLimits
from tests.services.web.api.conftest import HERE


def samples(api: TestClient, name: str) -> dict[tuple[str, ...], float]:
    families = text_string_to_metric_families(api.get("/metrics").text)
    return {
        tuple(sample.labels[key] for key in sorted(sample.labels)): sample.value
        for family in families
        for sample in family.samples
        if sample.name == name
    }


def test_requests_are_counted_by_their_route_not_by_their_address(api: TestClient, at: str) -> None:
    def count(route: str, status: str) -> float:
        return samples(api, "hopgrade_requests_total").get(("GET", route, status), 0)

    before = count("/api/corpora/{corpus}/runs", "200"), count("other", "404")
    for number in range(3):
        api.get(f"{at}/runs")
        api.get(f"/api/nothing/{number}")
    after = count("/api/corpora/{corpus}/runs", "200"), count("other", "404")
    assert (after[0] - before[0], after[1] - before[1]) == (3, 3)


def test_a_line_of_the_log_has_the_id_of_the_answer_and_nothing_that_was_sent(
    api: TestClient, at: str, caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "hopgrade.api"):
        answer = api.get(
            f"{at}/entities/search?text=hunter2",
            headers={"Authorization": "Bearer hunter2", "X-Any": "hunter2"},
        )
    (record,) = [one for one in caplog.records if one.message == "request"]
    line = json.loads(JsonLines().format(record))
    assert line["request"] == answer.headers["x-request-id"]
    assert (line["status"], line["method"], line["route"]) == (
        200,
        "GET",
        "/api/corpora/{corpus}/entities/search",
    )
    assert "hunter2" not in json.dumps(line)


def test_no_path_forges_a_line() -> None:
    record = logging.makeLogRecord({"msg": "request", "path": '/x\n{"event": "forged"}\x1b[2J'})
    line = JsonLines().format(record)
    assert not re.search(r"[\n\x1b]", line)
    assert json.loads(line)["path"].startswith("/x\n")


def test_it_lives_and_is_not_ready_while_neo4j_does_not_answer(api_settings: Settings) -> None:
    app = create_app(api_settings)
    with TestClient(app, base_url=HERE) as client:
        assert client.get("/ready").status_code == 200

        async def gone() -> None:
            await app.state.resources.graph.close()

        assert client.portal is not None
        client.portal.call(gone)
        assert client.get("/health").status_code == 200
        unready = client.get("/ready")
        assert unready.status_code == 503
        assert unready.headers["retry-after"]


async def _echo(request: Request) -> PlainTextResponse:
    return PlainTextResponse(str(len(await request.body())))


async def _never(_: Request) -> PlainTextResponse:
    await asyncio.Event().wait()
    return PlainTextResponse("")


def client(limits: RequestLimits) -> TestClient:
    app = FastAPI(routes=[Route("/echo", _echo, methods=["POST"]), Route("/never", _never)])
    answer_errors(app)
    return TestClient(LimitRequests(app, limits))


@pytest.fixture
def small() -> TestClient:
    """A client of an application that takes bodies of ten bytes."""
    return client(RequestLimits(body_bytes=10))


def test_a_body_within_the_limit_is_taken(small: TestClient) -> None:
    assert small.post("/echo", content=b"x" * 10).text == "10"


def test_a_larger_body_is_refused_whether_or_not_it_says_so(small: TestClient) -> None:
    def pieces() -> Iterator[bytes]:
        for _ in range(3):
            yield b"xxxx"

    assert small.post("/echo", content=b"x" * 11).status_code == 413
    assert small.post("/echo", content=pieces()).status_code == 413


def test_a_request_that_takes_too_long_ends() -> None:
    answer = client(RequestLimits(seconds=0.01)).get("/never")
    assert answer.status_code == 503
    assert answer.headers["retry-after"]


def test_one_too_many_is_refused_and_none_is_refused_when_the_others_have_ended() -> None:
    async def scenario() -> list[int]:
        inside, go = asyncio.Event(), asyncio.Event()

        async def app(scope: Scope, receive: Receive, send: Send) -> None:
            inside.set()
            await go.wait()
            await PlainTextResponse("ok")(scope, receive, send)

        limited = LimitRequests(app, RequestLimits(at_once=1))
        statuses: list[int] = []

        async def ask() -> None:
            async def receive() -> Message:
                return {"type": "http.request", "body": b"", "more_body": False}

            async def send(message: Message) -> None:
                if message["type"] == "http.response.start":
                    statuses.append(message["status"])

            await limited({"type": "http", "headers": [], "method": "GET", "path": "/"}, receive, send)

        async with asyncio.TaskGroup() as group:
            group.create_task(ask())
            await inside.wait()
            await ask()
            go.set()
        await ask()
        return statuses

    assert asyncio.run(scenario()) == [503, 200, 200]


def test_a_response_that_has_begun_may_take_its_time() -> None:
    async def body() -> AsyncIterator[bytes]:
        yield b"a"
        await asyncio.sleep(0.05)
        yield b"b"

    async def slow(_: Request) -> StreamingResponse:
        return StreamingResponse(body())

    app = LimitRequests(Starlette(routes=[Route("/", slow)]), RequestLimits(seconds=0.02))
    assert TestClient(app).get("/").text == "ab"
