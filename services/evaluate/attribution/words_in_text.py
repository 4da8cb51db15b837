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


def stands_whole(text: str, name: Sequence[str]) -> bool:
    """Whether a name stands in a text, and not only inside of a longer one.

    It is inside of a longer one where a word written as a name follows ("Greymoor" in "Greymoor
    Observatory"), or where such a word and "of" stand before it ("Dunmarrow" in "University of Dunmarrow").
    """
    plain = _POSSESSIVE.sub("", text)
    found = list(_WORD.finditer(plain))
    small = [word[0].casefold() for word in found]
    sought, size = list(name), len(name)
    return size > 0 and any(
        not _is_inside(plain, found, at, at + size)
        for at in range(len(found) - size + 1)
        if small[at : at + size] == sought
    )


def _is_inside(text: str, words: Sequence[re.Match[str]], start: int, end: int) -> bool:
    follows = (
        end < len(words)
        and words[end][0][0].isupper()
        and text[words[end - 1].end() : words[end].start()].isspace()
    )
    of = start > 1 and words[start - 1][0] == "of" and words[start - 2][0][0].isupper()
    return follows or of


def without_names(text: str, names: Iterable[Words]) -> str:
    """The words of a text that belong to none of these names; longer names should come first."""
    left = f" {' '.join(words_in(text))} "
    for name in names:
        left = left.replace(f" {' '.join(name)} ", " | ")
    return left


def longest_first(names: Iterable[Words]) -> tuple[Words, ...]:
    """Each name once, those of most words first."""
    return tuple(sorted({name for name in names if name}, key=lambda name: (-len(name), name)))
