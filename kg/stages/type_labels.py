"""Types of entities as labels: Neo4j Browser can colour nodes by label only."""

from kg.queries import query
from kg.store.graph import Graph

TYPE_LABELS = ("Person", "Organisation", "Place", "People", "Event", "Thing", "Concept", "Literal")
"""The second label of an entity; literals are dates and numbers."""


def label_types(graph: Graph, corpus: str) -> None:
    """Give every entity of a corpus the label of its type, and take away that of a former type."""
    graph.rows(query("resolve/write_type_labels"), corpus=corpus)
