"""The word of a noun phrase that says what a thing is: "mayor" of "mayor of Averell".

A description is told from a name by that word, which has a small letter in a description.
"""

from collections.abc import Sequence

_PREPOSITIONS_TEXT = """of in for from with on at by to as about over under after before during between
against into among across near within without through that which who"""
PREPOSITIONS = frozenset(_PREPOSITIONS_TEXT.split())
"""Words after which a noun phrase goes on beyond its head; relative pronouns too."""


def head_end(words: Sequence[str]) -> int:
    """How many words a noun phrase has up to its head and with it; fewer than all if it goes on behind."""
    return next((place for place, word in enumerate(words) if place and word in PREPOSITIONS), len(words))


def head_noun(words: Sequence[str]) -> str:
    """The word that says what a thing is; "" of no words."""
    return words[head_end(words) - 1] if words else ""
