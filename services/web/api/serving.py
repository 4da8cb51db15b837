"""Serve the application until it is told to stop: connections and requests in bounds, an end in bounded time.

Metrics for Prometheus, whether it can work, and a line of JSON for each request tell of the process.
None holds what a caller sent besides the path: no query, no header, no body.
"""

import asyncio
import json
import logging
import os
import signal
import sys
import threading
from collections import OrderedDict
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Literal
from uuid import uuid4

import h11
import uvicorn
from fastapi import APIRouter, FastAPI, Request, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from sse_starlette.sse import AppStatus
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send
from uvicorn.protocols.http.h11_impl import H11Protocol

from kg import __version__
from kg.text.words import write_out
from services.web.api.jobs import THREADS_OF_JOBS
from services.web.api.problems import problem
from services.web.api.resources import THREADS_OF_REQUESTS, Reading, Shared


@dataclass(frozen=True, slots=True)
class RequestLimits:
    """`seconds` is the time until a response begins, `at_once` counts the requests that wait for theirs."""

    body_bytes: int = 1 << 20
    seconds: float = 30.0
    at_once: int = 64


class LimitRequests:
    """Answers 413, 503 or 503 in place of a request that is too large, too slow, or one too many."""

    def __init__(self, app: ASGIApp, limits: RequestLimits) -> None:
        self._app = app
        self._limits = limits
        self._waiting = 0

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on within the limits."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._announced(scope) > self._limits.body_bytes:
            await self._too_large()(scope, receive, send)
            return
        if self._waiting >= self._limits.at_once:
            many = problem(503, "too many requests are under way.", "Ask again in a moment.")
            await many(scope, receive, send)
            return
        self._waiting += 1
        begun = False
        taken = 0

        async def bounded() -> Message:
            nonlocal taken
            message = await receive()
            taken += len(message.get("body", b""))
            if taken > self._limits.body_bytes:
                raise HTTPException(413, self._why())
            return message

        try:
            async with asyncio.timeout(self._limits.seconds) as deadline:

                async def beginning(message: Message) -> None:
                    nonlocal begun
                    if not begun:
                        # From here on the client sets the pace: of a download, or of a job that it follows.
                        begun = True
                        self._waiting -= 1
                        deadline.reschedule(None)
                    await send(message)

                await self._app(scope, bounded, beginning)
        except TimeoutError:
            if begun:
                raise
            slow = problem(503, f"this took longer than {self._limits.seconds:g} seconds.", "Ask for less.")
            await slow(scope, receive, send)
        finally:
            if not begun:
                self._waiting -= 1

    def _announced(self, scope: Scope) -> int:
        for name, value in scope["headers"]:
            if name == b"content-length" and value.isdigit():
                return int(value[:20])
        return 0

    def _too_large(self) -> ASGIApp:
        return problem(413, self._why())

    def _why(self) -> str:
        return f"the body is larger than {self._limits.body_bytes:,} bytes."


BUCKETS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0)
API = "/api"
OTHER = "other"
"""The route of what no route is for, so that whoever asks for many paths makes no many series."""
METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})

_log = logging.getLogger("hopgrade.api")


@dataclass(frozen=True, slots=True)
class Metrics:
    """The metrics of one application."""

    registry: CollectorRegistry
    requests: Counter
    seconds: Histogram
    under_way: Gauge
    jobs: Gauge


def make_metrics() -> Metrics:
    """Metrics in a registry of their own, all at zero."""
    registry = CollectorRegistry()
    return Metrics(
        registry,
        Counter(
            "hopgrade_requests",
            "Requests by route and status.",
            ["method", "route", "status"],
            registry=registry,
        ),
        Histogram(
            "hopgrade_request_seconds",
            "Seconds until a response began.",
            ["route"],
            registry=registry,
            buckets=BUCKETS,
        ),
        Gauge("hopgrade_requests_under_way", "Requests whose response has not ended.", registry=registry),
        Gauge("hopgrade_jobs", "Jobs by state.", ["state"], registry=registry),
    )


@dataclass(slots=True)
class _Seen:
    status: int = 500
    started: float = field(default_factory=perf_counter)
    began: float | None = None


class ObserveRequests:
    """Counts and logs every request, and gives its response an id to ask about it by."""

    def __init__(self, app: ASGIApp, metrics: Metrics) -> None:
        self._app = app
        self._metrics = metrics

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Hand the request on, and note what became of it."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        seen, request_id = _Seen(), uuid4().hex

        async def watched(message: Message) -> None:
            if message["type"] == "http.response.start":
                seen.status, seen.began = message["status"], perf_counter()
                message["headers"] = [*message.get("headers", ()), (b"x-request-id", request_id.encode())]
            await send(message)

        try:
            with self._metrics.under_way.track_inprogress():
                await self._app(scope, receive, watched)
        finally:
            self._tell(scope, seen, request_id)

    def _tell(self, scope: Scope, seen: _Seen, request_id: str) -> None:
        seconds = (seen.began or perf_counter()) - seen.started
        route = getattr(scope.get("route"), "path", None) or OTHER
        if scope["path"].startswith(API) and route != OTHER:
            route = f"{API}{route.removeprefix(API)}"
        method = scope["method"] if scope["method"] in METHODS else OTHER
        self._metrics.requests.labels(method, route, str(seen.status)).inc()
        self._metrics.seconds.labels(route).observe(seconds)
        _log.info(
            "request",
            extra={
                "request": request_id,
                "method": method,
                "route": route,
                "path": scope["path"],
                "status": seen.status,
                "milliseconds": round(seconds * 1_000, 1),
            },
        )


class JsonLines(logging.Formatter):
    """A log record as one line of JSON: time, level, event, and what `extra` added."""

    _PLAIN = frozenset(vars(logging.makeLogRecord({}))) | {"message", "asctime", "color_message", "taskName"}

    def format(self, record: logging.LogRecord) -> str:
        """The line; control characters are escaped, so that no path can forge another line."""
        line: dict[str, object] = {
            "time": datetime.fromtimestamp(record.created, UTC).isoformat(timespec="milliseconds"),
            "level": record.levelname.lower(),
            "event": record.getMessage(),
        }
        line |= {name: value for name, value in vars(record).items() if name not in self._PLAIN}
        if record.exc_info:
            line["traceback"] = self.formatException(record.exc_info)
        return json.dumps(line, default=str)


class PlainLines(logging.Formatter):
    """A log record as a sentence for a person: its level, its event, and the traceback of a fault."""

    def format(self, record: logging.LogRecord) -> str:
        """The line, with what would steer a terminal written out."""
        text = f"{record.levelname.lower()}: {record.getMessage()}"
        return write_out(f"{text}\n{self.formatException(record.exc_info)}" if record.exc_info else text)


operations_router = APIRouter(tags=["operations"])


@dataclass(frozen=True, slots=True)
class Health:
    """That the process answers, and what it is."""

    status: Literal["ok"]
    version: str


@operations_router.get("/health")
async def health() -> Health:
    """Whether the process answers; it asks nobody else."""
    return Health("ok", __version__)


@operations_router.get("/ready")
async def ready(graph: Reading) -> Health:
    """Whether Neo4j answers too; 503 while it does not."""
    await graph.ping()
    return Health("ok", __version__)


@operations_router.get(
    "/metrics",
    response_class=Response,
    responses={200: {"description": "Metrics for Prometheus.", "content": {"text/plain": {}}}},
)
async def metrics(request: Request, shared: Shared) -> Response:
    """Requests, how long they took, and jobs, for Prometheus."""
    kept: Metrics = request.app.state.metrics
    for state, number in shared.jobs.counts().items():
        kept.jobs.labels(state).set(number)
    return Response(generate_latest(kept.registry), media_type=CONTENT_TYPE_LATEST)


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
    lines, least = (PlainLines(), logging.WARNING) if only_faults else (JsonLines(), logging.INFO)
    server = uvicorn.Server(server_config(app, limits or ConnectionLimits()))
    before = signal.signal(signal.SIGINT, server.handle_exit)
    try:
        with _log_to_stderr(lines, least):
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


@contextmanager
def _log_to_stderr(lines: logging.Formatter, least: int) -> Iterator[None]:
    """Write what the API and its server log, from a level on; afterwards they log as they did before."""
    handler = logging.StreamHandler(sys.stderr)
    handler.setFormatter(lines)
    loggers = [logging.getLogger(name) for name in ("hopgrade.api", "uvicorn")]
    before = [(one, one.handlers, one.level, one.propagate) for one in loggers]
    for logger in loggers:
        logger.handlers, logger.propagate = [handler], False
        logger.setLevel(least)
    try:
        yield
    finally:
        for logger, handlers, level, propagate in before:
            logger.handlers, logger.propagate = handlers, propagate
            logger.setLevel(level)
