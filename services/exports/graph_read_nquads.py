"""An export of N-Quads read back, a line at a time."""

import json
import re
from collections.abc import Iterator
from datetime import date, datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple
from urllib.parse import unquote

from kg.errors import InputError
from services.exports.graph_account import Item, edges_table, nodes_table
from services.exports.graph_content import Edge, Node, Value
from services.exports.graph_nquads import FILE, TERM

_LINE = re.compile(
    r'<(?P<subject>[^>]*)> <(?P<predicate>[^>]*)> (?:<(?P<object>[^>]*)>|"(?P<text>[^"\\]*(?:\\.[^"\\]*)*)"'
    r"(?:\^\^<(?P<type>[^>]*)>)?) <(?P<graph>[^>]*)> \.\n"
)
_ESCAPED = re.compile(r"\\(?:u([0-9A-F]{4})|(.))")
_PLAIN = {"n": "\n", "r": "\r", "t": "\t", "b": "\b", "f": "\f"}
_NOT_FINITE = {"inf": "INF", "-inf": "-INF", "nan": "NaN"}
_IN_NAME = re.compile(r"[#/:](?!.*[#/:])")
_STATEMENT = "Statement"


class _Quad(NamedTuple):
    """A line; `text` is its literal and `type` the end of that one's datatype, or there is an `object`."""

    subject: str
    predicate: str
    object: str | None
    text: str
    type: str


def expect_nquads(one: Node | Edge) -> Iterator[Item]:
    """What a reader must find: a node, or an edge's triple and, where it holds something, its statement."""
    told = {name: _told(value) for name, value in one.properties.items()}
    if isinstance(one, Node):
        yield Item(nodes_table(one.kind), (one.id, *one.labels), told)
        return
    yield Item(edges_table(one.type), (one.start, one.end))
    if told:
        yield Item(_statements(one.type), (one.id, one.start, one.end), told)


def read_nquads(folder: Path) -> Iterator[Item]:
    """The nodes, triples of edges and statements of `graph.nq`; memory holds those of one subject.

    Raises:
        InputError: a line is not one that this export writes.
    """
    for subject, quads in groupby(_quads(folder / FILE), key=lambda quad: quad.subject):
        classes: list[str] = []
        told: dict[str, str] = {}
        ends: dict[str, str] = {}
        for quad in quads:
            name = _name(quad.predicate)
            if quad.object is None:
                told[name] = f"{quad.type} {quad.text}"
            elif quad.predicate.startswith(TERM):
                yield Item(edges_table(name), (_name(subject), _name(quad.object)))
            elif name == "type":
                classes.append(_name(quad.object))
            else:
                ends[name] = _name(quad.object)
        if classes == [_STATEMENT]:
            key = (_name(subject), ends.get("subject", ""), ends.get("object", ""))
            yield Item(_statements(ends.get("predicate", "")), key, told)
        elif classes:
            yield Item(nodes_table(classes[0]), (_name(subject), *classes), told)


def _statements(type_: str) -> str:
    return f"{type_} statements"


def _told(value: Value) -> str:
    """A value as the end of its datatype and its text."""
    if isinstance(value, list):
        plain = [item.isoformat() if isinstance(item, date) else item for item in value]
        return f"JSON {json.dumps(plain, ensure_ascii=False)}"
    if isinstance(value, bool):
        return f"boolean {str(value).lower()}"
    if isinstance(value, int):
        return f"integer {value}"
    if isinstance(value, float):
        return f"double {_NOT_FINITE.get(repr(value), repr(value))}"
    if isinstance(value, str):
        return f"string {value}"
    return f"{'dateTime' if isinstance(value, datetime) else 'date'} {value.isoformat()}"


def _quads(path: Path) -> Iterator[_Quad]:
    try:
        with path.open(encoding="utf-8", newline="\n") as file:
            for number, line in enumerate(file, start=1):
                found = _LINE.fullmatch(line)
                if found is None:
                    raise InputError(f"{path}:{number} is not a quad of ours.", "Export the graph anew.")
                text = _ESCAPED.sub(_unescaped, found["text"] or "")
                type_ = _name(found["type"]) if found["type"] else "string"
                yield _Quad(found["subject"], found["predicate"], found["object"], text, type_)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read: {error}.", "Export the graph anew.") from error


def _unescaped(match: re.Match[str]) -> str:
    code, plain = match.groups()
    return chr(int(code, 16)) if code else _PLAIN.get(plain, plain)


def _name(iri: str) -> str:
    """The name at the end of an IRI: in our own spaces it is percent-encoded, so that no colon is in it."""
    return unquote(_IN_NAME.split(iri, maxsplit=1)[-1])
