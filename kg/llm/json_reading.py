"""The one JSON value in what a model wrote, held against its schema."""

import json
import re
from collections.abc import Mapping

from jsonschema import Draft202012Validator
from jsonschema.exceptions import best_match

from kg.llm.protocol import JsonValue

_FENCE = re.compile(r"```[^\n`]*\n(.*?)```(?=[ \t]*(?:\n|\Z))", re.DOTALL)
_OPENING = re.compile(r"[{\[]")
_BRACKET = re.compile(r"[{}\[\]]")
_LONGEST_REASON = 300


class NotTheJsonError(ValueError):
    """Why a text is not the JSON that was asked for, as a clause that the model can be told."""


def read_json(text: str, schema: Mapping[str, JsonValue]) -> JsonValue:
    """The value that `text` holds, if it fits `schema`.

    Raises:
        NotTheJsonError: there is no JSON value, or more than one, or it does not fit.
    """
    value = one_json_value(text)
    error = best_match(Draft202012Validator(dict(schema)).iter_errors(value))
    if error is not None:
        place = error.json_path.removeprefix("$").lstrip(".") or "the value"
        raise NotTheJsonError(f"at {place}: {error.message}"[:_LONGEST_REASON])
    return value


def one_json_value(text: str) -> JsonValue:
    """The only JSON value in `text`: the whole of it, or an object or array in a fence or among words.

    Raises:
        NotTheJsonError: none is whole, or there is more than one.
    """
    text = text.strip().removeprefix("\ufeff")
    try:
        return _loads(text)
    except ValueError as error:
        fenced = list(_FENCE.finditer(text))
        if len(fenced) > 1:
            raise NotTheJsonError("there is more than one block of code") from None
        if fenced:
            return _fenced(text, fenced[0])
        return _among_words(text, error)


def _fenced(text: str, block: re.Match[str]) -> JsonValue:
    if _holds_value(text[: block.start()]) or _holds_value(text[block.end() :]):
        raise NotTheJsonError("there is more than one JSON value")
    try:
        return _loads(block[1])
    except ValueError as error:
        raise NotTheJsonError(f"it is not whole JSON ({error})") from None


def _among_words(text: str, whole: ValueError) -> JsonValue:
    """The value that begins at the first bracket; one behind it could belong to another value."""
    opening = _OPENING.search(text)
    if opening is None:
        raise NotTheJsonError("it holds no JSON value")
    try:
        value, length = _DECODER.raw_decode(text[opening.start() :])
        _check_letters(value)
    except (ValueError, RecursionError):
        raise NotTheJsonError(f"it is not whole JSON ({whole})") from None
    if _BRACKET.search(text[opening.start() + length :]):
        raise NotTheJsonError("there is more than one JSON value")
    found: JsonValue = value
    return found


def _holds_value(text: str) -> bool:
    for opening in _OPENING.finditer(text):
        try:
            _DECODER.raw_decode(text[opening.start() :])
        except (ValueError, RecursionError):
            continue
        return True
    return False


def _no_constant(name: str) -> JsonValue:
    raise ValueError(f"{name} is no JSON number")


_DECODER = json.JSONDecoder(parse_constant=_no_constant)


def _loads(text: str) -> JsonValue:
    try:
        value: JsonValue = _DECODER.decode(text)
    except RecursionError:
        raise ValueError("it is nested too deeply") from None
    _check_letters(value)
    return value


def _check_letters(value: JsonValue) -> None:
    """Half a surrogate pair can be written in JSON, but in no file and no database."""
    try:
        json.dumps(value, ensure_ascii=False).encode()
    except UnicodeEncodeError:
        raise ValueError("a string holds half a letter") from None
