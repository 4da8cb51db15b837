"""Whether two names, written by different hands, name the same: the measure by which gold is matched.

Equal words count, without articles and accents; so does one name within the other at half its length or more
("Curie" and "Marie Curie"), and a token-sorted ratio of rapidfuzz from `MATCH_RATIO` on.
"""

import re
import unicodedata

from rapidfuzz import fuzz

MATCH_RATIO = 88

_STOP_WORDS = frozenset({"the", "a", "an", "of", "and"})
_POSSESSIVE = re.compile(r"'s\b")
_PUNCTUATION = re.compile(r"[^\w\s]")


def matching_form(name: str) -> str:
    """The words of a name that are compared: small letters, no accents, marks, articles or possessives."""
    parts = unicodedata.normalize("NFKD", name)
    plain = "".join(letter for letter in parts if not unicodedata.combining(letter)).lower()
    plain = _PUNCTUATION.sub(" ", _POSSESSIVE.sub("", plain.replace("\u2019", "'")))
    return " ".join(word for word in plain.split() if word not in _STOP_WORDS)


def same_name(left: str, right: str) -> bool:
    """Whether two matching forms name the same; an empty one names nothing."""
    if not left or not right:
        return False
    if left == right:
        return True
    few, many = sorted((set(left.split()), set(right.split())), key=len)
    if few <= many and 2 * len(few) >= len(many):
        return True
    return fuzz.token_sort_ratio(left, right) >= MATCH_RATIO
