"""Stable ids: a short hash of what a thing is, never a counter, so that a re-run merges.

Much is drawn, sorted and cut in the order of ids. So that a corpus' name decides none of it, the ids of what
a corpus is made of, from articles to questions, begin with a hash of their content alone and end with a mark
of the corpus; ids that content refers to count without that mark. Ids of graphs made before have no mark.
"""

import hashlib
import re
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


_MARK = 8
_MARKED = re.compile(rf"\b([a-z]+-[0-9a-f]{{16}})[0-9a-f]{{{_MARK}}}\b")


def content_id(corpus: str, kind: str, *content: str) -> str:
    """The id of a part of a corpus: in corpora of any name the same order, in each corpus ids of its own."""
    return f"{kind}-{content_hash((kind, *map(bare_id, content)))}{content_hash((corpus,), _MARK)}"


def bare_id(text: str) -> str:
    """A text with its ids as they are without the mark of their corpus; any other text as it is."""
    return _MARKED.sub(r"\1", text)


def run_id(corpus: str, name: str) -> str:
    """The id of a corpus' run, by its name."""
    return node_id(corpus, "run", name)
