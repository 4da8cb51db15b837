"""A graph as a Cypher script, which makes it anew in an empty database.

A statement a line, so that the script can be cut anywhere between two lines; each makes a bounded number of
nodes or edges. The first ones are the migrations that make ids unique: the edges find their ends by them,
and a script that is run twice ends at once instead of doubling the graph.

Rows stand in one string, split by the server: planning a list of maps takes milliseconds for each map.

Values as Cypher writes them, and as fields of a string that Cypher takes apart.

An exported Cypher script read back: what its statements would make, a statement at a time.

The maps of properties in an exported Cypher script taken apart again: the other way of `cypher_literals`.

Only what an export writes is understood: literals, and what reads a value out of the fields of a row.
"""

import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import date, datetime
from pathlib import Path

from kg.errors import InputError
from kg.queries import area_queries, query
from services.datasets.folder import ExportWriter, Item, edges_table, nodes_table
from services.datasets.graph_content import Edge, GraphData, Node, Scalar, Value

ROW, FIELD, ITEM = "\x1e", "\x1f", "\x1d"
"""ASCII's separators of records, units and groups."""

_ITEM_LITERAL = "'\\u001D'"
_ESCAPES = {"\\": "\\\\", "'": "\\'", "\n": "\\n", "\r": "\\r", "\t": "\\t"}
_SPECIAL = re.compile("[\\\\'\x00-\x1f\x7f-\x9f\u2028\u2029]")
_SEPARATOR = re.compile(f"[{ITEM}{ROW}{FIELD}]")
_PLAIN_NAME = re.compile(r"[A-Za-z][A-Za-z0-9_]*")
_READ: Mapping[type, str] = {
    bool: "toBoolean({})",
    int: "toInteger({})",
    float: "toFloat({})",
    str: "{}",
    datetime: "datetime({})",
    date: "date({})",
}
"""How Cypher reads a field of each type."""


@dataclass(frozen=True, slots=True)
class PropertyFields:
    """Properties as fields, and the map in Cypher that reads them from the list `f`.

    `shared` says whether other properties of the same names and types have the same map; a value that no
    field can hold stands in the map itself.
    """

    map: str
    fields: tuple[str, ...]
    shared: bool


def pack_properties(properties: Mapping[str, Value], first: int = 0) -> PropertyFields:
    """Properties whose first field has the number `first` in its row."""
    entries, fields, shared = [], list[str](), True
    for name, value in properties.items():
        text = _field(value)
        if text is None:
            entries.append(f"{key_name(name)}: {literal(value)}")
            shared = shared and value == []
        else:
            entries.append(f"{key_name(name)}: {_reader(value).format(f'f[{first + len(fields)}]')}")
            fields.append(text)
    return PropertyFields("{" + ", ".join(entries) + "}", tuple(fields), shared)


def literal(value: Value) -> str:
    """A value as Cypher writes it; a string is always inside single quotes and on one line."""
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, str):
        return quote(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, date):
        return _READ[type(value)].format(quote(value.isoformat()))
    return _text(value)


def quote(text: str) -> str:
    """A string of Cypher: control characters are escaped, everything else stands as it is."""
    return f"'{_SPECIAL.sub(_escape, text)}'"


def key_name(name: str) -> str:
    """The name of a property, a label or a type, in backticks where it needs them."""
    return name if _PLAIN_NAME.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def _escape(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04X}"


def _text(value: Scalar) -> str:
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, str):
        return value
    return value.isoformat() if isinstance(value, date) else repr(value)


def _field(value: Value) -> str | None:
    """A value as a field; None for what a field can't hold."""
    items = value if isinstance(value, list) else [value]
    if not items or len({type(item) for item in items}) > 1:
        return None
    if any(isinstance(item, float) and not math.isfinite(item) for item in items):
        return None
    texts = [_text(item) for item in items]
    return None if any(map(_SEPARATOR.search, texts)) else ITEM.join(texts)


def _reader(value: Value) -> str:
    if not isinstance(value, list):
        return _READ[type(value)]
    return _read_list(_READ[type(value[0])])


def _read_list(read: str) -> str:
    parts = "split({}, " + _ITEM_LITERAL + ")"
    return parts if read == "{}" else f"[x IN {parts} | {read.format('x')}]"


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
            ("corpus/create_nodes", map(_node, data.nodes)),
            ("corpus/create_edges", map(_edge, data.edges)),
        ):
            text = query(statement).text
            for names, rows in _gather(kinds):
                file.write(one_line(_fill(text, names, rows)))


def one_line(statement: str) -> str:
    """A statement on a line of a script; no literal of ours holds a line break."""
    return " ".join(line.strip() for line in statement.split("\n")) + ";\n"


def _node(node: Node) -> tuple[Names, str, bool]:
    made = pack_properties(node.properties)
    labels = ":".join(map(key_name, node.labels))
    return (("$($labels)", labels), ("$properties", made.map)), FIELD.join(made.fields), made.shared


def _edge(edge: Edge) -> tuple[Names, str, bool]:
    made = pack_properties(edge.properties, first=2)
    names = (
        ("$($start)", key_name(edge.start_kind)),
        ("$($end)", key_name(edge.end_kind)),
        ("$($type)", key_name(edge.type)),
        ("$properties", made.map),
    )
    return names, FIELD.join((edge.start, edge.end, *made.fields)), made.shared


def _gather(rows: Iterable[tuple[Names, str, bool]]) -> Iterator[tuple[Names, list[str]]]:
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


def _fill(statement: str, names: Names, rows: list[str]) -> str:
    values: Mapping[str, str] = dict(names)
    for place, name in names:
        if place != "$properties":
            statement = statement.replace(place, name)
    # The texts come last and from the right, so that nothing in them is taken for a placeholder.
    head, tail = statement.split("$properties")
    statement_head, statement_tail = head.split("$rows")
    return f"{statement_head}{quote(ROW.join(rows))}{statement_tail}{values['$properties']}{tail}"


STRING = r"'[^'\\]*(?:\\.[^'\\]*)*'"
NAME = r"(?:[A-Za-z]\w*|`(?:[^`]|``)*`)"
"""Regular expressions of a string, and of a name of a property, a label or a type."""

_WORD = re.compile(rf"\s*({STRING}|-?Infinity|{NAME}|-?[0-9][0-9.e+-]*|[][{{}}(),:|])")
_ESCAPED = re.compile(r"\\(?:u([0-9A-F]{4})|(.))")
_PLAIN = {"n": "\n", "r": "\r", "t": "\t"}
_CALLS: Mapping[str, Callable[[str], Scalar]] = {
    "toInteger": int,
    "toFloat": float,
    "toBoolean": {"true": True, "false": False}.__getitem__,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
}
_WORDS: Mapping[str, Scalar] = {
    "true": True,
    "false": False,
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}
_NUMBER = re.compile(r"-?[0-9]+")

ReadValue = Callable[[Sequence[str]], Value]
"""A value out of the fields of a row."""


def parse_map(text: str) -> dict[str, ReadValue]:
    """How each property of a map is read.

    Raises:
        ValueError, LookupError: it is no map of ours.
    """
    words = _Words(text)
    reads: dict[str, ReadValue] = {}
    words.take("{")
    while not words.skip_if("}"):
        name = unquote(words.next())
        words.take(":")
        reads[name] = _expression(words)
        words.skip_if(",")
    return reads


class _Words:
    """The words of an expression, one after the other."""

    def __init__(self, text: str) -> None:
        self._found = [match[1] for match in _WORD.finditer(text)]
        self._at = 0
        if "".join(self._found) != _WORD.sub(lambda match: match[1], text):
            raise ValueError("its properties are no map of ours")

    def next(self) -> str:
        """The next word; an IndexError where there is none."""
        self._at += 1
        return self._found[self._at - 1]

    def take(self, expected: str) -> None:
        """Go over a word that must come."""
        if (found := self.next()) != expected:
            raise ValueError(f"{found!r} stands where {expected!r} must")

    def skip_if(self, word: str) -> bool:
        """Go over a word if it comes."""
        comes = self._found[self._at] == word
        self._at += comes
        return comes


def _expression(words: _Words) -> ReadValue:
    word = words.next()
    if word == "f":
        words.take("[")
        place = int(words.next())
        words.take("]")
        return lambda fields: fields[place]
    if word in _CALLS:
        words.take("(")
        inner, call = _expression(words), _CALLS[word]
        words.take(")")
        return lambda fields: call(str(inner(fields)))
    if word == "split":
        return _split(words)
    if word == "[":
        return _list(words)
    value = _literal(word)
    return lambda _: value


def _split(words: _Words) -> ReadValue:
    words.take("(")
    inner = _expression(words)
    words.take(",")
    if unquote(words.next()) != ITEM:
        raise ValueError("a list is split at something else")
    words.take(")")
    return lambda fields: [*str(inner(fields)).split(ITEM)]


def _list(words: _Words) -> ReadValue:
    """`[x IN split(...) | toFloat(x)]`, or a list of literals."""
    if words.skip_if("x"):
        words.take("IN")
        words.take("split")
        inner = _split(words)
        words.take("|")
        call = _CALLS[words.next()]
        for expected in ("(", "x", ")", "]"):
            words.take(expected)
        return lambda fields: [call(item) for item in _items(inner(fields))]
    reads: list[ReadValue] = []
    while not words.skip_if("]"):
        reads.append(_expression(words))
        words.skip_if(",")
    return lambda fields: [_scalar(read(fields)) for read in reads]


def _items(value: Value) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _scalar(value: Value) -> Scalar:
    if isinstance(value, list):
        raise ValueError("a list holds a list")
    return value


def _literal(word: str) -> Scalar:
    if word.startswith("'"):
        return unquote(word)
    if word in _WORDS:
        return _WORDS[word]
    return int(word) if _NUMBER.fullmatch(word) else float(word)


def unquote(word: str) -> str:
    """The text of a string or the name in backticks; a name without them as it is."""
    if word.startswith("`"):
        return word[1:-1].replace("``", "`")
    if word.startswith("'"):
        return _ESCAPED.sub(_unescape, word[1:-1])
    return word


def _unescape(match: re.Match[str]) -> str:
    code, plain = match.groups()
    return chr(int(code, 16)) if code else _PLAIN.get(plain, plain)


def expect_cypher(one: Node | Edge) -> Iterator[Item]:
    """What the script must make of a node or an edge."""
    told = {name: _typed_text(value) for name, value in one.properties.items()}
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
    nodes = _pattern("corpus/create_nodes", labels=rf"{NAME}(?::{NAME})*")
    edges = _pattern("corpus/create_edges", start=NAME, end=NAME, type=NAME)
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
    labels = [unquote(name) for name in re.findall(NAME, found["labels"])]
    reads = parse_map(found["map"])
    for fields in _rows(found["rows"]):
        held = {name: read(fields) for name, read in reads.items()}
        told = {name: _typed_text(value) for name, value in held.items()}
        yield Item(nodes_table(labels[0]), (str(held["id"]), *labels), told)


def _edges(found: re.Match[str]) -> Iterator[Item]:
    start, end, type_ = (unquote(found[name]) for name in ("start", "end", "type"))
    reads = parse_map(found["map"])
    for fields in _rows(found["rows"]):
        told = {name: _typed_text(read(fields)) for name, read in reads.items()}
        yield Item(edges_table(type_), (start, fields[0], end, fields[1]), told)


def _rows(text: str) -> Iterator[list[str]]:
    return (row.split(FIELD) for row in unquote(text).split(ROW))


def _typed_text(value: Value) -> str:
    """A value with its type, so that 1 and 1.0 and "1" differ."""
    if isinstance(value, list):
        return f"list {[_typed_text(item) for item in value]!r}"
    return f"{type(value).__name__} {value.isoformat() if isinstance(value, date) else repr(value)}"
