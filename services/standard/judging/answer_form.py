"""What an answer says, by its words alone: the key, beside it another name, a doubt or a denial."""

import re
from collections import Counter
from collections.abc import Iterable

from services.evaluate.answers import normalise_answer

_WORD = re.compile(r"\w+(?:[.,'\u2019-]\w+)*")
_DOUBT = frozenset({"or", "either", "perhaps", "maybe", "possibly", "probably", "might", "could", "unclear"})
_DENIAL = frozenset({"not", "no", "never", "neither", "nor", "cannot"})
_DENYING_END = ("n't", "n\u2019t")
MOST_LETTERS = 100_000
"""A longer answer is none, whatever it says."""

_STOPS = frozenset(".!?:")
_OPENING = " \"'(\u201c\u2018"
_DECIDED = {"yes": "no", "no": "yes"}


def said_form(text: str, accepted: Iterable[str]) -> str | None:
    """The longest of the accepted answers that stands in the text as whole words, None where none does."""
    held = f" {normalise_answer(text)} "
    forms = sorted(accepted, key=len, reverse=True)
    return next((form for form in forms if (norm := normalise_answer(form)) and f" {norm} " in held), None)


def decides(text: str, key: str) -> bool | None:
    """Whether the text decides as a key of yes or no does; None where the key is another.

    The first of the two words counts.
    """
    wanted = normalise_answer(key)
    if wanted not in _DECIDED:
        return None
    found = next((word for word in normalise_answer(text).split() if word in _DECIDED), "")
    return found == wanted


def is_doubtful(text: str, form: str) -> bool:
    """Whether the text around an accepted answer leaves it open: "perhaps", "or", "could"."""
    return not _DOUBT.isdisjoint(_beside(text, form))


def is_denied(text: str, form: str) -> bool:
    """Whether the text around an accepted answer denies something: "not", "never", "isn't"."""
    words = _beside(text, form)
    return not _DENIAL.isdisjoint(words) or any(word.endswith(_DENYING_END) for word in words)


def other_names(text: str, form: str, question: str) -> tuple[str, ...]:
    """The names and numbers in a text that stand neither in the accepted answer nor in the question.

    A word is one if it holds a digit, or begins with a capital within a sentence.
    """
    known = _counts(form) + _counts(question)
    found = []
    end = 0
    for match in _WORD.finditer(text):
        word = match[0]
        # Only what stands between two words tells whether a sentence begins, so that time stays linear.
        between = text[end : match.start()]
        begins = not _STOPS.isdisjoint(between) or not (end or between.strip(_OPENING))
        end = match.end()
        is_name = word[0].isupper() and not begins and word != "I"
        if (is_name or any(map(str.isdigit, word))) and not known[_plain(word)]:
            found.append(word)
    return tuple(found)


def forms_with_their_numbers(text: str, forms: Iterable[str]) -> list[str]:
    """Those of the accepted answers of which each word that holds a digit stands in the text, in order."""
    # The text is gone through once, however many forms there are.
    words = _counts(text).keys()
    return [form for form in forms if {one for one in _counts(form) if any(map(str.isdigit, one))} <= words]


def _beside(text: str, form: str) -> list[str]:
    """The words of a text less those of the form, in small letters."""
    left = Counter(_plain(word) for word in _WORD.findall(text))
    return list(left - _counts(form))


def _counts(text: str) -> Counter[str]:
    return Counter(_plain(word) for word in _WORD.findall(text))


def _plain(word: str) -> str:
    return word.casefold().removesuffix("'s").removesuffix("\u2019s")
