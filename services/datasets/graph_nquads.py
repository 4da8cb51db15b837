"""A graph as RDF 1.1 N-Quads, in one named graph, with the vocabulary as N-Triples beside it.

Every edge is a triple between its nodes. An edge that holds something is a resource as well: an
`rdf:Statement` with subject, predicate and object, and its properties. Lists are JSON (`rdf:JSON`), since RDF
keeps neither the order nor the number of a property's values.

An export of N-Quads read back, a line at a time.
"""

import json
import re
from collections.abc import Iterable, Iterator, Mapping
from datetime import date, datetime
from itertools import groupby
from pathlib import Path
from typing import NamedTuple, TextIO
from urllib.parse import quote, unquote

from kg.errors import InputError
from services.datasets.folder import ExportWriter, Item, edges_table, nodes_table
from services.datasets.graph_content import EDGES, NODES, Column, Columns, Edge, GraphData, Node, Value

FILE = "graph.nq"
VOCABULARY = "vocabulary.nt"
NODE = "urn:hopgrade:node:"
EDGE = "urn:hopgrade:edge:"
TERM = "urn:hopgrade:vocab:"
GRAPH = "urn:hopgrade:corpus:"
"""Classes are written like Entity, edges like HAS_CHUNK, properties like published_at."""

_RDF = "http://www.w3.org/1999/02/22-rdf-syntax-ns#"
_RDFS = "http://www.w3.org/2000/01/rdf-schema#"
_XSD = "http://www.w3.org/2001/XMLSchema#"
_DATATYPES: Mapping[str, str] = {
    "string": f"{_XSD}string",
    "integer": f"{_XSD}integer",
    "float": f"{_XSD}double",
    "boolean": f"{_XSD}boolean",
    "datetime": f"{_XSD}dateTime",
    "date": f"{_XSD}date",
}
_JSON = f"{_RDF}JSON"
_LABELS = frozenset({"name", "title"})
_ESCAPES = {'"': '\\"', "\\": "\\\\", "\n": "\\n", "\r": "\\r", "\t": "\\t", "\b": "\\b", "\f": "\\f"}
_SPECIAL = re.compile('["\\\\\x00-\x1f\x7f-\x9f\u2028\u2029\ufffe\uffff]')


def write_nquads(writer: ExportWriter, data: GraphData) -> None:
    """Write the files `graph.nq` and `vocabulary.nt`."""
    with writer.text(FILE) as file:
        end = f" {iri(GRAPH, data.corpus)} .\n"
        for node in data.nodes:
            subject = iri(NODE, node.id)
            for label in node.labels:
                _write(file, subject, f"<{_RDF}type>", iri(TERM, label), end)
            _write_properties(file, subject, node.properties, end)
        for edge in data.edges:
            triple = (iri(NODE, edge.start), iri(TERM, edge.type), iri(NODE, edge.end))
            _write(file, *triple, end)
            if edge.properties:
                subject = iri(EDGE, edge.id)
                _write(file, subject, f"<{_RDF}type>", f"<{_RDF}Statement>", end)
                for place, value in zip(("subject", "predicate", "object"), triple, strict=True):
                    _write(file, subject, f"<{_RDF}{place}>", value, end)
                _write_properties(file, subject, edge.properties, end)
    with writer.text(VOCABULARY) as file:
        _write_vocabulary(file, data.columns)


def iri(space: str, name: str) -> str:
    """A name in one of our spaces, as an IRI; what an IRI can't hold is percent-encoded."""
    return f"<{space}{quote(name, safe='')}>"


def term(value: Value) -> str:
    """A value as an RDF literal in its canonical form."""
    if isinstance(value, bool):
        return _literal("true" if value else "false", "boolean")
    if isinstance(value, str):
        return _quote(value)
    if isinstance(value, float):
        return _literal({"inf": "INF", "-inf": "-INF", "nan": "NaN"}.get(repr(value), repr(value)), "float")
    if isinstance(value, int):
        return _literal(str(value), "integer")
    if isinstance(value, list):
        plain = [item if isinstance(item, bool | int | float | str) else item.isoformat() for item in value]
        return f"{_quote(json.dumps(plain, ensure_ascii=False))}^^<{_JSON}>"
    return _literal(value.isoformat(), "datetime" if isinstance(value, datetime) else "date")


def _literal(text: str, kind: str) -> str:
    return f"{_quote(text)}^^<{_DATATYPES[kind]}>"


def _quote(text: str) -> str:
    return f'"{_SPECIAL.sub(_escape, text)}"'


def _escape(match: re.Match[str]) -> str:
    return _ESCAPES.get(match[0]) or f"\\u{ord(match[0]):04X}"


def _write_properties(file: TextIO, subject: str, properties: Mapping[str, Value], end: str) -> None:
    for name, value in properties.items():
        _write(file, subject, iri(TERM, name), term(value), end)


def _write(file: TextIO, subject: str, predicate: str, value: str, end: str = " .\n") -> None:
    file.write(f"{subject} {predicate} {value}{end}")


def _write_vocabulary(file: TextIO, columns: Columns) -> None:
    for kind in columns.nodes:
        _declare(file, kind, f"{_RDFS}Class", NODES.get(kind))
    for kind in columns.edges:
        _declare(file, kind, f"{_RDF}Property", EDGES.get(kind))
    found = {column.name: column for kinds in (columns.nodes, columns.edges) for column in _all(kinds)}
    for name in sorted(found):
        _declare(file, name, f"{_RDF}Property", None)
        if name in _LABELS:
            _write(file, iri(TERM, name), f"<{_RDFS}subPropertyOf>", f"<{_RDFS}label>")


def _declare(file: TextIO, name: str, class_: str, comment: str | None) -> None:
    _write(file, iri(TERM, name), f"<{_RDF}type>", f"<{class_}>")
    _write(file, iri(TERM, name), f"<{_RDFS}label>", _quote(name))
    if comment is not None:
        _write(file, iri(TERM, name), f"<{_RDFS}comment>", _quote(comment))


def _all(kinds: Mapping[str, tuple[Column, ...]]) -> Iterable[Column]:
    return (column for columns in kinds.values() for column in columns)


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
    told = {name: _typed_text(value) for name, value in one.properties.items()}
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


def _typed_text(value: Value) -> str:
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
                text = _ESCAPED.sub(_unescape, found["text"] or "")
                type_ = _name(found["type"]) if found["type"] else "string"
                yield _Quad(found["subject"], found["predicate"], found["object"], text, type_)
    except (OSError, UnicodeDecodeError) as error:
        raise InputError(f"{path} can't be read: {error}.", "Export the graph anew.") from error


def _unescape(match: re.Match[str]) -> str:
    code, plain = match.groups()
    return chr(int(code, 16)) if code else _PLAIN.get(plain, plain)


def _name(iri: str) -> str:
    """The name at the end of an IRI: in our own spaces it is percent-encoded, so that no colon is in it."""
    return unquote(_IN_NAME.split(iri, maxsplit=1)[-1])
