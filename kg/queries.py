"""The only reader of `cypher/`: a statement a file, with a header that is checked.

    // What the statement does, in a sentence.
    // params: corpus: STRING, rows: LIST<MAP>
    // returns: id: STRING, hops: INTEGER
    // mode: read
    CYPHER 25
    MATCH ...

`params` and `returns` may be `none`. `mode` is `read` or `write`; `write alone` marks a statement that
must run outside a transaction (CALL ... IN TRANSACTIONS). A line `//   ...` goes on with the line above it.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal, cast, get_args

from kg.errors import QueryFileError
from kg.files import bundled_folder

Mode = Literal["read", "write", "write alone"]
_FIELD = re.compile(r"^(params|returns|mode):\s*(.*)$")
_USED = re.compile(r"\$(\w+)")
_EXAMPLES = {"STRING": "a", "INTEGER": 1, "FLOAT": 0.5, "BOOLEAN": True, "MAP": {"a": 1}}


@dataclass(frozen=True, slots=True)
class Query:
    """A statement with its contract: purpose, parameters and columns with their types, and mode."""

    name: str
    text: str
    purpose: str
    params: dict[str, str]
    returns: dict[str, str]
    mode: Mode

    def check(self, given: dict[str, object]) -> None:
        """Refuse a call with a missing or an unknown parameter.

        Raises:
            QueryFileError: naming the statement and the parameters.
        """
        if given.keys() != self.params.keys():
            missing = sorted(self.params.keys() - given.keys())
            unknown = sorted(given.keys() - self.params.keys())
            raise QueryFileError(f"{self.name}: missing parameters {missing}, unknown parameters {unknown}.")

    def examples(self) -> dict[str, object]:
        """A value for each parameter, of its declared type where that is a plain one or a list, else None."""
        return {name: _example(kind) for name, kind in self.params.items()}


def _example(kind: str) -> object:
    inner = kind.removeprefix("LIST<")
    return _EXAMPLES.get(kind) if inner == kind else [_example(inner.removesuffix(">"))]


@cache
def query(name: str) -> Query:
    """The statement in `cypher/<name>.cypher`, for example `query("chunks/write_chunks")`.

    Raises:
        QueryFileError: there is no such file, or its header breaks the rules.
    """
    path = bundled_folder("cypher") / f"{name}.cypher"
    if not path.is_file():
        raise QueryFileError(f"there is no statement cypher/{name}.cypher.")
    return parse_query(name, path.read_text(encoding="utf-8"))


def all_queries() -> Iterator[Query]:
    """Every statement under `cypher/`, in the order of their names."""
    folder = bundled_folder("cypher")
    for path in sorted(folder.rglob("*.cypher")):
        yield query(_name(folder, path))


def area_queries(area: str) -> Iterator[Query]:
    """Every statement of one area, in the order of their names."""
    folder = bundled_folder("cypher")
    for path in sorted((folder / area).glob("*.cypher")):
        yield query(_name(folder, path))


def parse_query(name: str, source: str) -> Query:
    """A statement from a file's text.

    Raises:
        QueryFileError: the header breaks the rules.
    """
    header, text = _split(source)
    purpose: list[str] = []
    fields: dict[str, str] = {}
    last = ""
    for line in header:
        match = _FIELD.match(line.strip())
        if match:
            last = match[1]
            fields[last] = match[2].strip()
        elif last:
            fields[last] += " " + line.strip()
        else:
            purpose.append(line.strip())
    if not purpose or fields.keys() != {"params", "returns", "mode"}:
        raise QueryFileError(f"cypher/{name}.cypher: the header needs a purpose, params, returns and mode.")
    if fields["mode"] not in get_args(Mode):
        raise QueryFileError(
            f"cypher/{name}.cypher: mode is {fields['mode']!r}, not one of {get_args(Mode)}."
        )
    params = _parse_types(name, fields["params"])
    used = set(_USED.findall(text))
    if used != params.keys():
        raise QueryFileError(
            f"cypher/{name}.cypher: declares {sorted(params)} but uses {sorted(used)} as parameters."
        )
    return Query(
        name=name,
        text=text,
        purpose=" ".join(purpose),
        params=params,
        returns=_parse_types(name, fields["returns"]),
        mode=cast(Mode, fields["mode"]),
    )


def _name(folder: Path, path: Path) -> str:
    return path.relative_to(folder).with_suffix("").as_posix()


def _split(source: str) -> tuple[list[str], str]:
    lines = source.splitlines()
    size = next((i for i, line in enumerate(lines) if not line.startswith("//")), len(lines))
    return [line[2:] for line in lines[:size]], "\n".join(lines[size:]).strip().rstrip(";")


def _parse_types(name: str, listing: str) -> dict[str, str]:
    if listing == "none":
        return {}
    out: dict[str, str] = {}
    for part in listing.split(","):
        key, colon, kind = part.partition(":")
        if not colon or not key.strip().isidentifier() or not kind.strip():
            raise QueryFileError(f"cypher/{name}.cypher: {part.strip()!r} is not 'name: TYPE'.")
        out[key.strip()] = kind.strip()
    return out
