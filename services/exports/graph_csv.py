"""A graph as the CSV files that `neo4j-admin database import full` reads, with their types in the headers.

A missing value is an empty field, an empty string a quoted one. What a list holds is separated by U+001F,
which can't be escaped: in a text it becomes a blank. The import takes an empty list for a missing value, so a
column of each kind of node names its empty lists, and a script makes them after the import.
"""

from collections.abc import Mapping
from contextlib import ExitStack
from typing import TextIO

from kg.queries import query
from services.exports.cypher_literals import key_name, quoted
from services.exports.folder import ExportWriter
from services.exports.graph_columns import Column, GraphData
from services.exports.graph_content import VECTOR, Scalar, Value
from services.exports.graph_cypher import one_line

ARGUMENTS = "import.args"
SCRIPT = "after-import.cypher"
EMPTY_LISTS = "empty_lists"
SEPARATOR = "\x1f"
_TYPES: Mapping[str, str] = {
    "string": "string",
    "integer": "long",
    "float": "double",
    "boolean": "boolean",
    "datetime": "datetime",
    "date": "date",
}


def write_import_csv(writer: ExportWriter, data: GraphData) -> None:
    """Write `nodes-KIND.csv` and `edges-KIND.csv`, the import's options, and the script for after it."""
    node_files = {kind: f"nodes-{kind}.csv" for kind in data.columns.nodes}
    edge_files = {kind: f"edges-{kind}.csv" for kind in data.columns.edges}
    with ExitStack() as stack:
        opened = {kind: stack.enter_context(writer.text(name)) for kind, name in node_files.items()}
        for kind, file in opened.items():
            headings = [_heading(column) for column in data.columns.nodes[kind]]
            _write_row(file, [*headings, f"{EMPTY_LISTS}:string[]", ":LABEL"])
        for node in data.nodes:
            fields = [_field(node.properties.get(column.name)) for column in data.columns.nodes[node.kind]]
            empty: list[Scalar] = [name for name, value in node.properties.items() if value == []]
            _write_row(opened[node.kind], [*fields, _field(empty or None), _field([*node.labels])])
    with ExitStack() as stack:
        opened = {kind: stack.enter_context(writer.text(name)) for kind, name in edge_files.items()}
        for kind, file in opened.items():
            headings = [f"{column.name}:{_type(column)}" for column in data.columns.edges[kind]]
            _write_row(file, [":START_ID", ":END_ID", *headings])
        for edge in data.edges:
            fields = [_field(edge.properties.get(column.name)) for column in data.columns.edges[edge.type]]
            _write_row(opened[edge.type], [_field(edge.start), _field(edge.end), *fields])
    with writer.text(SCRIPT) as file:
        for kind, columns in data.columns.nodes.items():
            for column in columns:
                if column.is_list and column.name != VECTOR:
                    file.write(statement_line("graph_export/restore_empty_lists", kind, column.name))
            file.write(statement_line("graph_export/forget_empty_lists", kind))
    with writer.text(ARGUMENTS) as file:
        file.write("--id-type=string\n--multiline-fields=true\n--array-delimiter=U+001F\n")
        file.writelines(f"--nodes=./{name}\n" for name in node_files.values())
        file.writelines(f"--relationships={kind}=./{name}\n" for kind, name in edge_files.items())


def statement_line(name: str, label: str, property_: str = "") -> str:
    """A statement of ours with its label and its property written out, on a line."""
    text = query(name).text.replace("$($label)", key_name(label)).replace("$name", quoted(property_))
    return one_line(text)


def _heading(column: Column) -> str:
    return "id:ID" if column.name == "id" else f"{column.name}:{_type(column)}"


def _type(column: Column) -> str:
    return _TYPES[column.kind] + ("[]" if column.is_list else "")


def _field(value: Value | None) -> str:
    if value is None:
        return ""
    text = SEPARATOR.join(map(import_text, value)) if isinstance(value, list) else import_text(value)
    if isinstance(value, str | list):
        escaped = text.replace('"', '""')
        return f'"{escaped}"'
    return text


def import_text(value: Scalar) -> str:
    """A value as the text of a field, or of an item of a list."""
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value.replace(SEPARATOR, " ")
    if isinstance(value, float):
        return {"inf": "Infinity", "-inf": "-Infinity", "nan": "NaN"}.get(repr(value), repr(value))
    return str(value) if isinstance(value, int) else value.isoformat()


def _write_row(file: TextIO, fields: list[str]) -> None:
    file.write(",".join(fields) + "\n")
