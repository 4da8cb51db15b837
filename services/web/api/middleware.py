"""What the process tells of itself, and how much of it one request, and all of them together, may take.

Metrics for Prometheus, whether it can work, and a line of JSON for each request. None of them holds what a
caller sent besides the path: no query, no header, no body.
"""

import asyncio
import json
import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from typing import Literal
from uuid import uuid4

from fastapi import APIRouter, Request, Response
from prometheus_client import (
    CONTENT_TYPE_LATEST,
    CollectorRegistry,
    Counter,
    Gauge,
    Histogram,
    generate_latest,
)
from starlette.exceptions import HTTPException
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from kg import __version__
from kg.text.words import write_out
from services.web.api.problems import problem
from services.web.api.resources import Reading, Shared


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
        told = f"{record.levelname.lower()}: {record.getMessage()}"
        return write_out(f"{told}\n{self.formatException(record.exc_info)}" if record.exc_info else told)


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
