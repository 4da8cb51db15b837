"""A run's place in the graph."""

from kg.ids import node_id


def run_id(corpus: str, name: str) -> str:
    """The id of a run by its name."""
    return node_id(corpus, "run", name)
