"""An HTTP endpoint on loopback that answers by a function, for systems behind an address."""

import json
import threading
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass(frozen=True, slots=True)
class Received:
    """A request as it came; `body` is None where there was none, and bytes where it is no JSON."""

    method: str
    path: str
    headers: Mapping[str, str]
    body: object


@dataclass(frozen=True, slots=True)
class Sent:
    """What goes back: a status, a body that becomes JSON unless it is bytes, and headers."""

    body: object
    status: int = 200
    headers: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Web:
    """The endpoint's address, and what it received."""

    url: str
    received: list[Received]


@contextmanager
def web_system(respond: Callable[[Received], Sent]) -> Iterator[Web]:
    """Serve until the block ends."""
    received: list[Received] = []

    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            self._answer()

        def do_GET(self) -> None:
            self._answer()

        def log_message(self, *_: object) -> None:
            pass

        def _answer(self) -> None:
            length = int(self.headers.get("Content-Length") or 0)
            content_type = self.headers.get("Content-Type") or ""
            raw = self.rfile.read(length)
            body = (json.loads(raw) if "json" in content_type else raw) if length else None
            request = Received(self.command, self.path, dict(self.headers.items()), body)
            received.append(request)
            sent = respond(request)
            content = sent.body if isinstance(sent.body, bytes) else json.dumps(sent.body).encode()
            self.send_response(sent.status)
            for name, value in sent.headers.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True)
    thread.start()
    try:
        yield Web(f"http://127.0.0.1:{server.server_port}/answer", received)
    finally:
        server.shutdown()
        thread.join()
        server.server_close()
