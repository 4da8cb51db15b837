"""Word lists that lie beside this package as text files."""

from collections.abc import Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal

Gender = Literal["m", "f"]


@cache
def countries() -> Mapping[str, str]:
    """Country by demonym or short form ("French" -> "France")."""
    table: dict[str, str] = {}
    for line in _lines("demonyms.txt"):
        adjective, _, country = line.partition(": ")
        table[adjective] = country
    return MappingProxyType(table)


@cache
def genders() -> Mapping[str, Gender]:
    """Grammatical gender by given name, for names that have only one."""
    table: dict[str, Gender] = {}
    for line in _lines("given_names.txt"):
        mark, *names = line.split()
        gender: Gender = "m" if mark == "m" else "f"
        table.update(dict.fromkeys(names, gender))
    return MappingProxyType(table)


def _lines(name: str) -> list[str]:
    text = (files("kg.extract") / "data" / name).read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
