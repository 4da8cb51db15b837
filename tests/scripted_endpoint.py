"""An OpenAI-compatible endpoint on loopback that answers by rule, and fails in the ways a test asks for.

    def responder(request: Asked) -> Answer:
        return {"claims": [request.text]}          # JSON becomes the content; a str is sent as it is

    with scripted_endpoint(responder, faults=["429", "cut", "invalid json"]) as endpoint:
        with open_model("extract", endpoint.settings(tmp_path)) as model:
            outcomes = list(model.ask(requests))
        assert len(endpoint.requests) == 5         # everything received, refused or not
        assert endpoint.answered == {"one": 1}     # questions (first user message) answered in full

`faults` are committed one a request, in order; `Status(418, "...", retry_after="1")` is one that has no name.
The fault "length" cuts an answer off in twice the room too. `storm=Storm(seed=7, share=0.3)` picks faults by
chance. `unsupported={"json_schema", "temperature"}` names what every request is refused for (400, or
`unsupported_status`); a responder that returns a `Status` refuses by rule. With `endpoint.environment()` the
command line uses the endpoint. An error in the responder, a failed assertion too, comes out of `with`.
"""

import json
import re
import socket
import struct
import threading
import time
from collections import Counter
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from typing import Any, TypeAlias

from kg.settings import Settings
from tests.scripted_bodies import (
    DIMENSIONS,
    Answer,
    Said,
    chat_body,
    chat_events,
    error_body,
    models_body,
    said,
    spoilt,
    vector,
    vectors_body,
)
from tests.scripted_faults import FOR_NOW, STATUSES, Fault, FaultName, Status, Storm, times

__all__ = [
    "DIMENSIONS",
    "FOR_NOW",
    "KEY",
    "Answer",
    "Asked",
    "Endpoint",
    "Fault",
    "FaultName",
    "Responder",
    "Said",
    "Status",
    "Storm",
    "scripted_endpoint",
    "time_out",
    "times",
    "vector",
]

KEY = "sk-very-secret-key-123"
"""The key that `Endpoint.settings` and `Endpoint.environment` send; it should turn up nowhere."""

PATIENCE_SECONDS = 600.0
"""How long a request is waited for: no machine is so busy that an answer takes longer."""
SILENCE_SECONDS = 4.0
"""How long where some requests meet silence: no more than a test can wait, enough for all other answers."""


def time_out(faults: Iterable[Fault]) -> float:
    """A time-out in seconds, short only where one of the faults is silence."""
    return SILENCE_SECONDS if "silence" in set(faults) else PATIENCE_SECONDS


_PREFIX = re.compile(r"\A/(?:v1|openai/deployments/[^/]+)/")
_SCHEMA_RULE = re.compile(
    r"\s+Answer with one JSON value and nothing else\. .*?:\n(?P<schema>.*)\Z", re.DOTALL
)

_HTML = b"<html>Welcome</html>"


@dataclass(frozen=True, slots=True)
class Asked:
    """A request as it came."""

    path: str
    key: str
    body: dict[str, Any]
    at_seconds: float
    query: str = ""
    headers: Mapping[str, str] = field(default_factory=dict)

    @property
    def system(self) -> str:
        """The system messages."""
        return "\n\n".join(text for role, text in self.messages if role == "system")

    @property
    def messages(self) -> list[tuple[str, str]]:
        """(role, content) of each message."""
        return [(message["role"], message["content"] or "") for message in self.body.get("messages", ())]

    @property
    def text(self) -> str:
        """The last user message, without the schema where it says one."""
        return _SCHEMA_RULE.sub(
            "", next((text for role, text in reversed(self.messages) if role == "user"), "")
        )

    @property
    def question(self) -> str:
        """The first user message, without any schema: the same when the model is asked to mend its answer."""
        return _SCHEMA_RULE.sub("", next((text for role, text in self.messages if role == "user"), ""))

    @property
    def said_schema(self) -> dict[str, Any] | None:
        """The schema that a message says, the last one where several do."""
        found = [match for _, text in self.messages for match in _SCHEMA_RULE.finditer(text)]
        return json.loads(found[-1]["schema"]) if found else None

    @property
    def answer_format(self) -> str:
        """json_schema, json_object or text."""
        return str(self.body.get("response_format", {}).get("type", "text"))

    @property
    def schema(self) -> dict[str, Any] | None:
        """The schema that was sent, if any."""
        wanted = self.body.get("response_format", {}).get("json_schema")
        return None if wanted is None else wanted["schema"]

    @property
    def tools(self) -> list[str]:
        """The names of the tools that are offered natively."""
        return [tool["function"]["name"] for tool in self.body.get("tools", ())]

    @property
    def inputs(self) -> list[str]:
        """The texts to embed."""
        return list(self.body["input"])

    @property
    def dimensions(self) -> int | None:
        """The length of vector that was asked for."""
        return self.body.get("dimensions")


Responder: TypeAlias = Callable[[Asked], Answer | Status]


def _echo(request: Asked) -> Answer:
    return request.text


@dataclass
class Endpoint:
    """A running endpoint: what it does next, and what happened so far."""

    responder: Responder = _echo
    faults: list[Fault] = field(default_factory=list)
    storm: Storm | None = None
    unsupported: Collection[str] = ()
    unsupported_status: int = 400
    latency_seconds: float = 0.0
    models: tuple[str, ...] = ("scripted",)
    base_url: str = ""
    requests: list[Asked] = field(default_factory=list)
    answered: Counter[str] = field(default_factory=Counter)
    faults_of: dict[str, Fault] = field(default_factory=dict)
    most_at_once: int = 0
    stopping: threading.Event = field(default_factory=threading.Event)
    _lock: threading.Lock = field(default_factory=threading.Lock)
    _now: int = 0
    _error: BaseException | None = None
    _cut: set[str] = field(default_factory=set)

    def settings(self, home: Path, **changes: object) -> Settings:
        """Settings that lead every role here, with short waits; `changes` are fields of `Settings`."""
        given: dict[str, object] = {
            "openai_base_url": self.base_url,
            "openai_api_key": KEY,
            "hopgrade_model": self.models[0],
            "hopgrade_model_timeout_seconds": PATIENCE_SECONDS,
            # The endpoint's models don't think, and their tokens are counted: no room beyond the answer's.
            "hopgrade_model_output_room": 1.0,
            "hopgrade_home": home,
            **changes,
        }
        return Settings.model_validate(given)

    def environment(self) -> dict[str, str]:
        """The variables that make `kg` use this endpoint for every role."""
        return {
            "OPENAI_BASE_URL": self.base_url,
            "OPENAI_API_KEY": KEY,
            "HOPGRADE_MODEL": self.models[0],
            "HOPGRADE_MODEL_TIMEOUT_SECONDS": str(PATIENCE_SECONDS),
        }

    def receive(self, request: Asked) -> Fault | None:
        """Log a request and decide on its fault."""
        with self._lock:
            self._now += 1
            self.most_at_once = max(self.most_at_once, self._now)
            self.requests.append(request)
            refused = self._refused(request.body)
            if refused is not None:
                return refused
            fault = self._next_fault(request.question)
            if fault == "length" and request.question not in self._cut:
                self._cut.add(request.question)
                self.faults_of[request.question] = "length"
            else:
                self._cut.discard(request.question)
            return fault

    def finish(self) -> None:
        """Count a request as no longer under way."""
        with self._lock:
            self._now -= 1

    def count(self, question: str) -> None:
        """Count a question as answered in full."""
        with self._lock:
            self.answered[question] += 1

    def answer(self, request: Asked) -> Said | Status:
        """What the responder says; where it fails, a status that nobody tries again."""
        try:
            answer = self.responder(request)
            return answer if isinstance(answer, Status) else said(answer)
        except Exception as error:  # noqa: BLE001 - it is raised again when the endpoint closes
            self._error = error
            return Status(400, "The responder of the test failed.")

    def raise_error(self) -> None:
        """Raise what the responder raised last, if anything."""
        if self._error is not None:
            raise self._error

    def _next_fault(self, question: str) -> Fault | None:
        if question in self.faults_of:
            return self.faults_of.pop(question)
        if self.faults:
            return self.faults.pop(0)
        return self.storm.next(question) if self.storm else None

    def _refused(self, body: dict[str, Any]) -> Status | None:
        wanted = body.get("response_format", {}).get("type")
        if wanted in self.unsupported:
            message = f"Invalid parameter: 'response_format' of type '{wanted}' is not supported."
            return Status(self.unsupported_status, message, param="response_format")
        for name in ("temperature", "max_tokens", "seed", "stop", "tools"):
            if name in body and name in self.unsupported:
                message = f"Unsupported parameter: '{name}' is not supported with this model."
                return Status(self.unsupported_status, message, code="unsupported_parameter", param=name)
        return None


@contextmanager
def scripted_endpoint(
    responder: Responder = _echo,
    faults: Sequence[Fault] = (),
    *,
    storm: Storm | None = None,
    unsupported: Collection[str] = (),
    unsupported_status: int = 400,
    latency_seconds: float = 0.0,
    models: tuple[str, ...] = ("scripted",),
) -> Iterator[Endpoint]:
    """A running endpoint; see the module's docstring."""
    endpoint = Endpoint(
        responder, list(faults), storm, unsupported, unsupported_status, latency_seconds, models
    )
    server = _Server(("127.0.0.1", 0), _handler(endpoint))
    endpoint.base_url = f"http://127.0.0.1:{server.server_address[1]}/v1"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield endpoint
    finally:
        endpoint.stopping.set()
        server.shutdown()
        thread.join()
        server.server_close()
    endpoint.raise_error()


class _Server(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 128

    def handle_error(self, request: Any, client_address: Any) -> None:  # noqa: ANN401 - inherited
        """Say nothing: clients that hang up are part of the tests."""


def _handler(endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        disable_nagle_algorithm = True
        wbufsize = -1

        def do_GET(self) -> None:
            self._serve({})

        def do_POST(self) -> None:
            self._serve(json.loads(self.rfile.read(int(self.headers["Content-Length"]))))

        def _serve(self, body: dict[str, Any]) -> None:
            key = self.headers.get("Authorization", "").removeprefix("Bearer ")
            path, _, query = self.path.partition("?")
            path = _PREFIX.sub("", path).strip("/")
            headers = {name.lower(): text for name, text in self.headers.items()}
            request = Asked(path, key, body, time.monotonic(), query, headers)
            fault = endpoint.receive(request)
            try:
                endpoint.stopping.wait(endpoint.latency_seconds)
                self._commit(request, fault)
            finally:
                endpoint.finish()

        def _commit(self, request: Asked, fault: Fault | None) -> None:
            status = fault if isinstance(fault, Status) else STATUSES.get(fault or "")
            match fault:
                case _ if status is not None:
                    self._refuse(status, request.key)
                case "silence":
                    endpoint.stopping.wait(20)
                    self.close_connection = True
                case "blanks":
                    self._send_blanks()
                case "reset":
                    self._reset()
                case "not json" | "html":
                    self._send(_HTML, "text/html" if fault == "html" else "application/json")
                case _:
                    self._answer(request, fault)

        def _answer(self, request: Asked, fault: Fault | None) -> None:
            match request.path:
                case "models":
                    self._send_json(models_body(endpoint.models))
                case "embeddings":
                    model = request.body["model"]
                    rows = vectors_body(request.inputs, request.dimensions, model, fault)
                    self._send_json(rows, fault)
                case "chat/completions":
                    self._chat(request, fault)
                case _:
                    self._refuse(Status(404, "No such path."), request.key)

        def _chat(self, request: Asked, fault: Fault | None) -> None:
            answer = endpoint.answer(request)
            if isinstance(answer, Status):
                self._refuse(answer, request.key)
                return
            answer = spoilt(answer, fault)
            model = str(request.body["model"])
            words = sum(len(text.split()) for _, text in request.messages)
            if fault not in {"cut", "truncated"}:
                endpoint.count(request.question)
            if request.body.get("stream"):
                self._send_events(list(chat_events(answer, model, words)), fault)
            else:
                self._send_json(chat_body(answer, model, words), fault)

        def _refuse(self, status: Status, key: str) -> None:
            headers = {} if status.retry_after is None else {"Retry-After": status.retry_after}
            self._send(json.dumps(error_body(status, key)).encode(), status=status.status, headers=headers)

        def _send_json(self, value: dict[str, Any], fault: Fault | None = None) -> None:
            body = json.dumps(value, ensure_ascii=False).encode()
            if fault == "cut":
                self._send_chunks([body[: len(body) // 2]], "application/json", whole=False)
            else:
                self._send(body, missing=500 if fault == "truncated" else 0)

        def _send_events(self, events: list[bytes], fault: Fault | None) -> None:
            whole = fault not in {"cut", "truncated"}
            self._send_chunks(events if whole else events[: len(events) // 2], "text/event-stream", whole)

        def _send(
            self,
            body: bytes,
            kind: str = "application/json",
            status: int = 200,
            headers: dict[str, str] | None = None,
            missing: int = 0,
        ) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body) + missing))
            for name, value in (headers or {}).items():
                self.send_header(name, value)
            self.end_headers()
            self.wfile.write(body)
            self.close_connection = self.close_connection or missing > 0

        def _send_chunks(self, pieces: Sequence[bytes], kind: str, whole: bool) -> None:
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Transfer-Encoding", "chunked")
            self.end_headers()
            for piece in pieces:
                self.wfile.write(f"{len(piece):x}\r\n".encode() + piece + b"\r\n")
            if whole:
                self.wfile.write(b"0\r\n\r\n")
            else:
                self.close_connection = True

        def _send_blanks(self) -> None:
            self.send_response(200)
            self.send_header("Content-Type", "application/json")
            self.end_headers()
            self.close_connection = True
            while not endpoint.stopping.wait(0.02):
                self.wfile.write(b" ")
                self.wfile.flush()

        def _reset(self) -> None:
            self.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
            self.close_connection = True
            self.rfile.close()
            self.connection.close()

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
            """Keep the test's output clean."""

    return Handler
