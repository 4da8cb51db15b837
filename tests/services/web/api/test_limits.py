"""What one request, and all of them together, may take."""

import asyncio
from collections.abc import AsyncIterator, Iterator

import pytest
from fastapi import FastAPI
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import PlainTextResponse, StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient
from starlette.types import Message, Receive, Scope, Send

from services.web.api.middleware import LimitRequests, RequestLimits
from services.web.api.problems import answer_errors


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
