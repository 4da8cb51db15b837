"""JSON from elsewhere, read strictly: what Python would let through and no other reader might is refused."""

import json
from math import isinf

from services.standard.hashing import JsonData


def read_json(text: str | bytes) -> JsonData:
    """The value of a JSON text.

    Raises:
        ValueError: it is no JSON, too deep, or holds a number that is none or beyond all bounds, or an
            object with two values of one name.
    """
    try:
        value: JsonData = json.loads(
            text, parse_constant=_no_number, parse_float=_finite, object_pairs_hook=_once_each
        )
    except RecursionError as error:
        raise ValueError("it is too deep") from error
    return value


def _no_number(text: str) -> float:
    raise ValueError(f"{text} is no number")


def _finite(text: str) -> float:
    number = float(text)
    if isinf(number):
        raise ValueError("a number is beyond all bounds")
    return number


def _once_each(pairs: list[tuple[str, JsonData]]) -> dict[str, JsonData]:
    values = dict(pairs)
    if len(values) < len(pairs):
        raise ValueError("an object has two values of one name")
    return values
