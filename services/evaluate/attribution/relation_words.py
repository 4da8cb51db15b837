"""The words of a text that can tell a relation, each with the forms by which it is recognised."""

from collections.abc import Iterable, Sequence
from typing import TypeAlias

from services.evaluate.attribution.words_in_text import Words, without_names
from services.rag.question_words import lemma

Forms: TypeAlias = frozenset[str]
"""The beginnings of a word and of its lemma."""

_STEM = 5
"""Forms are compared by so many letters, so that "approval" is "approved", and "discovery" "discovered"."""

_SILENT_WORDS = """
a an the of in on at to for by with from into and or not that which who whom whose what when where why how
many much is are was were be been being has have had having do does did done it its he she they his her
their this these those there here than as if then also each any some all other same more most please find
tell give show about me you i we
"""
_SILENT = frozenset(_SILENT_WORDS.split())


def relation_words(text: str, names: Iterable[Words]) -> tuple[Forms, ...]:
    """The words that tell something, as often as they stand there, without those of these names.

    Unlike the content words of `services.rag.question_words`, "work" is among them, and "found" is both what
    a founder does and what a finder did.
    """
    said = without_names(text, names).replace("|", " ").split()
    return tuple(forms(word) for word in said if word not in _SILENT)


def forms(word: str) -> Forms:
    """The forms of a word in small letters; words that say one relation from its two ends share one."""
    return frozenset({word[:_STEM], lemma(word)[:_STEM]})


def left_over(said: Sequence[Forms], relation: Sequence[Forms]) -> tuple[Forms, ...]:
    """The words of a text without one for each word of this relation."""
    left = list(said)
    for word in relation:
        used = next((one for one in left if one & word), None)
        if used is not None:
            left.remove(used)
    return tuple(left)


def share_one(said: Iterable[Forms], relation: Iterable[Forms]) -> bool:
    """Whether a word of a text is of this relation."""
    wanted = {form for word in relation for form in word}
    return any(one & wanted for one in said)
