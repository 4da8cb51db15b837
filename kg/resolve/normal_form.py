"""The key of a name: what stays when case, accents, punctuation, articles and titles are taken away."""

import re
import unicodedata
from functools import lru_cache
from typing import NamedTuple

ARTICLES = frozenset({"the", "a", "an"})
MALE_HONORIFICS = frozenset({"mr", "sir"})
FEMALE_HONORIFICS = frozenset({"mrs", "ms", "dame"})
HONORIFICS = frozenset({"dr", "prof", "professor", "mx"}) | MALE_HONORIFICS | FEMALE_HONORIFICS

# "Co" or "AB" may be ordinary words in lower case; "plc" and "gmbh" can't be.
_LEGAL_IN_ANY_CASE = frozenset({"inc", "ltd", "plc", "gmbh", "llc", "llp", "oyj", "sarl", "pty", "pvt"})
_LEGAL_WITH_CAPITAL = frozenset(
    {"co", "corp", "corporation", "incorporated", "limited", "ab", "ag", "sa", "se", "nv", "bv", "oy", "spa"}
)
_APOSTROPHES = str.maketrans(dict.fromkeys("\u2018\u2019\u02bc\u02bb\u2032\u00b4`", "'"))
_LETTERS_AND_MARKS = str.maketrans(
    {"ø": "o", "Ø": "O", "ł": "l", "Ł": "L", "đ": "d", "Đ": "D", "æ": "ae", "Æ": "Ae", "œ": "oe", "Œ": "Oe"}
    | dict.fromkeys("™®©℠\u00ad\u200b\u200c\u200d\ufeff", "")
)
_POSSESSIVE = re.compile(r"(?<=[^\W_])'s(?![^\W_])", re.IGNORECASE)
_THOUSANDS = re.compile(r"(?<=\d),(?=\d{3}(?!\d))")
_INITIALS = re.compile(r"(?<![^\W_])[^\W\d_](?:\.[^\W\d_])+(?![^\W_])\.?")
_LOOSE_SIGN = re.compile(r"(?<![^\W_])[#%]")
_WORD = re.compile(r"([^\s.]+)(\.?)")


class _Word(NamedTuple):
    """A word in lower case and how it was written: "AB" has a capital, "Dr" and "dr." look like titles."""

    text: str
    capital: bool
    like_title: bool


@lru_cache(maxsize=1 << 16)
def normal_form(name: str) -> str:
    """The key under which spellings of one name meet: "The Brel Co." and "Brel" are both "brel".

    A title, a legal suffix or "St" counts only when it is written as one ("Dr", "dr.", but not the "DR" of
    "DR Congo"). The result holds lower-case words with single blanks; it is empty only for a blank name, and
    taking it twice changes nothing.
    """
    words = _without_frame(_words(_plain(name)))
    last = len(words) - 1
    unified = (
        "saint" if word.text == "st" and word.like_title and index < last else word.text
        for index, word in enumerate(words)
    )
    return " ".join(unified) or " ".join(_folded(name).split())


def _plain(name: str) -> str:
    """`name` without accents, apostrophes, the dots of initials and any other punctuation than dots."""
    text = unicodedata.normalize("NFKC", name.translate(_APOSTROPHES).translate(_LETTERS_AND_MARKS))
    text = _without_accents(text.translate(_APOSTROPHES)).translate(_LETTERS_AND_MARKS)
    text = _POSSESSIVE.sub("", text).replace("'", "").replace("&", " and ")
    text = _THOUSANDS.sub("", text)
    text = _INITIALS.sub(lambda found: found.group().replace(".", ""), text)
    text = _LOOSE_SIGN.sub(" ", text)
    return "".join(character if _belongs_to_word(character) else " " for character in text)


def _words(text: str) -> list[_Word]:
    words = []
    for written, dot in _WORD.findall(text):
        capital = bool(dot) or written[0].isupper()
        like_title = bool(dot) or (written[0].isupper() and not written[1:2].isupper())
        words.append(_Word(_folded(written), capital, like_title))
    return [word for word in words if word.text]


def _without_frame(words: list[_Word]) -> list[_Word]:
    """`words` without leading articles and titles and trailing legal suffixes; never fewer than one."""
    start, end = 0, len(words)
    while end - start > 1 and _opens(words[start]):
        start += 1
    while end - start > 1 and _is_legal_suffix(words[end - 1]):
        end -= 1
        if end - start > 1 and words[end - 1].text == "and":
            end -= 1
    return words[start:end]


def _opens(word: _Word) -> bool:
    return word.text in ARTICLES or (word.like_title and word.text in HONORIFICS)


def _is_legal_suffix(word: _Word) -> bool:
    return word.text in _LEGAL_IN_ANY_CASE or (word.capital and word.text in _LEGAL_WITH_CAPITAL)


def _belongs_to_word(character: str) -> bool:
    category = unicodedata.category(character)
    return category[0] in "LNM" or category == "Sc" or character in "+#%."


def _without_accents(text: str) -> str:
    bare = (c for c in unicodedata.normalize("NFD", text) if not "\u0300" <= c <= "\u036f")
    return unicodedata.normalize("NFKC", "".join(bare))


def _folded(word: str) -> str:
    return _without_accents(unicodedata.normalize("NFKC", word).casefold())
