"""An exported Cypher script read back: what its statements would make, a statement at a time.

The maps of properties in an exported Cypher script taken apart again: the other way of `cypher_literals`.

Only what an export writes is understood: literals, and what reads a value out of the fields of a row.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from datetime import date, datetime
from pathlib import Path

from kg.errors import InputError
from kg.queries import area_queries, query
from services.exports.cypher_literals import FIELD, ITEM, ROW
from services.exports.graph_account import Item, edges_table, nodes_table
from services.exports.graph_content import Edge, Node, Scalar, Value
from services.exports.graph_cypher import FILE, one_line

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

Read = Callable[[Sequence[str]], Value]
"""A value out of the fields of a row."""


def parse_map(text: str) -> dict[str, Read]:
    """How each property of a map is read.

    Raises:
        ValueError, LookupError: it is no map of ours.
    """
    words = _Words(text)
    reads: dict[str, Read] = {}
    words.take("{")
    while not words.taken("}"):
        name = unquoted(words.next())
        words.take(":")
        reads[name] = _expression(words)
        words.taken(",")
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

    def taken(self, word: str) -> bool:
        """Go over a word if it comes."""
        comes = self._found[self._at] == word
        self._at += comes
        return comes


def _expression(words: _Words) -> Read:
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


def _split(words: _Words) -> Read:
    words.take("(")
    inner = _expression(words)
    words.take(",")
    if unquoted(words.next()) != ITEM:
        raise ValueError("a list is split at something else")
    words.take(")")
    return lambda fields: [*str(inner(fields)).split(ITEM)]


def _list(words: _Words) -> Read:
    """`[x IN split(...) | toFloat(x)]`, or a list of literals."""
    if words.taken("x"):
        words.take("IN")
        words.take("split")
        inner = _split(words)
        words.take("|")
        call = _CALLS[words.next()]
        for expected in ("(", "x", ")", "]"):
            words.take(expected)
        return lambda fields: [call(item) for item in _items(inner(fields))]
    reads: list[Read] = []
    while not words.taken("]"):
        reads.append(_expression(words))
        words.taken(",")
    return lambda fields: [_scalar(read(fields)) for read in reads]


def _items(value: Value) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _scalar(value: Value) -> Scalar:
    if isinstance(value, list):
        raise ValueError("a list holds a list")
    return value


def _literal(word: str) -> Scalar:
    if word.startswith("'"):
        return unquoted(word)
    if word in _WORDS:
        return _WORDS[word]
    return int(word) if _NUMBER.fullmatch(word) else float(word)


def unquoted(word: str) -> str:
    """The text of a string or the name in backticks; a name without them as it is."""
    if word.startswith("`"):
        return word[1:-1].replace("``", "`")
    if word.startswith("'"):
        return _ESCAPED.sub(_unescaped, word[1:-1])
    return word


def _unescaped(match: re.Match[str]) -> str:
    code, plain = match.groups()
    return chr(int(code, 16)) if code else _PLAIN.get(plain, plain)


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
