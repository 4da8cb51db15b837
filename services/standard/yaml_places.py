"""The lines of a YAML file at which its fields stand; one with aliases is refused.

Aliases of aliases let a few bytes say millions of fields, and a protocol that names things by reference is
hard to read for those who hold a comparison to it.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

import yaml

Place = tuple[str | int, ...]
"""Where something stands in a document: names of fields and numbers in lists, from 0."""


@dataclass(frozen=True, slots=True)
class Repeated:
    """A name that a part of the file has twice, of which YAML would take the last without a word."""

    place: Place
    line: int


@dataclass(frozen=True, slots=True)
class Places:
    """The line of every field and item, from 1, and the names that stand twice."""

    lines: Mapping[Place, int]
    repeated: tuple[Repeated, ...]

    def line(self, place: Place) -> int | None:
        """The line of a place, or of the nearest part around it that the file has."""
        for end in range(len(place), 0, -1):
            if place[:end] in self.lines:
                return self.lines[place[:end]]
        return None


class AliasError(yaml.YAMLError):
    """A YAML text has an alias, `name`, in line `line`, from 1, if that is known."""

    def __init__(self, name: str, line: int | None) -> None:
        super().__init__(f"an alias (*{name}) can't be used; write it out")
        self.name = name
        self.line = line


def yaml_places(text: str) -> Places:
    """Where everything stands in a YAML text.

    Raises:
        AliasError: it has an alias.
        yaml.YAMLError: it is no YAML.
    """
    for event in yaml.parse(text, Loader=yaml.SafeLoader):
        if isinstance(event, yaml.AliasEvent):
            mark = event.start_mark
            raise AliasError(str(event.anchor), None if mark is None else mark.line + 1)
    root = yaml.compose(text, Loader=yaml.SafeLoader)
    lines: dict[Place, int] = {}
    repeated: list[Repeated] = []
    for place, line in _walk((), root) if root is not None else ():
        if place in lines:
            repeated.append(Repeated(place, line))
        lines[place] = line
    return Places(lines, tuple(repeated))


def _walk(place: Place, node: yaml.Node) -> Iterator[tuple[Place, int]]:
    match node:
        case yaml.MappingNode(value=pairs):
            for key, value in pairs:
                inner = (*place, str(key.value))
                yield inner, key.start_mark.line + 1
                yield from _walk(inner, value)
        case yaml.SequenceNode(value=items):
            for number, item in enumerate(items):
                yield (*place, number), item.start_mark.line + 1
                yield from _walk((*place, number), item)
