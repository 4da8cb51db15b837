"""The protocol as a file, `standard.yaml`: read with every mistake at its line.

How it is written is in `services.comparison.beginning`.

The lines of a YAML file at which its fields stand; one with aliases is refused.

Aliases of aliases let a few bytes say millions of fields, and a protocol that names things by reference is
hard to read for those who hold a comparison to it.

What is wrong with a field of a protocol, in words of the file rather than of the schema's library.
"""

import re
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import date
from difflib import get_close_matches
from pathlib import Path
from typing import TYPE_CHECKING, cast

import yaml
from pydantic import BaseModel, ValidationError

from kg.errors import InputError, command
from services.comparison.folder import PROTOCOL_FILE
from services.comparison.protocol import (
    Answering,
    Budget,
    Calibration,
    CandidatePool,
    Dataset,
    Hypothesis,
    Inference,
    Judge,
    Protocol,
    Seeds,
    SystemUnderTest,
)

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

Place = tuple[str | int, ...]
"""Where something stands in a document: names of fields and numbers in lists, from 0."""


@dataclass(frozen=True, slots=True)
class Places:
    """The line of every field and item, from 1.

    `repeated` are the places and lines of names that stand twice, of which YAML would take the last without
    a word.
    """

    lines: Mapping[Place, int]
    repeated: tuple[tuple[Place, int], ...]

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
    repeated: list[tuple[Place, int]] = []
    for place, line in _walk((), root) if root is not None else ():
        if place in lines:
            repeated.append((place, line))
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


_PARTS: Mapping[str, type[BaseModel]] = {
    "": Protocol,
    "dataset": Dataset,
    "pool": CandidatePool,
    "budget": Budget,
    "generator": Answering,
    "judge": Judge,
    "second_judge": Judge,
    "calibration": Calibration,
    "systems": SystemUnderTest,
    "hypotheses": Hypothesis,
    "inference": Inference,
    "seeds": Seeds,
}
"""The parts of a protocol, by the field that holds them."""

_LIMITS: Mapping[str, tuple[str, str]] = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "above"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "below"),
}
_KINDS: Mapping[str, str] = {
    "int": "a whole number",
    "float": "a number",
    "string": "a text; put it into quotes",
    "tuple": "a list",
    "list": "a list",
    "model": "fields with values, indented below it",
    "dict": "fields with values, indented below it",
}
"""What is wanted, by the first word of the library's name for the mistake."""

_HYPOTHESIS = re.compile(r"^(?:Value error, )?hypothesis (\S+) ")


def mistake_of(wrong: "ErrorDetails", said: object) -> tuple[Place, str]:
    """Where a mistake stands in a document, and what it is, as part of a sentence."""
    place = tuple(wrong["loc"])
    if wrong["type"] == "invalid_key":
        return (*place[:-1], str(place[-1])), "there is no such field; names of fields are texts"
    if wrong["type"] == "value_error":
        return _about_several(place, wrong["msg"].removeprefix("Value error, "), said)
    make = _TOLD.get(wrong["type"])
    if make is not None:
        return place, make(wrong)
    if wrong["type"] in _LIMITS:
        name, side = _LIMITS[wrong["type"]]
        return place, f"it must be {side} {wrong['ctx'][name]:,.10g}, not {_toml_value(wrong['input'])}"
    return place, _of_a_kind(wrong)


def _of_a_kind(wrong: "ErrorDetails") -> str:
    kind = _KINDS.get(wrong["type"].partition("_")[0])
    if kind is None:
        return wrong["msg"][:1].lower() + wrong["msg"][1:]
    if wrong["input"] is None:
        return f"it is empty; it must be {kind}"
    return f"it must be {kind}, not {_toml_value(wrong['input'])}"


def _unknown(wrong: "ErrorDetails") -> str:
    place = tuple(wrong["loc"])
    holder = _PARTS.get(str(place[0]) if len(place) > 1 else "", Protocol)
    fields = list(holder.model_fields)
    near = get_close_matches(str(place[-1]), fields, 1)
    return f"there is no such field; {f'perhaps {near[0]}' if near else f'use {_listed(fields)}'}"


def _literal(wrong: "ErrorDetails") -> str:
    return f"it must be {wrong['ctx']['expected']}, not {_toml_value(wrong['input'])}"


def _too_short(wrong: "ErrorDetails") -> str:
    least = wrong["ctx"]["min_length"]
    return f"at least {least} {'is' if least == 1 else 'are'} needed, not {wrong['ctx']['actual_length']}"


def _pattern(wrong: "ErrorDetails") -> str:
    return (
        f"{_toml_value(wrong['input'])} can't be a name; use a letter, digit or _ first, "
        "then also . : @ + -, without blanks, and few of them"
    )


_TOLD: Mapping[str, Callable[["ErrorDetails"], str]] = {
    "missing": lambda _: "it is missing",
    "extra_forbidden": _unknown,
    "literal_error": _literal,
    "too_short": _too_short,
    "string_too_short": lambda _: "it is empty",
    "string_pattern_mismatch": _pattern,
    "int_from_float": lambda wrong: f"it must be a whole number, not {_toml_value(wrong['input'])}",
}


def _about_several(place: Place, what: str, said: object) -> tuple[Place, str]:
    """The place of what several fields contradict each other in."""
    if place:
        return ((*place, "looks") if "look" in what else place), what
    named = _HYPOTHESIS.match(what)
    if named:
        return ("hypotheses", *_place_of(named[1], said)), what
    if what.startswith("two systems"):
        return ("systems",), what
    if what.startswith("two hypotheses"):
        return ("hypotheses",), what
    return ("second_judge",) if what.startswith("judge ") else (), what


def _place_of(hypothesis: str, said: object) -> tuple[int, ...]:
    listed = cast("Mapping[str, object]", said).get("hypotheses") if isinstance(said, Mapping) else None
    for number, one in enumerate(listed if isinstance(listed, list) else ()):
        if isinstance(one, Mapping) and str(one.get("id")) == hypothesis:
            return (number,)
    return ()


def _listed(names: list[str]) -> str:
    return ", ".join(names)


def _toml_value(value: object) -> str:
    """A value as it stands in the file, or nearly."""
    text = str(value).lower() if isinstance(value, bool | date) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."


_REMEDY = f"Mend the file; {command('standard init')} writes one with a comment on each part."
MOST_SHOWN = 20
"""Mistakes that a message lists; more are counted."""


@dataclass(frozen=True, slots=True)
class Mistake:
    """What is wrong in a protocol, at which place ("hypotheses.H1.measure") and line, if it has one.

    `place` is empty where it is wrong as a whole.
    """

    place: str
    line: int | None
    what: str

    def __str__(self) -> str:
        """The mistake with its place, as part of a sentence."""
        line = "" if self.line is None else f"line {self.line}: "
        return f"{line}{f'{self.place}: ' if self.place else ''}{self.what}"


class ProtocolFileError(InputError):
    """A protocol's file at `path` can't be used; `mistakes` are all that is wrong with it."""

    def __init__(self, path: Path, mistakes: Sequence[Mistake]) -> None:
        shown = "; ".join(map(str, mistakes[:MOST_SHOWN]))
        more = f"; and {len(mistakes) - MOST_SHOWN} more" if len(mistakes) > MOST_SHOWN else ""
        count = "a mistake" if len(mistakes) == 1 else f"{len(mistakes)} mistakes"
        super().__init__(f"{path} has {count}: {shown}{more}.", _REMEDY)
        self.path = path
        self.mistakes = tuple(mistakes)


def read_protocol(folder: Path) -> Protocol:
    """The protocol in a comparison's folder, or in a file that is given itself.

    Raises:
        InputError: it can't be read.
        ProtocolFileError: it is no YAML, or no protocol.
    """
    path = folder / PROTOCOL_FILE if folder.is_dir() else folder
    try:
        text = path.read_text(encoding="utf-8")
    except (OSError, UnicodeDecodeError) as error:
        reason = error.strerror if isinstance(error, OSError) else "it is not UTF-8"
        raise InputError(
            f"{path} can't be read: {reason}.",
            f"Give the folder of a comparison, or make one: {command('standard init')}",
        ) from error
    return parse_protocol(text, path)


def parse_protocol(text: str, path: Path) -> Protocol:
    """The protocol that a YAML text says; `path` is where it stands, for messages.

    Raises:
        ProtocolFileError: it is no YAML, has an alias, or is no protocol.
    """
    try:
        places, said = yaml_places(text), yaml.safe_load(text)
    # The loader makes dates and numbers out of what looks like them, also where there is no such day.
    except (yaml.YAMLError, ValueError, RecursionError) as error:
        raise ProtocolFileError(path, [_no_yaml(error)]) from error
    if said is None:
        raise ProtocolFileError(path, [Mistake("", None, "it is empty")])
    if not isinstance(said, Mapping):
        told = f"it is {_kind_of(said)}, and must be fields with values"
        raise ProtocolFileError(path, [Mistake("", 1, told)])
    mistakes = [
        Mistake(_named(place, said), line, "it stands here twice, and only one can count")
        for place, line in places.repeated
    ]
    try:
        protocol = Protocol.model_validate(said)
    except ValidationError as error:
        mistakes += _mistakes(error, said, places)
    if mistakes:
        raise ProtocolFileError(path, sorted(mistakes, key=lambda one: one.line or 0))
    return protocol


def _mistakes(error: ValidationError, said: object, places: Places) -> Iterator[Mistake]:
    found = error.errors(include_url=False)
    for wrong in found:
        # A list counts as too short where its parts are wrong, which is told of each of them.
        if wrong["type"] == "too_short" and any(_is_inside(one["loc"], wrong["loc"]) for one in found):
            continue
        place, what = mistake_of(wrong, said)
        yield Mistake(_named(place, said), places.line(place), what)


def _is_inside(place: Place, holder: Place) -> bool:
    return len(place) > len(holder) and place[: len(holder)] == holder


def _named(place: Place, said: object) -> str:
    """A place in words: items of a list go by their id or name, or by their number from 1."""
    parts: list[str] = []
    for step in place:
        said = _inner(said, step)
        name = step
        if isinstance(step, int):
            known = said if isinstance(said, Mapping) else {}
            name = known.get("id") or known.get("name") or step + 1
        parts.append(str(name))
    return ".".join(parts)


def _inner(said: object, step: str | int) -> object:
    match said:
        case Mapping():
            return said.get(step)
        case list() if isinstance(step, int) and step < len(said):
            return said[step]
        case _:
            return None


def _kind_of(said: object) -> str:
    match said:
        case list():
            return "a list"
        case str():
            return "a text"
        case _:
            return "a single value"


def _no_yaml(error: Exception) -> Mistake:
    match error:
        case AliasError(line=line):
            return Mistake("", line, str(error))
        case yaml.MarkedYAMLError(problem=problem, problem_mark=mark) if mark is not None:
            if "'\\t'" in str(problem):
                problem = "a tab stands where YAML takes blanks only"
            return Mistake("", mark.line + 1, f"it is no YAML: {problem}")
        case yaml.YAMLError() | ValueError():
            return Mistake("", None, f"it is no YAML: {' '.join(str(error).split())}")
        case _:
            return Mistake("", None, "it is too deep")
