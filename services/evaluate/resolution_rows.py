"""Readers of resolution gold: the seed's aliases and expressions in context, and kg_rag's resolved aliases.

Three formats, told apart by their fields:

    seed-aliases     {"name", "aliases": [{"alias", "articles"}]}: other names of an entity
    seed-contextual  {"expression", "entity", "articles"}: a description that stands for it in some articles
    kg_rag           {"canonical_name", "type", "aliases": [{"surface", "count", "chunks"}]}: merged surfaces
"""

import json
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Literal, TypeVar, get_args

from pydantic import BaseModel, ValidationError

from kg.errors import InputError
from services.evaluate.gold_formats import read_gold_text

Format = Literal["seed-aliases", "seed-contextual", "kg_rag"]
FORMATS: tuple[Format, ...] = get_args(Format)

_REMEDY = "Give a gold file as JSON lines, for example seed/gold/aliases.jsonl."


class Alias(BaseModel, frozen=True):
    """Another name of an entity, and the articles that use it."""

    alias: str
    articles: list[str]


class AliasRow(BaseModel, frozen=True):
    """A row of seed-aliases."""

    name: str
    aliases: list[Alias]


class ExpressionRow(BaseModel, frozen=True):
    """A row of seed-contextual."""

    expression: str
    entity: str
    articles: list[str]


class Surface(BaseModel, frozen=True):
    """A way in which chunks write a name, and how often."""

    surface: str
    count: int
    chunks: list[str]


class SurfaceRow(BaseModel, frozen=True):
    """A row of kg_rag's resolved aliases."""

    canonical_name: str
    type: str
    aliases: list[Surface]


RowType = TypeVar("RowType", AliasRow, ExpressionRow, SurfaceRow)

_KINDS: Mapping[Format, type[AliasRow | ExpressionRow | SurfaceRow]] = {
    "seed-aliases": AliasRow,
    "seed-contextual": ExpressionRow,
    "kg_rag": SurfaceRow,
}


def detect_format(path: Path) -> Format:
    """The format of a gold file, from the fields of its first row.

    Raises:
        InputError: the file can't be read, holds no row, or is of no format that is known.
    """
    first = next((row for _, row in _objects(path)), None)
    if first is None:
        raise InputError(f"{path} holds no row.", _REMEDY)
    for name, kind in _KINDS.items():
        if kind.model_fields.keys() <= first.keys():
            return name
    raise InputError(
        f"{path} has rows of no format that is known here.",
        f"Give one of {', '.join(FORMATS)} with --format to hear what they lack.",
    )


def read_rows(path: Path, kind: type[RowType]) -> list[RowType]:
    """The rows of a gold file of one kind.

    Raises:
        InputError: the file can't be read or holds no row, or a row lacks a field or has a wrong value.
    """
    rows = [_check_row(path, number, row, kind) for number, row in _objects(path)]
    if not rows:
        raise InputError(f"{path} holds no row.", _REMEDY)
    return rows


def _check_row(path: Path, number: int, row: Mapping[str, object], kind: type[RowType]) -> RowType:
    name = next(name for name, known in _KINDS.items() if known is kind)
    if lacking := sorted(kind.model_fields.keys() - row.keys()):
        raise InputError(
            f"{path}:{number}: a row of {name} lacks {', '.join(lacking)}.", "Choose another --format."
        )
    try:
        return kind.model_validate(row)
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        where = ".".join(map(str, first["loc"]))
        raise InputError(
            f"{path}:{number}: {where} of this row of {name} can't be used: {first['msg']}.",
            "Mend the row, or choose another --format.",
        ) from error


def _objects(path: Path) -> Iterator[tuple[int, Mapping[str, object]]]:
    """The JSON objects of a file with the numbers of their lines."""
    # Only line feeds part rows: JSON text may hold other separators as they are.
    for number, line in enumerate(read_gold_text(path, _REMEDY).split("\n"), 1):
        if not line.strip():
            continue
        try:
            row = json.loads(line)
        except json.JSONDecodeError as error:
            raise InputError(
                f"{path}:{number}: not JSON ({error.msg}).", "Give one object a line."
            ) from error
        if not isinstance(row, dict):
            raise InputError(f"{path}:{number}: not a JSON object.", "Give one object a line.")
        yield number, row
