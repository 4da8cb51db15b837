"""Names as words of a text: found where they stand side by side, whatever case and punctuation."""

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

Words: TypeAlias = tuple[str, ...]

_WORD = re.compile(r"[^\W_]+")
_POSSESSIVE = re.compile(r"['\u2019]s\b")


def words_in(text: str) -> Words:
    """The words of a text in small letters, without punctuation and without a possessive's "s"."""
    return tuple(_WORD.findall(_POSSESSIVE.sub("", text.casefold())))


def place_of(part: Sequence[str], text: Sequence[str]) -> int | None:
    """Where the words of `part` first stand in the text, side by side; None where they don't."""
    size = len(part)
    if not size:
        return None
    sought = tuple(part)
    return next((at for at in range(len(text) - size + 1) if tuple(text[at : at + size]) == sought), None)


def holds(text: Sequence[str], part: Sequence[str]) -> bool:
    """Whether the words of `part` stand in the text, side by side."""
    return place_of(part, text) is not None


def without_names(text: str, names: Iterable[Words]) -> str:
    """The words of a text that belong to none of these names; longer names should come first."""
    left = f" {' '.join(words_in(text))} "
    for name in names:
        left = left.replace(f" {' '.join(name)} ", " | ")
    return left


def longest_first(names: Iterable[Words]) -> tuple[Words, ...]:
    """Each name once, those of most words first."""
    return tuple(sorted({name for name in names if name}, key=lambda name: (-len(name), name)))
