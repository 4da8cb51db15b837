"""What properties of nodes and edges mean, and how one is looked up."""

from collections.abc import Mapping

from tests.examples import read_examples

Properties = Mapping[str, tuple[str, str]]
"""By name: the type as Cypher names it, and the meaning. A name that ends with * stands for several."""

EVERY_NODE: Properties
NODES: Mapping[str, Properties]
EDGES: Mapping[str, Properties]
EVERY_NODE, NODES, EDGES = read_examples("docs/graph_properties").values()


def documented(listed: Properties, name: str) -> tuple[str, str] | None:
    """Type and meaning of a property, by its name or by the first that stands for several with it."""
    for key, told in listed.items():
        if key == name or (key.endswith("*") and name.startswith(key[:-1])):
            return told
    return None
