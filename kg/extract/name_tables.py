"""Word lists that lie beside this package as text files."""

from collections.abc import Iterator, Mapping
from functools import cache
from importlib.resources import files
from types import MappingProxyType
from typing import Literal, get_args

from kg.model import EntityType

Gender = Literal["m", "f"]

_TYPES: Mapping[str, EntityType] = MappingProxyType({kind: kind for kind in get_args(EntityType)})


@cache
def countries() -> Mapping[str, str]:
    """Country by demonym or short form ("French" -> "France")."""
    table: dict[str, str] = {}
    for line in _lines("demonyms.txt"):
        adjective, _, country = line.partition(": ")
        table[adjective] = country
    return MappingProxyType(table)


@cache
def sovereign() -> frozenset[str]:
    """The countries' names."""
    return frozenset(countries().values())


@cache
def states() -> frozenset[str]:
    """The names of countries and of large parts of countries, in which other places lie."""
    return sovereign() | set(_places("STATE"))


@cache
def places() -> Mapping[str, EntityType]:
    """Type by name, of countries and of other places that are known without the article."""
    table: dict[str, EntityType] = dict.fromkeys((*states(), *_places("TOWN")), "GPE")
    table.update(dict.fromkeys(_places("LOC"), "LOC"))
    return MappingProxyType(table)


def _places(wanted: str) -> Iterator[str]:
    for line in _lines("places.txt"):
        kind, _, names = line.partition(" ")
        if kind == wanted:
            yield from (name.strip() for name in names.split(";"))


@cache
def genders() -> Mapping[str, Gender]:
    """Grammatical gender by given name, for names that have only one."""
    table: dict[str, Gender] = {}
    for line in _lines("given_names.txt"):
        mark, *names = line.split()
        gender: Gender = "m" if mark == "m" else "f"
        table.update(dict.fromkeys(names, gender))
    return MappingProxyType(table)


@cache
def name_words() -> tuple[Mapping[str, EntityType], Mapping[str, EntityType]]:
    """Type by the last word of a name ("River") and by its first ones ("Mount", "Battle of")."""
    ends: dict[str, EntityType] = {}
    starts: dict[str, EntityType] = {}
    for line in _lines("name_words.txt"):
        where, kind, *words = line.split()
        table = ends if where == "end" else starts
        table.update(dict.fromkeys((word.replace("_", " ") for word in words), _TYPES[kind]))
    return MappingProxyType(ends), MappingProxyType(starts)


def _lines(name: str) -> list[str]:
    text = (files("kg.extract") / "data" / name).read_text(encoding="utf-8")
    return [line.strip() for line in text.splitlines() if line.strip() and not line.startswith("#")]
