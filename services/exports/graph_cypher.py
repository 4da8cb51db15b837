"""A graph as a Cypher script, which makes it anew in an empty database.

A statement a line, so that the script can be cut anywhere between two lines; each makes a bounded number of
nodes or edges. The first ones are the migrations that make ids unique: the edges find their ends by them,
and a script that is run twice ends at once instead of doubling the graph.

Rows stand in one string, split by the server: planning a list of maps takes milliseconds for each map.
"""

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from kg.queries import area_queries, query
from services.exports.cypher_literals import FIELD, ROW, key_name, packed, quoted
from services.exports.folder import ExportWriter
from services.exports.graph_columns import GraphData
from services.exports.graph_content import Edge, Node

FILE = "graph.cypher"
ROWS_A_STATEMENT = 2_000
CHARACTERS_A_STATEMENT = 300_000

Names = tuple[tuple[str, str], ...]
"""What stands for the placeholders of a statement: labels, types, and the map of the properties."""


@dataclass(slots=True)
class _Batch:
    """Rows that one statement can make, and their size in characters."""

    rows: list[str] = field(default_factory=list)
    size: int = 0


def write_cypher(writer: ExportWriter, data: GraphData) -> None:
    """Write the file `graph.cypher`."""
    with writer.text(FILE) as file:
        file.write("// A graph that Hopgrade exported, for an empty Neo4j 2026.01 or newer.\n")
        for migration in area_queries("schema"):
            if "CREATE CONSTRAINT" in migration.text:
                file.write(one_line(migration.text))
        for statement, kinds in (
            ("graph_export/create_nodes", map(_node, data.nodes)),
            ("graph_export/create_edges", map(_edge, data.edges)),
        ):
            text = query(statement).text
            for names, rows in _gathered(kinds):
                file.write(one_line(_filled(text, names, rows)))


def one_line(statement: str) -> str:
    """A statement on a line of a script; no literal of ours holds a line break."""
    return " ".join(line.strip() for line in statement.split("\n")) + ";\n"


def _node(node: Node) -> tuple[Names, str, bool]:
    made = packed(node.properties)
    labels = ":".join(map(key_name, node.labels))
    return (("$($labels)", labels), ("$properties", made.map)), FIELD.join(made.fields), made.shared


def _edge(edge: Edge) -> tuple[Names, str, bool]:
    made = packed(edge.properties, first=2)
    names = (
        ("$($start)", key_name(edge.start_kind)),
        ("$($end)", key_name(edge.end_kind)),
        ("$($type)", key_name(edge.type)),
        ("$properties", made.map),
    )
    return names, FIELD.join((edge.start, edge.end, *made.fields)), made.shared


def _gathered(rows: Iterable[tuple[Names, str, bool]]) -> Iterator[tuple[Names, list[str]]]:
    """Rows of one kind together, each batch bounded in number and in characters."""
    waiting: dict[Names, _Batch] = {}
    for names, row, shared in rows:
        if not shared:
            yield names, [row]
            continue
        if names in waiting and waiting[names].size + len(row) > CHARACTERS_A_STATEMENT:
            yield names, waiting.pop(names).rows
        batch = waiting.setdefault(names, _Batch())
        batch.rows.append(row)
        batch.size += len(row)
        if len(batch.rows) == ROWS_A_STATEMENT:
            yield names, waiting.pop(names).rows
    for names, batch in sorted(waiting.items()):
        yield names, batch.rows


def _filled(statement: str, names: Names, rows: list[str]) -> str:
    values: Mapping[str, str] = dict(names)
    for place, name in names:
        if place != "$properties":
            statement = statement.replace(place, name)
    # The texts come last and from the right, so that nothing in them is taken for a placeholder.
    head, tail = statement.split("$properties")
    statement_head, statement_tail = head.split("$rows")
    return f"{statement_head}{quoted(ROW.join(rows))}{statement_tail}{values['$properties']}{tail}"
