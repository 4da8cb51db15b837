"""Which properties the nodes and edges of a corpus have, and of which types: formats declare them first."""

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from kg.queries import query
from kg.store.graph import Graph
from services.exports.graph_content import Edge, GraphContent, Node

Kind = Literal["string", "integer", "float", "boolean", "datetime", "date"]

_KINDS: Mapping[str, Kind] = {
    "STRING": "string",
    "INTEGER": "integer",
    "FLOAT": "float",
    "BOOLEAN": "boolean",
    "ZONED DATETIME": "datetime",
    "DATE": "date",
}
_LIST = re.compile(r"^(?:LIST|VECTOR)<(.+?)(?: NOT NULL)?>")


@dataclass(frozen=True, slots=True)
class Column:
    """A property: its name, what its values are, and whether they are lists of that."""

    name: str
    kind: Kind
    is_list: bool = False


@dataclass(frozen=True, slots=True)
class Columns:
    """The properties by kind of node and by kind of edge, each in the order of names."""

    nodes: Mapping[str, tuple[Column, ...]]
    edges: Mapping[str, tuple[Column, ...]]


@dataclass(frozen=True, slots=True)
class GraphData:
    """What a writer of a format gets; nodes and edges can be gone through once, nodes first."""

    corpus: str
    columns: Columns
    nodes: Iterable[Node]
    edges: Iterable[Edge]


def read_columns(graph: Graph, corpus: str, content: GraphContent) -> Columns:
    """The properties that an export of this content has; kinds without a node or an edge are left out."""
    nodes: dict[str, tuple[Column, ...]] = {}
    types: dict[str, dict[str, set[str]]] = {}
    for label in content.labels:
        rows = graph.rows(query("graph_export/list_node_properties"), corpus=corpus, label=label)
        left_out = content.left_out(label)
        if rows:
            nodes[label] = tuple(
                column_of(row["name"], row["types"]) for row in rows if row["name"] not in left_out
            )
        found = graph.rows(
            query("graph_export/list_edge_properties"),
            corpus=corpus,
            label=label,
            labels=list(content.labels),
        )
        for row in found:
            names = types.setdefault(row["type"], {})
            if row["name"] is not None and row["name"] not in content.left_out():
                names.setdefault(row["name"], set()).update(row["types"])
    edges = {
        type_: tuple(column_of(name, names[name]) for name in sorted(names))
        for type_, names in sorted(types.items())
    }
    return Columns(nodes, edges)


def column_of(name: str, types: Iterable[str]) -> Column:
    """A column for values of these types, as Neo4j names them; where they are of several, it holds text."""
    plain, listed = set[str](), set[str]()
    for type_ in types:
        inner = _LIST.match(type_)
        if inner:
            listed.add(inner[1])
        else:
            plain.add(type_.removesuffix(" NOT NULL"))
    listed.discard("NOTHING")
    is_list = not plain
    kinds = {_KINDS.get(type_, "string") for type_ in plain | listed}
    if kinds == {"integer", "float"}:
        kinds = {"float"}
    mixed = len(kinds) != 1 or (bool(plain) and bool(listed))
    return Column(name, "string" if mixed else kinds.pop(), is_list)
