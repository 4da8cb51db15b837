"""The CSV files of a Neo4j import read back, as its options name them, a record at a time."""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path
from typing import TextIO

from kg.errors import InputError
from services.exports.graph_account import Item, edges_table, nodes_table
from services.exports.graph_content import Edge, Node, Value
from services.exports.graph_csv import ARGUMENTS, EMPTY_LISTS, SEPARATOR, import_text

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
    told = {name: _told(value) for name, value in one.properties.items()}
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


def _told(value: Value) -> str:
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
