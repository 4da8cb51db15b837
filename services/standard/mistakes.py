"""What is wrong with a field of a protocol, in words of the file rather than of the schema's library."""

import re
from collections.abc import Callable, Mapping
from datetime import date
from difflib import get_close_matches
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel

from services.standard.protocol import (
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
from services.standard.yaml_places import Place

if TYPE_CHECKING:
    from pydantic_core import ErrorDetails

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
        return place, f"it must be {side} {wrong['ctx'][name]:,.10g}, not {_shown(wrong['input'])}"
    return place, _of_a_kind(wrong)


def _of_a_kind(wrong: "ErrorDetails") -> str:
    kind = _KINDS.get(wrong["type"].partition("_")[0])
    if kind is None:
        return wrong["msg"][:1].lower() + wrong["msg"][1:]
    if wrong["input"] is None:
        return f"it is empty; it must be {kind}"
    return f"it must be {kind}, not {_shown(wrong['input'])}"


def _unknown(wrong: "ErrorDetails") -> str:
    place = tuple(wrong["loc"])
    holder = _PARTS.get(str(place[0]) if len(place) > 1 else "", Protocol)
    fields = list(holder.model_fields)
    near = get_close_matches(str(place[-1]), fields, 1)
    return f"there is no such field; {f'perhaps {near[0]}' if near else f'use {_listed(fields)}'}"


def _literal(wrong: "ErrorDetails") -> str:
    return f"it must be {wrong['ctx']['expected']}, not {_shown(wrong['input'])}"


def _too_short(wrong: "ErrorDetails") -> str:
    least = wrong["ctx"]["min_length"]
    return f"at least {least} {'is' if least == 1 else 'are'} needed, not {wrong['ctx']['actual_length']}"


def _pattern(wrong: "ErrorDetails") -> str:
    return (
        f"{_shown(wrong['input'])} can't be a name; use a letter, digit or _ first, then also . : @ + -, "
        "without blanks, and few of them"
    )


_TOLD: Mapping[str, Callable[["ErrorDetails"], str]] = {
    "missing": lambda _: "it is missing",
    "extra_forbidden": _unknown,
    "literal_error": _literal,
    "too_short": _too_short,
    "string_too_short": lambda _: "it is empty",
    "string_pattern_mismatch": _pattern,
    "int_from_float": lambda wrong: f"it must be a whole number, not {_shown(wrong['input'])}",
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


def _shown(value: object) -> str:
    """A value as it stands in the file, or nearly."""
    text = str(value).lower() if isinstance(value, bool | date) else repr(value)
    return text if len(text) <= 60 else f"{text[:57]}..."
