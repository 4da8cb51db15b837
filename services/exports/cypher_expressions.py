"""The maps of properties in an exported Cypher script taken apart again: the other way of `cypher_literals`.

Only what an export writes is understood: literals, and what reads a value out of the fields of a row.
"""

import re
from collections.abc import Callable, Mapping, Sequence
from datetime import date, datetime

from services.exports.cypher_literals import ITEM
from services.exports.graph_content import Scalar, Value

STRING = r"'[^'\\]*(?:\\.[^'\\]*)*'"
NAME = r"(?:[A-Za-z]\w*|`(?:[^`]|``)*`)"
"""Regular expressions of a string, and of a name of a property, a label or a type."""

_WORD = re.compile(rf"\s*({STRING}|-?Infinity|{NAME}|-?[0-9][0-9.e+-]*|[][{{}}(),:|])")
_ESCAPED = re.compile(r"\\(?:u([0-9A-F]{4})|(.))")
_PLAIN = {"n": "\n", "r": "\r", "t": "\t"}
_CALLS: Mapping[str, Callable[[str], Scalar]] = {
    "toInteger": int,
    "toFloat": float,
    "toBoolean": {"true": True, "false": False}.__getitem__,
    "datetime": datetime.fromisoformat,
    "date": date.fromisoformat,
}
_WORDS: Mapping[str, Scalar] = {
    "true": True,
    "false": False,
    "NaN": float("nan"),
    "Infinity": float("inf"),
    "-Infinity": float("-inf"),
}
_NUMBER = re.compile(r"-?[0-9]+")

Read = Callable[[Sequence[str]], Value]
"""A value out of the fields of a row."""


def parse_map(text: str) -> dict[str, Read]:
    """How each property of a map is read.

    Raises:
        ValueError, LookupError: it is no map of ours.
    """
    words = _Words(text)
    reads: dict[str, Read] = {}
    words.take("{")
    while not words.taken("}"):
        name = unquoted(words.next())
        words.take(":")
        reads[name] = _expression(words)
        words.taken(",")
    return reads


class _Words:
    """The words of an expression, one after the other."""

    def __init__(self, text: str) -> None:
        self._found = [match[1] for match in _WORD.finditer(text)]
        self._at = 0
        if "".join(self._found) != _WORD.sub(lambda match: match[1], text):
            raise ValueError("its properties are no map of ours")

    def next(self) -> str:
        """The next word; an IndexError where there is none."""
        self._at += 1
        return self._found[self._at - 1]

    def take(self, expected: str) -> None:
        """Go over a word that must come."""
        if (found := self.next()) != expected:
            raise ValueError(f"{found!r} stands where {expected!r} must")

    def taken(self, word: str) -> bool:
        """Go over a word if it comes."""
        comes = self._found[self._at] == word
        self._at += comes
        return comes


def _expression(words: _Words) -> Read:
    word = words.next()
    if word == "f":
        words.take("[")
        place = int(words.next())
        words.take("]")
        return lambda fields: fields[place]
    if word in _CALLS:
        words.take("(")
        inner, call = _expression(words), _CALLS[word]
        words.take(")")
        return lambda fields: call(str(inner(fields)))
    if word == "split":
        return _split(words)
    if word == "[":
        return _list(words)
    value = _literal(word)
    return lambda _: value


def _split(words: _Words) -> Read:
    words.take("(")
    inner = _expression(words)
    words.take(",")
    if unquoted(words.next()) != ITEM:
        raise ValueError("a list is split at something else")
    words.take(")")
    return lambda fields: [*str(inner(fields)).split(ITEM)]


def _list(words: _Words) -> Read:
    """`[x IN split(...) | toFloat(x)]`, or a list of literals."""
    if words.taken("x"):
        words.take("IN")
        words.take("split")
        inner = _split(words)
        words.take("|")
        call = _CALLS[words.next()]
        for expected in ("(", "x", ")", "]"):
            words.take(expected)
        return lambda fields: [call(item) for item in _items(inner(fields))]
    reads: list[Read] = []
    while not words.taken("]"):
        reads.append(_expression(words))
        words.taken(",")
    return lambda fields: [_scalar(read(fields)) for read in reads]


def _items(value: Value) -> list[str]:
    return [str(item) for item in value] if isinstance(value, list) else []


def _scalar(value: Value) -> Scalar:
    if isinstance(value, list):
        raise ValueError("a list holds a list")
    return value


def _literal(word: str) -> Scalar:
    if word.startswith("'"):
        return unquoted(word)
    if word in _WORDS:
        return _WORDS[word]
    return int(word) if _NUMBER.fullmatch(word) else float(word)


def unquoted(word: str) -> str:
    """The text of a string or the name in backticks; a name without them as it is."""
    if word.startswith("`"):
        return word[1:-1].replace("``", "`")
    if word.startswith("'"):
        return _ESCAPED.sub(_unescaped, word[1:-1])
    return word


def _unescaped(match: re.Match[str]) -> str:
    code, plain = match.groups()
    return chr(int(code, 16)) if code else _PLAIN.get(plain, plain)
