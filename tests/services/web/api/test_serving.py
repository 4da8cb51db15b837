"""Connections as uvicorn holds them for us: heads of requests that never end keep nobody out."""

import asyncio
import json
import logging
import signal
import socket
from collections.abc import AsyncIterator, Iterator
from contextlib import ExitStack, contextmanager
from threading import Thread

import httpx
import pytest
import uvicorn
from fastapi import FastAPI, Request
from fastapi.testclient import TestClient
from sse_starlette import EventSourceResponse, ServerSentEvent

from services.web.api.serving import ConnectionLimits, server_config, server_to_stop

HALF_A_HEAD = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\nX-Slow: "
NEVER = 3_600.0
PATIENCE_SECONDS = 60


@contextmanager
def served(limits: ConnectionLimits) -> Iterator[int]:
    """The port of a small application behind our configuration of uvicorn."""
    app = FastAPI()

    @app.get("/")
    async def client_of(request: Request) -> dict[str, str]:
        return {"client": request.client.host if request.client else "", "scheme": request.url.scheme}

    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(1_024)
        server = uvicorn.Server(server_config(app, limits))
        thread = Thread(target=server.run, kwargs={"sockets": [listening]}, daemon=True)
        thread.start()
        try:
            yield listening.getsockname()[1]
        finally:
            server.should_exit = True
            thread.join(PATIENCE_SECONDS)


def half_open(port: int) -> socket.socket:
    connection = socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS)
    connection.sendall(HALF_A_HEAD)
    return connection


def ended(connection: socket.socket) -> bool:
    """Whether the server closed a connection; a time-out of the test otherwise."""
    try:
        return connection.recv(1) == b""
    except ConnectionResetError:
        return True


def test_500_clients_that_end_no_request_keep_nobody_out() -> None:
    limits = ConnectionLimits(open=200, waiting=100, head_seconds=NEVER)
    with served(limits) as port, ExitStack() as opened:
        slow = [opened.enter_context(half_open(port)) for _ in range(500)]
        # Those that waited longest went, and a client that knows what it wants is answered.
        assert ended(slow[0])
        assert httpx.get(f"http://127.0.0.1:{port}/", timeout=PATIENCE_SECONDS).status_code == 200


def test_a_head_that_does_not_come_ends_the_connection() -> None:
    with (
        served(ConnectionLimits(head_seconds=0.1)) as port,
        socket.create_connection(("127.0.0.1", port), PATIENCE_SECONDS) as silent,
        half_open(port) as begun,
    ):
        assert ended(silent)
        assert ended(begun)


def test_a_second_request_of_a_connection_is_waited_for_like_the_first() -> None:
    """Where only one may wait for its head, the one that has had an answer goes for the next that comes."""
    with served(ConnectionLimits(waiting=1, head_seconds=NEVER)) as port, half_open(port) as connection:
        connection.sendall(b"no\r\n\r\n")
        answer = b""
        while not answer.endswith(b"}"):
            answer += connection.recv(65_536)
        assert answer.startswith(b"HTTP/1.1 200")
        connection.sendall(HALF_A_HEAD)
        with half_open(port):
            assert ended(connection)


def test_what_a_client_says_of_itself_is_not_believed() -> None:
    with served(ConnectionLimits()) as port:
        headers = {"X-Forwarded-For": "192.0.2.1", "X-Forwarded-Proto": "https"}
        told = httpx.get(f"http://127.0.0.1:{port}/", headers=headers, timeout=PATIENCE_SECONDS).json()
    assert told == {"client": "127.0.0.1", "scheme": "http"}


@pytest.mark.parametrize("sent", [signal.SIGINT, signal.SIGTERM])
def test_a_stop_before_the_server_runs_is_not_lost(sent: signal.Signals) -> None:
    before = signal.signal(signal.SIGTERM, lambda *_: signal.raise_signal(signal.SIGINT))
    try:
        with socket.create_server(("127.0.0.1", 0)) as listening, server_to_stop(FastAPI()) as server:
            signal.raise_signal(sent)
            server.run(sockets=[listening])
            assert server.started
    finally:
        signal.signal(signal.SIGTERM, before)
    with pytest.raises(KeyboardInterrupt):
        signal.raise_signal(signal.SIGINT)


def test_a_stop_ends_no_stream_of_a_later_server_in_this_process() -> None:
    with socket.create_server(("127.0.0.1", 0)) as listening, server_to_stop(FastAPI()) as server:
        signal.raise_signal(signal.SIGINT)
        server.run(sockets=[listening])
    app = FastAPI()

    async def events() -> AsyncIterator[ServerSentEvent]:
        await asyncio.sleep(0)
        yield ServerSentEvent("still heard")

    @app.get("/events")
    async def stream() -> EventSourceResponse:
        return EventSourceResponse(events())

    with TestClient(app) as client:
        assert "data: still heard" in client.get("/events").text


@pytest.mark.parametrize("only_faults", [True, False])
def test_a_person_who_looks_on_is_told_of_faults_only(
    capsys: pytest.CaptureFixture[str], only_faults: bool
) -> None:
    log = logging.getLogger("hopgrade.api")
    with server_to_stop(FastAPI(), only_faults=only_faults):
        log.info("request", extra={"status": 200})
        log.warning("it clears \x1b[2J")
    written = capsys.readouterr().err.splitlines()
    if only_faults:
        assert written == ["warning: it clears \\x1b[2J"]
    else:
        assert [json.loads(line)["event"] for line in written] == ["request", "it clears \x1b[2J"]
