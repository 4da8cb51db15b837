"""A GraphML export read back, an element at a time."""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from xml.etree.ElementTree import Element, ParseError, iterparse

from kg.errors import InputError
from services.exports.graph_account import Item, edges_table, nodes_table
from services.exports.graph_content import Edge, Node
from services.exports.graph_graphml import FILE, plain_text, xml_characters

_SPACE = "{http://graphml.graphdrawing.org/xmlns}"
_LABELS, _LABEL = "labels", "label"
_PARSED: Mapping[str, Callable[[str], object]] = {
    "long": int,
    "double": float,
    "boolean": {"true": True, "false": False}.__getitem__,
    "string": str,
}
"""How the text of each type is read; what can't be read raises."""


def expect_graphml(one: Node | Edge) -> Iterator[Item]:
    """What a reader must find of a node or an edge."""
    told = {name: xml_characters(plain_text(value)) for name, value in one.properties.items()}
    if isinstance(one, Node):
        yield Item(nodes_table(one.kind), (one.id, *one.labels), told)
    else:
        yield Item(edges_table(one.type), (one.id, one.start, one.end), told)


def read_graphml(folder: Path) -> Iterator[Item]:
    """The nodes and edges of `graph.graphml`; memory holds one of them.

    Raises:
        InputError: it is no GraphML, or a value is not of the type that its key declares.
    """
    path = folder / FILE
    keys: dict[str, tuple[str, str]] = {}
    try:
        graph: Element | None = None
        # Entities that grow without end are refused by expat itself.
        for event, element in iterparse(path, ("start", "end")):  # noqa: S314
            name = element.tag.removeprefix(_SPACE)
            if event == "start":
                graph = element if name == "graph" else graph
            elif name == "key":
                keys[element.attrib["id"]] = (element.attrib["attr.name"], element.attrib["attr.type"])
            elif name in ("node", "edge"):
                yield _item(name, element, keys)
                if graph is not None:
                    graph.clear()
    except (OSError, ParseError, KeyError, ValueError) as error:
        raise InputError(f"{path} can't be read as GraphML: {error}.", "Export the graph anew.") from error


def _item(name: str, element: Element, keys: Mapping[str, tuple[str, str]]) -> Item:
    told: dict[str, str] = {}
    for data in element:
        key, type_ = keys[data.attrib["key"]]
        told[key] = data.text or ""
        _PARSED[type_](told[key])
    given = element.attrib
    if name == "node":
        labels = told.pop(_LABELS).split(":")[1:]
        return Item(nodes_table(labels[0]), (given["id"], *labels), told)
    return Item(edges_table(told.pop(_LABEL)), (given["id"], given["source"], given["target"]), told)
