"""Texts as evidence is compared: letters and digits alone, so that blanks, quotes and dashes don't matter."""

import re
import unicodedata
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import NDArray

_WORD = re.compile(r"[^\W_]+")


class _Squeezing(dict[int, str]):
    """What becomes of each character, worked out when it is first met."""

    def __missing__(self, character: int) -> str:
        plain = unicodedata.normalize("NFKD", chr(character)).casefold()
        kept = "".join(one for one in plain if one.isalnum())
        self[character] = kept
        return kept


@dataclass(frozen=True, slots=True)
class Squeezer:
    """Squeezes texts: compatibility forms unfolded, accents and case dropped, nothing but letters and digits.

    Each character is squeezed by itself, so that a place in a squeezed text has a place in the text.
    """

    _table: _Squeezing = field(default_factory=_Squeezing)

    def squeeze(self, text: str) -> str:
        """The letters and digits of a text."""
        return text.translate(self._table)

    def words(self, text: str) -> list[str]:
        """The words of a text, each squeezed."""
        return [word for word in (self.squeeze(found) for found in _WORD.findall(text)) if word]

    def ends(self, text: str) -> NDArray[np.int32]:
        """For each character of a text how long the squeezed text is behind it, shape (characters,)."""
        return np.cumsum([len(self._table[ord(character)]) for character in text], dtype=np.int32)


def span(ends: NDArray[np.int32], start: int, end: int) -> tuple[int, int]:
    """The stretch of a text whose squeezed form lies from `start` to `end`, exclusive, in the text's."""
    first, last = np.searchsorted(ends, [start + 1, end])
    return int(first), int(last) + 1
