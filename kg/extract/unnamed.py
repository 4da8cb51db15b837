"""Descriptions that a model gave the type of a name: "Utah Jazz player", "nearby hotel", "local police".

A question may start and end at a name only, since a description fits other things in another article. What a
thing is called and what it is are told apart by how it is written: the word that says what it is ("player",
"hotel") has a small letter in a description, and a person's name has none such.
"""

import re

from kg.extract.name_tables import countries
from kg.model import NAMED_TYPES, EntityType
from kg.resolve.name_shape import without_article
from kg.resolve.word_lists import GENERIC_WORDS
from kg.text.head_noun import head_end, head_noun

_PLACED = re.compile(r"[a-z][a-z ]*? (?:of|at|in|on|near)(?: the)? .*[A-Z]")
"""A thing by its kind and its place: "fire at Tarn Airport", "government of Averell"."""
_NOT_ONE_TEXT = "several many few most some all any other another such hundreds thousands dozens next last"
_NOT_ONE = frozenset(_NOT_ONE_TEXT.split())
_OPENINGS_OF_PLACES_TEXT = "north south east west central northern southern eastern western"
_OPENINGS_OF_PLACES = frozenset(_OPENINGS_OF_PLACES_TEXT.split())
_SINGULAR_ENDINGS = ("ss", "us", "is", "news", "series", "headquarters", "works")
_NO_PLURALS: frozenset[EntityType] = frozenset({"ORG", "FAC", "LOC", "GPE", "PRODUCT"})
"""Types whose plurals with a small letter are groups ("Averell authorities"); events and laws have names
like that ("Averell caucuses")."""
_OF_ANY_COUNTRY_TEXT = "law laws bill bills ban rule rules policy policies"
_OF_ANY_COUNTRY = frozenset(_OF_ANY_COUNTRY_TEXT.split())


def is_unnamed(name: str, kind: EntityType) -> bool:
    """Whether a thing that has the type of a named one is only described.

    The terms of science, of type MISC, are names in small letters ("measles"); a lone "Senate" is none. An
    event or a body told by its kind and a name ("fire at Tarn Airport", "government of Averell") is named.
    """
    words = without_article(name).split()
    if kind not in NAMED_TYPES or not any(word[0].isalpha() for word in words):
        return False
    head, placed = head_noun(words), head_end(words) < len(words)
    all_small = " ".join(words).islower()
    if kind == "MISC":
        return not all_small and words[0].islower() and head.islower()
    if all_small or kind in {"PERSON", "NORP"}:
        return all_small or head.islower()
    if words[0].islower() and words[0] not in _OPENINGS_OF_PLACES:
        one_of_its_kind = kind in {"ORG", "EVENT"} and not _is_plural(head) and words[0] not in _NOT_ONE
        return not (placed and one_of_its_kind and _PLACED.match(" ".join(words)))
    return _fits_many(words, head, kind)


def _fits_many(words: list[str], head: str, kind: EntityType) -> bool:
    """Whether a phrase with a capital in front is told of many things: "Averell authorities", "Senate"."""
    if kind == "ORG" and len(words) == 1 and words[0].lower() in GENERIC_WORDS:
        return True
    if kind == "PRODUCT" and words[0] in countries() and " ".join(words[1:]).islower():
        return True
    if kind == "LAW" and head in _OF_ANY_COUNTRY:
        return True
    return kind in _NO_PLURALS and head.islower() and _is_plural(head)


def is_specific(name: str) -> bool:
    """Whether a description holds a name or a number that makes it one thing: "fire at Tarn Airport".

    The capital of a first word may be its sentence's, unless it is a country's: "Norwegian passenger jet".
    """
    first, *others = name.split() or [""]
    bare = (word.lstrip("(") for word in others)
    return (
        first in countries() or first[:1].isdigit() or any(w[:1].isupper() or w[:1].isdigit() for w in bare)
    )


def _is_plural(word: str) -> bool:
    return word.endswith("s") and not word.endswith(_SINGULAR_ENDINGS)
