"""A graph as GraphML, as Gephi, yEd, Cytoscape and networkx read it.

Labels and types stand as Neo4j's own tools write them: data `labels` (":Entity:Person") and `label`. GraphML
knows no lists and no times: lists are JSON, times are text of ISO 8601.
"""

import json
import re
from collections.abc import Iterable, Mapping
from typing import TextIO
from xml.sax.saxutils import escape

from services.datasets.folder import ExportWriter
from services.datasets.graph_content import Column, Columns, GraphData, Value

FILE = "graph.graphml"
_TYPES: Mapping[str, str] = {"integer": "long", "float": "double", "boolean": "boolean"}
_NOT_IN_XML = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\ufffe\uffff]")
_REPLACED = "\ufffd"
_HEAD = (
    '<?xml version="1.0" encoding="UTF-8"?>\n'
    '<graphml xmlns="http://graphml.graphdrawing.org/xmlns" '
    'xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" '
    'xsi:schemaLocation="http://graphml.graphdrawing.org/xmlns '
    'http://graphml.graphdrawing.org/xmlns/1.0/graphml.xsd">\n'
)

Keys = Mapping[tuple[str, str, str], str]
"""The key of a property, by what has it ("node", "edge"), its name and its GraphML type."""


def write_graphml(writer: ExportWriter, data: GraphData) -> None:
    """Write the file `graph.graphml`."""
    keys = _keys(data.columns)
    node_types = {kind: _column_types(found) for kind, found in data.columns.nodes.items()}
    edge_types = {kind: _column_types(found) for kind, found in data.columns.edges.items()}
    with writer.text(FILE) as file:
        file.write(_HEAD)
        for (owner, name, type_), key in keys.items():
            file.write(f'<key id="{key}" for="{owner}" attr.name={_quote(name)} attr.type="{type_}"/>\n')
        file.write('<graph id="G" edgedefault="directed">\n')
        for node in data.nodes:
            labels = "".join(f":{label}" for label in node.labels)
            file.write(f"<node id={_quote(node.id)} labels={_quote(labels)}>")
            _data(file, keys["node", "labels", "string"], labels)
            _write_properties(file, "node", keys, node_types[node.kind], node.properties)
            file.write("</node>\n")
        for edge in data.edges:
            ends = f"source={_quote(edge.start)} target={_quote(edge.end)}"
            file.write(f"<edge id={_quote(edge.id)} {ends} label={_quote(edge.type)}>")
            _data(file, keys["edge", "label", "string"], edge.type)
            _write_properties(file, "edge", keys, edge_types[edge.type], edge.properties)
            file.write("</edge>\n")
        file.write("</graph>\n</graphml>\n")


def xml_text(text: str) -> str:
    """Text for XML 1.0, between tags or in an attribute; characters that XML can't hold become U+FFFD."""
    return escape(xml_characters(text), {"\r": "&#13;", '"': "&quot;"})


def xml_characters(text: str) -> str:
    """A text with U+FFFD for the characters that XML 1.0 can't hold."""
    return _NOT_IN_XML.sub(_REPLACED, text)


def plain_text(value: Value) -> str:
    """A value as the text between the tags."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, list):
        return json.dumps(
            [item if isinstance(item, bool | int | float | str) else item.isoformat() for item in value],
            ensure_ascii=False,
        )
    if isinstance(value, float):
        return {"inf": "INF", "-inf": "-INF", "nan": "NaN"}.get(repr(value), repr(value))
    return str(value) if isinstance(value, int | str) else value.isoformat()


def _keys(columns: Columns) -> Keys:
    wanted = {("node", "labels", "string"): None, ("edge", "label", "string"): None}
    for owner, kinds in (("node", columns.nodes), ("edge", columns.edges)):
        for found in kinds.values():
            wanted |= {(owner, column.name, _type(column)): None for column in found}
    return {key: f"d{number}" for number, key in enumerate(sorted(wanted))}


def _type(column: Column) -> str:
    return "string" if column.is_list else _TYPES.get(column.kind, "string")


def _column_types(columns: Iterable[Column]) -> dict[str, str]:
    return {column.name: _type(column) for column in columns}


def _write_properties(
    file: TextIO, owner: str, keys: Keys, types: Mapping[str, str], properties: Mapping[str, Value]
) -> None:
    for name, value in properties.items():
        _data(file, keys[owner, name, types[name]], plain_text(value))


def _data(file: TextIO, key: str, text: str) -> None:
    file.write(f'<data key="{key}">{xml_text(text)}</data>')


def _quote(text: str) -> str:
    escaped = xml_text(text).replace("\n", "&#10;").replace("\t", "&#9;")
    return f'"{escaped}"'
