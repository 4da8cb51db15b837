"""An /embeddings endpoint on loopback that answers by rule, and fails in the ways a test asks for."""

import hashlib
import json
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Literal

DIMENSIONS = 64

Fault = Literal[
    "429", "429 for an hour", "500", "408", "silence", "truncated", "not json", "html", "400", "401", "404",
    "one vector less", "shorter vectors", "uneven vectors", "zero vectors", "out of order",
]  # fmt: skip

_STATUS = {"429": 429, "429 for an hour": 429, "500": 500, "408": 408, "400": 400, "401": 401, "404": 404}
_RETRY_AFTER = {"429": "0.9", "429 for an hour": "3600", "500": "0.05", "408": "0.05"}


@dataclass
class Request:
    """What the endpoint was sent, and when."""

    key: str
    inputs: list[str]
    dimensions: int | None
    at_seconds: float


@dataclass
class Endpoint:
    """A running endpoint: its base URL, the faults still to come (one a request), the requests so far."""

    base_url: str = ""
    faults: list[Fault] = field(default_factory=list)
    requests: list[Request] = field(default_factory=list)
    stopping: threading.Event = field(default_factory=threading.Event)


def vector(text: str, dimensions: int) -> list[float]:
    """A bag of hashed words, not of unit length: texts that share words are near each other."""
    numbers = [0.0] * dimensions
    for word in text.lower().split():
        numbers[int.from_bytes(hashlib.sha256(word.encode()).digest()[:4]) % dimensions] += 2.0
    return numbers if any(numbers) else [1.0] * dimensions


@contextmanager
def scripted_endpoint(*faults: Fault) -> Iterator[Endpoint]:
    """An endpoint that commits `faults`, one a request, before it answers as it should."""
    endpoint = Endpoint(faults=list(faults))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(endpoint))
    server.daemon_threads = True
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


def _handler(endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            key = self.headers.get("Authorization", "").removeprefix("Bearer ")
            request = Request(key, body["input"], body.get("dimensions"), time.monotonic())
            endpoint.requests.append(request)
            fault = endpoint.faults.pop(0) if endpoint.faults else None
            if fault == "silence":
                endpoint.stopping.wait(20)
                return
            status = _STATUS.get(fault or "", 200)
            answer = _answer(request, body["model"], fault)
            self.send_response(status)
            self.send_header("Content-Type", "text/html" if fault == "html" else "application/json")
            self.send_header("Content-Length", str(len(answer) + (500 if fault == "truncated" else 0)))
            if fault in _RETRY_AFTER:
                self.send_header("Retry-After", _RETRY_AFTER[fault])
            self.end_headers()
            self.wfile.write(answer)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
            """Keep the test's output clean."""

    return Handler


def _answer(request: Request, model: str, fault: Fault | None) -> bytes:
    if fault in _STATUS:
        return json.dumps({"error": {"message": f"No, {request.key}.", "type": "refusal"}}).encode()
    if fault in {"not json", "html"}:
        return b"<html>Welcome</html>"
    dimensions = (request.dimensions or DIMENSIONS) - (1 if fault == "shorter vectors" else 0)
    rows = [
        {"object": "embedding", "index": index, "embedding": vector(text, dimensions)}
        for index, text in enumerate(request.inputs)
    ]
    match fault:
        case "one vector less":
            rows.pop()
        case "uneven vectors":
            rows[-1]["embedding"] = [1.0]
        case "zero vectors":
            rows[-1]["embedding"] = [0.0] * dimensions
        case "out of order":
            rows.reverse()
    usage = {"prompt_tokens": 1, "total_tokens": 1}
    return json.dumps({"object": "list", "data": rows, "model": model, "usage": usage}).encode()
