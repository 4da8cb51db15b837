"""The page about `standard.yaml`, from the protocol that it is checked against."""

import re
from collections.abc import Iterator, Mapping
from typing import Any

from services.comparison.protocol import Protocol
from tests.docs.markdown import WRITTEN, joined, page, table

MOST_COUNTED = 10**9
"""A bound so large that it bounds nothing; a seed has one too."""


def standard_file() -> str:
    """Every field of a protocol with what it may hold, its default and its meaning."""
    schema = Protocol.model_json_schema()
    parts = {name: part["$ref"].rsplit("/", 1)[-1] for name, part in _parts(schema)}
    lines = [
        "# standard.yaml",
        WRITTEN,
        "The protocol of a judged comparison: the file that `kg standard init` writes, to be edited before "
        "`kg standard run` locks it. A field that isn't here is refused, and so is a value that doesn't fit, "
        "with its line. [Judged comparisons](../explanation/standard.md) says why there is one, "
        "[how to make one](../how-to/judged-comparison.md) shows it at work.",
        *_table(schema, parts),
    ]
    for name, definition in parts.items():
        part = schema["$defs"][definition]
        lines += [f"## {name}", joined(part["description"].split("\n\n")[0]), *_table(part, {})]
    return page(lines)


def _parts(schema: Mapping[str, Any]) -> Iterator[tuple[str, Mapping[str, str]]]:
    seen = set()
    for name, field in schema["properties"].items():
        place = field.get("items", field)
        if "$ref" in place and place["$ref"] not in seen:
            seen.add(place["$ref"])
            yield name, place


def _table(part: Mapping[str, Any], parts: Mapping[str, str]) -> Iterator[str]:
    required = part.get("required", ())
    places = {definition: name for name, definition in parts.items()}
    rows = (
        (
            f"`{name}`",
            _held(field, places),
            "required" if name in required else "" if _is_part(field) else _default(field),
            field.get("description", ""),
        )
        for name, field in part["properties"].items()
    )
    return table(("field", "what it holds", "default", "meaning"), rows)


def _held(field: Mapping[str, Any], places: Mapping[str, str]) -> str:
    """What a field holds, with a link to the fields of a part."""
    many = field.get("type") == "array"
    place = field["items"] if many else field
    if "$ref" not in place:
        return _list(field) if many else _kind(field)
    name = places[place["$ref"].rsplit("/", 1)[-1]]
    least = f", {field['minItems']} or more" if many else ""
    return f"[{name}](#{name}){least}"


def _is_part(field: Mapping[str, Any]) -> bool:
    return "$ref" in field or isinstance(field.get("default"), dict)


def _default(field: Mapping[str, Any]) -> str:
    default = field.get("default")
    return "none" if default in (None, "", []) else f"`{default}`"


def _list(field: Mapping[str, Any]) -> str:
    most = f", {field['maxItems']} at most" if "maxItems" in field else ""
    return f"list, each a {_kind(field['items'])}{most}"


def _kind(field: Mapping[str, Any]) -> str:
    if "anyOf" in field:
        return f"{_kind(field['anyOf'][0])}, or nothing"
    choices = [field["const"]] if "const" in field else field.get("enum", ())
    if choices:
        return ", ".join(f"`{choice}`" for choice in choices)
    match field:
        case {"type": "integer" | "number" as kind, **others}:
            return f"{'whole number' if kind == 'integer' else 'number'}{_bounds(others)}"
        case {"pattern": str(pattern)}:
            return _name(pattern)
    return "text"


def _name(pattern: str) -> str:
    """What may stand in a name of this pattern, in words: `^\\w[\\w.-]{0,19}$`."""
    marks, more = re.fullmatch(r"\^\\w\[\\w(.*)\]\{0,(\d+)\}\$", pattern).groups()  # type: ignore[union-attr]
    return f"name of up to {int(more) + 1} letters, digits, and any of `_{marks}`"


def _bounds(field: Mapping[str, Any]) -> str:
    least, most = field.get("minimum"), field.get("maximum")
    above, below = field.get("exclusiveMinimum"), field.get("exclusiveMaximum")
    if above is not None and below is not None:
        return f" above {above} and below {below}"
    if least is None or most is None:
        return ""
    return f", {least:,} or more" if most >= MOST_COUNTED else f" from {least:,} to {most:,}"
