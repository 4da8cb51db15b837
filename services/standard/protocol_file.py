"""The protocol as a file, `standard.yaml`: read with every mistake at its line.

How it is written is in `services.standard.protocol_text`.
"""

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import yaml
from pydantic import ValidationError

from kg.errors import InputError
from services.standard.folder import PROTOCOL_FILE
from services.standard.mistakes import mistake_of
from services.standard.protocol import Protocol
from services.standard.yaml_places import AliasError, Place, Places, yaml_places

_REMEDY = "Mend the file; kg standard init writes one with a comment on each part."
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
            "Give the folder of a comparison, or make one: kg standard init",
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
        Mistake(_named(one.place, said), one.line, "it stands here twice, and only one can count")
        for one in places.repeated
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
