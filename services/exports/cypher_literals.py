"""Values as Cypher writes them, and as fields of a string that Cypher takes apart."""

import math
import re
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import date, datetime

from services.exports.graph_content import Scalar, Value

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
class Packed:
    """Properties as fields, and the map in Cypher that reads them from the list `f`.

    `shared` says whether other properties of the same names and types have the same map; a value that no
    field can hold stands in the map itself.
    """

    map: str
    fields: tuple[str, ...]
    shared: bool


def packed(properties: Mapping[str, Value], first: int = 0) -> Packed:
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
    return Packed("{" + ", ".join(entries) + "}", tuple(fields), shared)


def literal(value: Value) -> str:
    """A value as Cypher writes it; a string is always inside single quotes and on one line."""
    if isinstance(value, list):
        return f"[{', '.join(map(literal, value))}]"
    if isinstance(value, str):
        return quoted(value)
    if isinstance(value, float) and not math.isfinite(value):
        return "NaN" if math.isnan(value) else ("Infinity" if value > 0 else "-Infinity")
    if isinstance(value, date):
        return _READ[type(value)].format(quoted(value.isoformat()))
    return _text(value)


def quoted(text: str) -> str:
    """A string of Cypher: control characters are escaped, everything else stands as it is."""
    return f"'{_SPECIAL.sub(_escaped, text)}'"


def key_name(name: str) -> str:
    """The name of a property, a label or a type, in backticks where it needs them."""
    return name if _PLAIN_NAME.fullmatch(name) else "`" + name.replace("`", "``") + "`"


def _escaped(match: re.Match[str]) -> str:
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
