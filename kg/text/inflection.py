"""Forms and lemmas of English words, from lemminflect, whose dictionary is loaded when a word is looked up.

The library brings a parser with it, so that whoever imports it pays seconds: a server that starts, `--help`.
"""

from collections.abc import Mapping
from functools import lru_cache


@lru_cache(maxsize=65_536)
def lemmas(word: str, part: str) -> tuple[str, ...]:
    """The lemmas of a word as a part of speech ("VERB"), guessed where the dictionary doesn't have it."""
    from lemminflect import getLemma  # noqa: PLC0415 - heavy

    return tuple(map(str, getLemma(word, part)))


@lru_cache(maxsize=65_536)
def known_lemmas(word: str) -> Mapping[str, tuple[str, ...]]:
    """The lemmas of a word that the dictionary has, by part of speech; none for what is no English word."""
    from lemminflect import getAllLemmas  # noqa: PLC0415 - heavy

    return {part: tuple(map(str, found)) for part, found in getAllLemmas(word).items()}


@lru_cache(maxsize=65_536)
def forms(lemma: str, tag: str) -> tuple[str, ...]:
    """The forms of a lemma by Penn tag ("VBD"); none for what has no letter, on which the library fails."""
    from lemminflect import getInflection  # noqa: PLC0415 - heavy

    return tuple(map(str, getInflection(lemma, tag))) if any(map(str.isalpha, lemma)) else ()


@lru_cache(maxsize=65_536)
def all_forms(lemma: str) -> frozenset[str]:
    """All forms of a lemma that the dictionary has."""
    from lemminflect import getAllInflections  # noqa: PLC0415 - heavy

    return frozenset(str(form) for found in getAllInflections(lemma).values() for form in found)
