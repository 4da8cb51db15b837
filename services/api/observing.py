"""What the process tells of itself: metrics for Prometheus, and a line of JSON for each request.

Neither holds what a caller sent besides the path: no query, no header, no body.
"""

import json
import logging
from dataclasses import dataclass, field
from datetime import UTC, datetime
from time import perf_counter
from uuid import uuid4

from prometheus_client import CollectorRegistry, Counter, Gauge, Histogram
from starlette.types import ASGIApp, Message, Receive, Scope, Send

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
