"""HEAD is answered as GET is, without a body."""

import asyncio
from collections.abc import AsyncIterator

import pytest
from starlette.applications import Starlette
from starlette.requests import Request
from starlette.responses import StreamingResponse
from starlette.routing import Route
from starlette.testclient import TestClient

from services.web.api.app import AnswerHead


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
