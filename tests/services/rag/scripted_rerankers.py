"""A rerank endpoint on loopback: counts shared words, in the JSON of Jina and Cohere or in that of TEI."""

import json
import threading
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass
class Endpoint:
    """What it does next and what came: `faults`, one a request, may be "silence", "page", "short"."""

    url: str = ""
    texts_only: bool = False
    faults: list[int | str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)


@contextmanager
def rerank_endpoint(faults: Sequence[int | str] = (), texts_only: bool = False) -> Iterator[Endpoint]:
    """A running endpoint."""
    endpoint = Endpoint(texts_only=texts_only, faults=list(faults))
    server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(endpoint))
    server.daemon_threads = True
    endpoint.url = f"http://127.0.0.1:{server.server_address[1]}/rerank"
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02})
    thread.start()
    try:
        yield endpoint
    finally:
        server.shutdown()
        thread.join()
        server.server_close()


def _handler(endpoint: Endpoint) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
            endpoint.bodies.append(body)
            endpoint.keys.append(self.headers.get("Authorization", ""))
            fault = endpoint.faults.pop(0) if endpoint.faults else None
            if fault == "silence":
                time.sleep(0.6)
                return
            if isinstance(fault, int):
                self._send(fault, {"error": f"No, {self.headers.get('Authorization')}."})
            elif fault == "page":
                self._send(200, "a page")
            elif endpoint.texts_only and "texts" not in body:
                self._send(422, {"error": "missing field `texts`"})
            else:
                self._send(200, self._ranked(body, short=fault == "short"))

        def _ranked(self, body: dict[str, Any], short: bool) -> Any:  # noqa: ANN401
            wanted = set(body["query"].lower().split())
            texts = body["texts"] if endpoint.texts_only else body["documents"]
            label = "score" if endpoint.texts_only else "relevance_score"
            rows = [
                {"index": index, label: len(wanted & set(text.lower().split())) / 10}
                for index, text in enumerate(texts)
            ]
            rows.sort(key=lambda row: -row[label])
            rows = rows[1:] if short else rows
            return rows if endpoint.texts_only else {"results": rows}

        def _send(self, status: int, value: Any) -> None:  # noqa: ANN401
            data = json.dumps(value).encode()
            self.send_response(status)
            if status == 429:
                self.send_header("Retry-After", "0.05")
            self.send_header("Content-Length", str(len(data)))
            self.end_headers()
            self.wfile.write(data)

        def log_message(self, format: str, *args: object) -> None:  # noqa: A002 - http.server's name
            """Keep the test's output clean."""

    return Handler
