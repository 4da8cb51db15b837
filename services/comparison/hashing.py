"""One text and one hash for whatever a protocol or a row says, wherever and whenever it is computed.

JSON from elsewhere, read strictly: what Python would let through and no other reader might is refused.
"""

import hashlib
import json
from collections.abc import Mapping, Sequence
from math import isinf

from services.comparison.protocol import Protocol

JsonData = Mapping[str, "JsonData"] | Sequence["JsonData"] | str | int | float | bool | None
"""What JSON can say."""


def canonical_json(value: JsonData) -> str:
    """The one JSON text of a value: names in order, no blanks, ASCII alone.

    Raises:
        ValueError: it holds a number that is none.
    """
    return json.dumps(value, sort_keys=True, separators=(",", ":"), ensure_ascii=True, allow_nan=False)


def document_hash(document: JsonData) -> str:
    """The SHA-256 of a value's canonical JSON, as 64 hex digits."""
    return hashlib.sha256(canonical_json(document).encode("ascii")).hexdigest()


def protocol_document(protocol: Protocol) -> dict[str, JsonData]:
    """All that a protocol says, defaults included, as JSON holds it."""
    document: dict[str, JsonData] = protocol.model_dump(mode="json")
    return document


def protocol_hash(protocol: Protocol) -> str:
    """The SHA-256 of all that a protocol says; comments, order and layout of its file don't matter."""
    return document_hash(protocol_document(protocol))


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
