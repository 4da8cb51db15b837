"""Names as words of a text: found where they stand side by side, whatever case and punctuation.

Whether a wrong answer has the right content, and only its form is not what was asked for.

The words of a text that can tell a relation, each with the forms by which it is recognised.
"""

import re
from collections.abc import Iterable, Sequence
from typing import TypeAlias

from services.answers import normalise_answer
from services.evaluate.hop_aware.traces import Trace
from services.questions.kinds.event_order import dates_agree
from services.questions.wording.nouns import sorts_of
from services.rag.question_words import lemma

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


OTHER_DATE = "a date in another form"
LONGER = "the answer stands in a longer text"
SHORTER = "only the end of the name is given"

# After normalisation, which takes the apostrophe out of "isn't".
_DENIED = re.compile(r"\b(?:not|no|never|neither|nor|cannot|\w+nt)\b")
_WORDS_BEFORE = 3
_OPPOSITES = (("yes", "no"), ("before", "after"), ("earlier", "later"), ("true", "false"))


def wrong_form(trace: Trace) -> str:
    """What is wrong with the form of an answer whose content is right; empty where that can't be said.

    Content is right where an accepted answer stands in it whole ("it was Greta Lindqvist, in 1903"), where it
    is the end of an accepted name ("Lindqvist") and more than a common noun ("Clinic"), and where both are
    the same date. It is not right where the answer denies it, where "yes" stands beside "no", and where the
    question itself names what is accepted, as one of its choices, and the answer neither begins nor ends with
    it; nor where what is accepted is only the beginning of a name ("Greymoor" in "Greymoor Observatory").
    """
    given = _normal(trace.answer_text)
    if not given or trace.abstained:
        return ""
    forms = (trace.gold, *trace.accepted)
    if any(dates_agree(trace.answer_text, form) for form in forms):
        return OTHER_DATE
    for name in filter(None, map(_normal, forms)):
        if len(name) < len(given) and holds(given, name):
            if not _taken_back(trace, given, name) and not _begins_longer(trace.answer_text, name):
                return LONGER
            continue
        if len(given) < len(name) and name[-len(given) :] == given and _is_name(trace.answer_text):
            return SHORTER
    return ""


def _taken_back(trace: Trace, given: Words, name: Words) -> bool:
    """Whether something else in the answer takes the right content back."""
    for pair in _OPPOSITES:
        if len(name) == 1 and name[0] in pair:
            return given[0] != name[0] or all(word in given for word in pair)
    if holds(_normal(trace.question_text), name):
        return name not in (given[: len(name)], given[-len(name) :])
    at = place_of(name, given) or 0
    return _DENIED.search(" ".join(given[max(0, at - _WORDS_BEFORE) : at])) is not None


def _begins_longer(text: str, name: Words) -> bool:
    """Whether a name stands in a text, and each time only as the beginning of a longer one."""
    written = words_in(text)
    return holds(written, name) and not stands_whole(text, name) and written[-len(name) :] != name


def _is_name(text: str) -> bool:
    """Whether a text is written as a name, and has words beyond those for a sort of place or organisation."""
    written = [word.strip(".,").lower() for word in text.split() if word[:1].isupper()]
    # Many family names end as words for people do.
    return any(sorts_of(word) <= {"person"} for word in written)


def _normal(text: str) -> Words:
    return tuple(normalise_answer(text).split())


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
