"""Whether a name stands in a text: as whole words, by normal form, in any of its spellings."""

import re
from collections.abc import Iterable, Sequence
from functools import lru_cache

from lemminflect import getAllLemmas

from kg.resolve.normal_form import normal_form
from kg.resolve.word_lists import COMMON_WORDS


def any_named(text: str, names: Iterable[str]) -> bool:
    """Whether one of the names stands in the text as whole words, in any spelling of the same form."""
    return first_named(text, names) is not None


def first_named(text: str, names: Iterable[str]) -> str | None:
    """The first of the names that stands in the text, None where none does.

    A name made of words that a dictionary has ("the Club", "Regatta") counts where it is written with its
    capitals: "a club that" is a description, and names nobody.
    """
    words = normal_form(text).split()
    return next((name for name in names if _stands_in(name, text, words)), None)


def _stands_in(name: str, text: str, words: Sequence[str]) -> bool:
    if not any(_within(words, form) for form in _forms(name)):
        return False
    return not of_dictionary_words(name) or (not name.islower() and _written_out(name, text))


def of_dictionary_words(name: str) -> bool:
    """Whether a dictionary of English has every word of a name, so that written small it may be no name."""
    words = re.findall(r"[^\W_]+", name)
    return bool(words) and all(map(_in_dictionary, words))


@lru_cache(maxsize=65_536)
def _in_dictionary(word: str) -> bool:
    return word.isalpha() and (word.lower() in COMMON_WORDS or bool(getAllLemmas(word.lower())))


def _written_out(name: str, text: str) -> bool:
    """Whether the words of the name stand in the text with the same capitals, its article aside."""
    words = [word for word in name.split() if word.casefold() not in {"the", "a", "an"}]
    return f" {' '.join(words)} " in f" {_spaced(text)} "


def _spaced(text: str) -> str:
    return " ".join("".join(one if one.isalnum() else " " for one in text).split())


def _forms(name: str) -> tuple[list[str], list[str]]:
    """The form of a name at the end of a text, and before words, where "High St" begins a saint."""
    return normal_form(name).split(), normal_form(f"{name} x").split()[:-1]


def _within(words: Sequence[str], name: Sequence[str]) -> bool:
    return bool(name) and any(words[at : at + len(name)] == name for at in range(len(words) - len(name) + 1))
