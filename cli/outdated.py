"""A word on questions and runs that went with the paths that they were made from."""

from cli.console import remark
from kg.ledger import read_ledger
from kg.store.graph import Graph

_FROM_PATHS = ("questions", "run")


def remark_on_outdated(graph: Graph, corpus: str) -> None:
    """Say so when questions or runs of a corpus were deleted, for they were made from other paths."""
    gone = [
        line["name"]
        for line in read_ledger(graph, corpus)
        if line["state"] == "outdated" and line["name"].partition(" ")[0] in _FROM_PATHS
    ]
    if gone:
        remark(
            f"note: made from other paths and deleted: {', '.join(gone)}. The command that made them, "
            "kg run-all or kg demo, makes them again."
        )
