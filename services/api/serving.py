"""Serve the application until it is told to stop."""

import asyncio
import logging
import os
import socket
import sys
import threading

import h11
import uvicorn
from fastapi import FastAPI
from uvicorn.protocols.http.h11_impl import H11Protocol

from services.api.jobs import JOB_THREADS
from services.api.observing import JsonLines

CONNECTIONS = 512
"""Connections that are open at once; more are answered 503."""
SECONDS_TO_END = 5
"""How long requests that are under way at a stop may take to end."""


HEADER_SECONDS = 10.0
"""How long a client may take to say what it wants: half-open connections would fill all places."""


class PromptClients(H11Protocol):
    """HTTP/1.1 whose clients have a bounded time for the head of each request.

    uvicorn bounds only how long nothing at all comes between two requests.
    """

    header_seconds = HEADER_SECONDS
    _late: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request."""
        super().connection_made(transport)
        self._wait_for_head()

    def data_received(self, data: bytes) -> None:
        """Wait on where the head of a request is not whole yet."""
        super().data_received(data)
        self._wait_for_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """Wait no more."""
        self._stop_waiting()
        super().connection_lost(exc)

    def _wait_for_head(self) -> None:
        idle = self.cycle is None or self.cycle.response_complete
        if not idle or self.conn.their_state is not h11.IDLE:
            self._stop_waiting()
        elif self._late is None:
            self._late = self.loop.call_later(self.header_seconds, self.transport.close)

    def _stop_waiting(self) -> None:
        if self._late is not None:
            self._late.cancel()
            self._late = None


def serve_on(app: FastAPI, listening: socket.socket) -> None:
    """Serve on a socket that listens already, with a log of JSON lines on standard error, until Ctrl-C.

    A job that waits for somebody else, such as a model that is silent, is left: the process ends without it.
    What it had done is in the graph, and the same job goes on from there.
    """
    _log_as_json()
    try:
        uvicorn.Server(_config(app)).run(sockets=[listening])
    finally:
        if any(one.name.startswith(JOB_THREADS) for one in threading.enumerate()):
            sys.stdout.flush()
            sys.stderr.flush()
            os._exit(0)


def _config(app: FastAPI) -> uvicorn.Config:
    return uvicorn.Config(
        app,
        http=PromptClients,
        log_config=None,
        access_log=False,
        server_header=False,
        limit_concurrency=CONNECTIONS,
        timeout_graceful_shutdown=SECONDS_TO_END,
        lifespan="on",
    )


def _log_as_json() -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(JsonLines())
    for name in ("hopgrade.api", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(logging.INFO)
        logger.propagate = False
