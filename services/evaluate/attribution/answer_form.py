"""Whether a wrong answer has the right content, and only its form is not what was asked for."""

import re

from services.evaluate.answers import normalise_answer
from services.evaluate.attribution.words_in_text import Words, holds, place_of, stands_whole, words_in
from services.evaluate.hop_aware.traces import Trace
from services.questions.kinds.date_span import dates_agree
from services.questions.wording.nouns import sorts_of

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
    given = _normal(trace.given)
    if not given or trace.abstained:
        return ""
    forms = (trace.gold, *trace.accepted)
    if any(dates_agree(trace.given, form) for form in forms):
        return OTHER_DATE
    for name in filter(None, map(_normal, forms)):
        if len(name) < len(given) and holds(given, name):
            if not _taken_back(trace, given, name) and not _begins_longer(trace.given, name):
                return LONGER
            continue
        if len(given) < len(name) and name[-len(given) :] == given and _is_name(trace.given):
            return SHORTER
    return ""


def _taken_back(trace: Trace, given: Words, name: Words) -> bool:
    """Whether something else in the answer takes the right content back."""
    for pair in _OPPOSITES:
        if len(name) == 1 and name[0] in pair:
            return given[0] != name[0] or all(word in given for word in pair)
    if holds(_normal(trace.asked), name):
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
