"""Stable ids: a short hash of what a thing is, never a counter, so that a re-run merges."""

import hashlib
from collections.abc import Iterable


def content_hash(parts: Iterable[str], length: int = 16) -> str:
    """The first `length` hex digits of the SHA-256 over `parts`; parts can't run into each other."""
    digest = hashlib.sha256()
    for part in parts:
        data = part.encode("utf-8", "surrogatepass")
        digest.update(len(data).to_bytes(8, "big"))
        digest.update(data)
    return digest.hexdigest()[:length]


def node_id(corpus: str, kind: str, *content: str) -> str:
    """The id of a node or an edge: its kind and a hash over its corpus and content."""
    return f"{kind}-{content_hash((corpus, kind, *content))}"


def run_id(corpus: str, name: str) -> str:
    """The id of a corpus' run, by its name."""
    return node_id(corpus, "run", name)
