"""Clients that open connections and say nothing keep nobody out."""

import socket
import threading
from collections.abc import Iterator
from contextlib import ExitStack

import pytest
import uvicorn
from starlette.requests import Request
from starlette.responses import PlainTextResponse

from services.api.serving import CONNECTIONS, PromptClients

HALF = b"GET / HTTP/1.1\r\nHost: 127.0.0.1\r\n"
WHOLE = HALF + b"Connection: close\r\n\r\n"


class Impatient(PromptClients):
    """As served, but for the time that the head of a request may take."""

    header_seconds = 0.5


async def hello(scope: object, receive: object, send: object) -> None:
    """Says hello."""
    assert Request(scope)  # type: ignore[arg-type]
    await PlainTextResponse("hello")(scope, receive, send)  # type: ignore[arg-type]


@pytest.fixture
def address() -> Iterator[tuple[str, int]]:
    """Where a server listens that waits half a second for the head of a request."""
    config = uvicorn.Config(
        hello,
        http=Impatient,
        log_config=None,
        limit_concurrency=CONNECTIONS,
        lifespan="off",
        timeout_keep_alive=600,
    )
    server = uvicorn.Server(config)
    with socket.socket() as listening:
        listening.bind(("127.0.0.1", 0))
        listening.listen(128)
        thread = threading.Thread(target=server.run, kwargs={"sockets": [listening]})
        thread.start()
        yield listening.getsockname()
        server.should_exit = True
        thread.join()


def answer(connection: socket.socket, asked: bytes) -> bytes:
    """All that comes for a request until the server closes."""
    connection.sendall(asked)
    return b"".join(iter(lambda: connection.recv(4_096), b""))


def test_half_open_connections_are_closed_and_others_are_answered(address: tuple[str, int]) -> None:
    with ExitStack() as opened:
        silent = [opened.enter_context(socket.create_connection(address)) for _ in range(CONNECTIONS)]
        for number, connection in enumerate(silent):
            connection.sendall(HALF[: number % len(HALF)])
        for connection in silent:
            assert connection.recv(1) == b"", "closed without an answer"
        with socket.create_connection(address) as other:
            assert answer(other, WHOLE).endswith(b"hello")


def test_the_second_request_of_a_connection_has_to_be_said_in_time_too(address: tuple[str, int]) -> None:
    with socket.create_connection(address) as connection:
        connection.sendall(HALF + b"\r\n")
        got = b""
        while not got.endswith(b"hello"):
            got += connection.recv(4_096)
        assert answer(connection, HALF) == b""
