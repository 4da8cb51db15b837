"""Serve the application until it is told to stop: connections in bounds, and an end in bounded time."""

import asyncio
import logging
import os
import signal
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass

import h11
import uvicorn
from fastapi import FastAPI
from sse_starlette.sse import AppStatus
from uvicorn.protocols.http.h11_impl import H11Protocol

from services.web.api.jobs import THREADS_OF_JOBS
from services.web.api.middleware import JsonLines, PlainLines
from services.web.api.resources import THREADS_OF_REQUESTS

SECONDS_TO_END = 3
"""How long requests that are under way at a stop may take to end."""


@dataclass(frozen=True, slots=True)
class ConnectionLimits:
    """`open` connections at most, more are answered 503; `waiting` of them may have no whole request head.

    The one that waits longest is closed for another, and each after `head_seconds`, so that clients that
    begin requests and never end them keep nobody out.
    """

    open: int = 512
    waiting: int = 128
    head_seconds: float = 10.0


@contextmanager
def server_to_stop(
    app: FastAPI, limits: ConnectionLimits | None = None, *, only_faults: bool = False
) -> Iterator[uvicorn.Server]:
    """The server, with a log of JSON lines on standard error; Ctrl-C in the block stops it at its next step.

    `only_faults` leaves out what went well and writes the rest in words, for a person who looks on.

    Also before it runs: an exception from a signal can be lost while Python imports, and with it the stop.
    """
    _write_log(PlainLines() if only_faults else JsonLines(), logging.WARNING if only_faults else logging.INFO)
    server = uvicorn.Server(server_config(app, limits or ConnectionLimits()))
    before = signal.signal(signal.SIGINT, server.handle_exit)
    try:
        yield server
    finally:
        signal.signal(signal.SIGINT, before)
        # What a stop tells the streams of events is told to the whole process: it would end those of a later
        # server at their beginning.
        AppStatus.should_exit = False


def server_config(app: FastAPI, limits: ConnectionLimits) -> uvicorn.Config:
    """How uvicorn serves the application."""
    return uvicorn.Config(
        app,
        http=bounded_protocol(limits),
        ws="none",
        log_config=None,
        access_log=False,
        server_header=False,
        # Anybody may write X-Forwarded-For: wrong tokens are counted by where a connection really comes from.
        proxy_headers=False,
        limit_concurrency=limits.open,
        timeout_graceful_shutdown=SECONDS_TO_END,
        lifespan="on",
    )


def bounded_protocol(limits: ConnectionLimits) -> type[asyncio.Protocol]:
    """uvicorn's protocol over h11 with a time for the head of a request, and a bound on those that wait.

    uvicorn bounds only the time between two requests of a connection.
    """
    waiting: OrderedDict[H11Protocol, None] = OrderedDict()

    class BoundedProtocol(H11Protocol):
        """A connection that is closed where the head of a request does not come."""

        _late: asyncio.TimerHandle | None = None

        def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
            super().connection_made(transport)
            self._await_head()

        def data_received(self, data: bytes) -> None:
            super().data_received(data)
            self._look()

        def on_response_complete(self) -> None:
            super().on_response_complete()
            self._look()

        def connection_lost(self, exc: Exception | None) -> None:
            self._has_head()
            super().connection_lost(exc)

        def _look(self) -> None:
            if self.conn.their_state is h11.IDLE:
                self._await_head()
            else:
                self._has_head()

        def _await_head(self) -> None:
            if self._late is not None or self.transport.is_closing():
                return
            self._late = self.loop.call_later(limits.head_seconds, self.transport.abort)
            waiting[self] = None
            if len(waiting) > limits.waiting:
                longest = next(iter(waiting))
                waiting.pop(longest)
                longest.transport.abort()

        def _has_head(self) -> None:
            waiting.pop(self, None)
            if self._late is not None:
                self._late.cancel()
                self._late = None

    return BoundedProtocol


def leave_threads_behind() -> None:
    """End the process at once where a thread of a job or of a request is still at work after the stop.

    Python would wait for it: for the answer of a model, say. What it wrote to the graph is whole, transaction
    by transaction, and the same job goes on from there.
    """
    prefixes = (THREADS_OF_JOBS, THREADS_OF_REQUESTS)
    if any(thread.name.startswith(prefixes) for thread in threading.enumerate()):
        sys.stdout.flush()
        sys.stderr.flush()
        os._exit(0)


def _write_log(lines: logging.Formatter, least: int) -> None:
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(lines)
    for name in ("hopgrade.api", "uvicorn"):
        logger = logging.getLogger(name)
        logger.handlers = [handler]
        logger.setLevel(least)
        logger.propagate = False
