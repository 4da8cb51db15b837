"""A graph as the CSV files that `neo4j-admin database import full` reads, with their types in the headers.

A missing value is an empty field, an empty string a quoted one. What a list holds is separated by U+001F,
which can't be escaped: in a text it becomes a blank. The import takes an empty list for a missing value, so a
column of each kind of node names its empty lists, and a script makes them after the import.

The CSV files of a Neo4j import read back, as its options name them, a record at a time.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import ExitStack
from datetime import date, datetime
from pathlib import Path
from typing import TextIO

from kg.errors import InputError
from kg.queries import query
from services.datasets.folder import ExportWriter, Item, edges_table, nodes_table
from services.datasets.graph_content import VECTOR, Column, Edge, GraphData, Node, Scalar, Value
from services.datasets.graph_cypher import key_name, one_line, quote

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
                    file.write(statement_line("corpus/restore_empty_lists", kind, column.name))
            file.write(statement_line("corpus/forget_empty_lists", kind))
    with writer.text(ARGUMENTS) as file:
        file.write("--id-type=string\n--multiline-fields=true\n--array-delimiter=U+001F\n")
        file.writelines(f"--nodes=./{name}\n" for name in node_files.values())
        file.writelines(f"--relationships={kind}=./{name}\n" for kind, name in edge_files.items())


def statement_line(name: str, label: str, property_: str = "") -> str:
    """A statement of ours with its label and its property written out, on a line."""
    text = query(name).text.replace("$($label)", key_name(label)).replace("$name", quote(property_))
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


_NODES = re.compile(r"--nodes=\./(.+)")
_EDGES = re.compile(r"--relationships=(.+)=\./(.+)")
_FIELD = re.compile(r'(?:"((?:[^"]|"")*)"|([^",\n]*))([,\n])')
_EMPTY_LIST = "an empty list"
_PARSED: Mapping[str, Callable[[str], object]] = {
    "string": str,
    "long": int,
    "double": float,
    "boolean": {"true": True, "false": False}.__getitem__,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
}
"""How the text of each type is read; what can't be read raises."""


def expect_csv(one: Node | Edge) -> Iterator[Item]:
    """What a reader must find of a node or an edge."""
    told = {name: _cell_text(value) for name, value in one.properties.items()}
    if isinstance(one, Node):
        yield Item(nodes_table(one.kind), (one.id, *one.labels), told)
    else:
        # No column names the empty lists of an edge.
        kept = {name: "" if one.properties[name] == [] else text for name, text in told.items()}
        yield Item(edges_table(one.type), (one.start, one.end), kept)


def read_csv(folder: Path) -> Iterator[Item]:
    """The nodes and edges of the files that `import.args` names; memory holds a record.

    Raises:
        InputError: a file is missing, or a record is not what its header says.
    """
    path = folder / ARGUMENTS
    try:
        for line in path.read_text(encoding="utf-8").splitlines():
            if found := _NODES.fullmatch(line):
                path = folder / found[1]
                for record in _records(path):
                    yield _node(record)
            elif found := _EDGES.fullmatch(line):
                path = folder / found[2]
                for record in _records(path):
                    start, end = record.pop(":START_ID"), record.pop(":END_ID")
                    yield Item(edges_table(found[1]), (start, end), _properties(record, ()))
    except (OSError, KeyError, ValueError) as error:
        raise InputError(
            f"{path} can't be read as the import reads it: {error}.", "Export the graph anew."
        ) from error


def _cell_text(value: Value) -> str:
    if isinstance(value, list):
        return SEPARATOR.join(map(import_text, value)) if value else _EMPTY_LIST
    return import_text(value)


def _node(record: dict[str, str]) -> Item:
    labels = record.pop(":LABEL").split(SEPARATOR)
    empty = record.pop(f"{EMPTY_LISTS}:string[]", "")
    told = _properties(record, empty.split(SEPARATOR) if empty else ())
    return Item(nodes_table(labels[0]), (told["id"], *labels), told)


def _properties(record: Mapping[str, str], empty: Sequence[str]) -> dict[str, str]:
    told = {}
    for heading, text in record.items():
        name, _, type_ = heading.rpartition(":")
        if type_ != "ID":
            items = text.split(SEPARATOR) if type_.endswith("[]") else [text]
            for item in () if name in empty else items:
                _PARSED[type_.removesuffix("[]")](item)
        told[name] = _EMPTY_LIST if name in empty else text
    return told


def _records(path: Path) -> Iterator[dict[str, str]]:
    """The fields of each record by their heading; a missing value has none."""
    with path.open(encoding="utf-8", newline="") as file:
        rows = _rows(file)
        headings = [heading or "" for heading in next(rows)]
        for row in rows:
            yield {name: text for name, text in zip(headings, row, strict=True) if text is not None}


def _rows(file: TextIO) -> Iterator[list[str | None]]:
    """Records, which may have line breaks in quotes; None for a field that is empty and not quoted."""
    waiting = ""
    for line in file:
        waiting += line
        if waiting.count('"') % 2:
            continue
        row, at = [], 0
        while at < len(waiting):
            found = _FIELD.match(waiting, at)
            if found is None:
                raise ValueError(f"the record {waiting[:60]!r} is not quoted as it must be")
            quoted, plain, _ = found.groups()
            row.append(quoted.replace('""', '"') if quoted is not None else plain or None)
            at = found.end()
        yield row
        waiting = ""
    if waiting:
        raise ValueError("the last record has no end")
