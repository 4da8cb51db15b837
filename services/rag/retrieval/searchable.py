"""Whether a corpus can be searched at all."""

from shlex import quote

from kg.errors import NothingToDoError
from kg.ledger import read_stage
from kg.store.graph import Graph


def require_searchable(graph: Graph, corpus: str) -> None:
    """Tell a question that nothing fits from a corpus in which nothing can be found yet.

    Raises:
        NothingToDoError: the corpus has no vectors.
    """
    line = read_stage(graph, corpus, "vectors")
    if line is None or line["state"] != "done":
        raise NothingToDoError(
            f"corpus {corpus!r} has nothing to search yet.",
            f"Build it: kg corpus build --corpus {quote(corpus)}.",
        )
