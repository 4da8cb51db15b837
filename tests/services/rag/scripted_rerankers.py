"""A rerank endpoint on loopback: counts shared words, in the JSON of Jina and Cohere or in that of TEI."""

import time
from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

from tests.web_system import Received, Sent, web_system


@dataclass
class Endpoint:
    """What it does next and what came: `faults`, one a request, may be "silence", "page", "short"."""

    url: str = ""
    texts_only: bool = False
    faults: list[int | str] = field(default_factory=list)
    bodies: list[dict[str, Any]] = field(default_factory=list)
    keys: list[str] = field(default_factory=list)

    def respond(self, request: Received) -> Sent:
        body: Any = request.body
        self.bodies.append(body)
        self.keys.append(request.headers.get("Authorization", ""))
        fault = self.faults.pop(0) if self.faults else None
        if fault == "silence":
            time.sleep(0.6)
        if isinstance(fault, int):
            later = {"Retry-After": "0.05"} if fault == 429 else {}
            return Sent({"error": f"No, {self.keys[-1]}."}, fault, later)
        if fault in {"page", "silence"}:
            return Sent("a page")
        if self.texts_only and "texts" not in body:
            return Sent({"error": "missing field `texts`"}, 422)
        rows = self._ranked(body)[1 if fault == "short" else 0 :]
        return Sent(rows if self.texts_only else {"results": rows})

    def _ranked(self, body: Mapping[str, Any]) -> list[dict[str, float]]:
        wanted = set(body["query"].lower().split())
        texts = body["texts"] if self.texts_only else body["documents"]
        label = "score" if self.texts_only else "relevance_score"
        shared = [len(wanted & set(text.lower().split())) / 10 for text in texts]
        rows = [{"index": index, label: score} for index, score in enumerate(shared)]
        return sorted(rows, key=lambda row: -row[label])


@contextmanager
def rerank_endpoint(faults: Sequence[int | str] = (), texts_only: bool = False) -> Iterator[Endpoint]:
    """A running endpoint."""
    endpoint = Endpoint(texts_only=texts_only, faults=list(faults))
    with web_system(endpoint.respond) as web:
        endpoint.url = web.url
        yield endpoint
