"""An exported Cypher script read back: what its statements would make, a statement at a time."""

import re
from collections.abc import Iterator
from datetime import date
from pathlib import Path

from kg.errors import InputError
from kg.queries import area_queries, query
from services.exports.cypher_expressions import NAME, STRING, parse_map, unquoted
from services.exports.cypher_literals import FIELD, ROW
from services.exports.graph_account import Item, edges_table, nodes_table
from services.exports.graph_content import Edge, Node, Value
from services.exports.graph_cypher import FILE, one_line


def expect_cypher(one: Node | Edge) -> Iterator[Item]:
    """What the script must make of a node or an edge."""
    told = {name: _told(value) for name, value in one.properties.items()}
    if isinstance(one, Node):
        yield Item(nodes_table(one.kind), (one.id, *one.labels), told)
    else:
        yield Item(edges_table(one.type), (one.start_kind, one.start, one.end_kind, one.end), told)


def read_cypher(folder: Path) -> Iterator[Item]:
    """The nodes and edges that `graph.cypher` would make; memory holds those of a statement.

    Raises:
        InputError: a line is not a statement that this export writes.
    """
    path, number = folder / FILE, 0
    schema = {one_line(migration.text) for migration in area_queries("schema")}
    nodes = _pattern("graph_export/create_nodes", labels=rf"{NAME}(?::{NAME})*")
    edges = _pattern("graph_export/create_edges", start=NAME, end=NAME, type=NAME)
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, start=1):  # noqa: B007
                if line.startswith("//") or line in schema:
                    continue
                if found := nodes.fullmatch(line):
                    yield from _nodes(found)
                elif found := edges.fullmatch(line):
                    yield from _edges(found)
                else:
                    raise ValueError("it is no statement of ours")
    except (OSError, LookupError, ValueError) as error:
        raise InputError(f"{path}:{number} can't be read: {error}.", "Export the graph anew.") from error


def _pattern(statement: str, **names: str) -> re.Pattern[str]:
    """A statement of ours with groups where an export fills something in."""
    text = re.escape(one_line(query(statement).text))
    for name, expression in names.items():
        text = text.replace(re.escape(f"$(${name})"), f"(?P<{name}>{expression})")
    text = text.replace(re.escape("$rows"), f"(?P<rows>{STRING})")
    return re.compile(text.replace(re.escape("$properties"), r"(?P<map>\{.*\})"))


def _nodes(found: re.Match[str]) -> Iterator[Item]:
    labels = [unquoted(name) for name in re.findall(NAME, found["labels"])]
    reads = parse_map(found["map"])
    for fields in _rows(found["rows"]):
        held = {name: read(fields) for name, read in reads.items()}
        told = {name: _told(value) for name, value in held.items()}
        yield Item(nodes_table(labels[0]), (str(held["id"]), *labels), told)


def _edges(found: re.Match[str]) -> Iterator[Item]:
    start, end, type_ = (unquoted(found[name]) for name in ("start", "end", "type"))
    reads = parse_map(found["map"])
    for fields in _rows(found["rows"]):
        told = {name: _told(read(fields)) for name, read in reads.items()}
        yield Item(edges_table(type_), (start, fields[0], end, fields[1]), told)


def _rows(text: str) -> Iterator[list[str]]:
    return (row.split(FIELD) for row in unquoted(text).split(ROW))


def _told(value: Value) -> str:
    """A value with its type, so that 1 and 1.0 and "1" differ."""
    if isinstance(value, list):
        return f"list {[_told(item) for item in value]!r}"
    return f"{type(value).__name__} {value.isoformat() if isinstance(value, date) else repr(value)}"
