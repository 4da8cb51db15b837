"""The built-in model's file, read and changed as protocol buffers, without the package that defines them.

The exported model guards each of its softmaxes against rows that are masked whole: two steps over as many
numbers as a text has pairs of tokens, a tenth of all time. No row of ours is masked whole, as each begins
with [CLS], so that the guard changes no bit of any vector.
"""

from collections.abc import Iterator

_VARINT, _BYTES = 0, 2
_GRAPH_OF_MODEL, _NODE_OF_GRAPH = 7, 1
_INPUT, _OUTPUT, _OPERATOR = 1, 2, 4
"""Numbers of fields in ONNX's ModelProto, GraphProto and NodeProto."""

Field = tuple[int, int | bytes]
"""The number of a field and its value."""


def without_guards(model: bytes) -> bytes:
    """The model without its steps that put 0 for a softmax that is no number."""
    return _message(
        (number, _unguarded(value) if number == _GRAPH_OF_MODEL and isinstance(value, bytes) else value)
        for number, value in _fields(model)
    )


def _unguarded(graph: bytes) -> bytes:
    fields = list(_fields(graph))
    nodes = {
        at: list(_fields(value))
        for at, (number, value) in enumerate(fields)
        if number == _NODE_OF_GRAPH and isinstance(value, bytes)
    }
    # IsNaN(x) -> y; Where(y, 0, x) -> z: whoever reads z reads x instead.
    asked = {
        _texts(node, _OUTPUT)[0]: _texts(node, _INPUT)[0] for node in nodes.values() if _is(node, b"IsNaN")
    }
    guards = {at for at, node in nodes.items() if _is(node, b"Where") and _texts(node, _INPUT)[0] in asked}
    instead = {_texts(nodes[at], _OUTPUT)[0]: asked[_texts(nodes[at], _INPUT)[0]] for at in guards}
    left = []
    for at, (number, value) in enumerate(fields):
        if at in nodes and (at in guards or _is(nodes[at], b"IsNaN")):
            continue
        left.append((number, _rewired(nodes[at], instead) if at in nodes else value))
    return _message(left)


def _rewired(node: list[Field], instead: dict[bytes, bytes]) -> bytes:
    return _message(
        (number, instead.get(value, value) if number == _INPUT and isinstance(value, bytes) else value)
        for number, value in node
    )


def _is(node: list[Field], operator: bytes) -> bool:
    return _texts(node, _OPERATOR) == [operator]


def _texts(node: list[Field], wanted: int) -> list[bytes]:
    return [value for number, value in node if number == wanted and isinstance(value, bytes)]


def _fields(message: bytes) -> Iterator[Field]:
    """The fields of a message; those of ONNX that stand here are numbers of variable length, or bytes.

    Raises:
        ValueError: a field of another type.
    """
    at = 0
    while at < len(message):
        key, at = _number(message, at)
        if key & 7 not in {_VARINT, _BYTES}:
            raise ValueError(f"a field of type {key & 7} at {at}")
        value, at = _number(message, at)
        if key & 7 == _VARINT:
            yield key >> 3, value
        else:
            yield key >> 3, message[at : at + value]
            at += value


def _number(message: bytes, at: int) -> tuple[int, int]:
    """A number of seven bits a byte, the lowest first, and the place behind it."""
    number = shift = 0
    while True:
        byte = message[at]
        number |= (byte & 127) << shift
        at, shift = at + 1, shift + 7
        if byte < 128:
            return number, at


def _message(fields: Iterator[Field] | list[Field]) -> bytes:
    parts = list[bytes]()
    for number, value in fields:
        if isinstance(value, int):
            parts += [_bytes_of(number << 3 | _VARINT), _bytes_of(value)]
        else:
            parts += [_bytes_of(number << 3 | _BYTES), _bytes_of(len(value)), value]
    return b"".join(parts)


def _bytes_of(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    return bytes([*found, number])
