"""Birth and death in brackets behind a person's name."""

import re
from collections.abc import Iterator
from itertools import pairwise

from kg.extract.candidates import Candidate
from kg.extract.dates import MONTH
from kg.extract.entities import clean_name
from kg.extract.mood import PLAIN
from kg.extract.noun_phrases import Phrase
from kg.extract.reading import Reading, Sentence

MAX_OFFSET = 120
"""Brackets further into the sentence are rarely about its first name."""

_DAY = (
    rf"(?:(?:c\.|circa|about)\s*)?(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{MONTH})\s*,?\s+\d{{3,4}}"
    rf"|(?:{MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?\s*,?\s+\d{{3,4}}|(?:{MONTH})\s+\d{{4}}|\d{{3,4}})"
)
_LIFE = re.compile(
    rf"\(\s*(?:[^()\d]{{0,60}}?[;,]\s*)?(?:born\s+)?(?P<born>{_DAY})\s*(?:,?\s*(?:in\s+)?"
    rf"(?P<place>[A-Z][^()\u2013\u2014-]{{2,40}}?)\s*)?[\u2013\u2014-]+\s*(?:died\s+)?(?P<died>{_DAY})[^()]*\)"
)
_BORN = re.compile(
    r"\(\s*(?:[^()\d]{0,80}?[;,]\s*)?(?:née [^,;()]+[,;]\s*)?born\s*(?:[A-Z][^()\d]{2,50}?[;,]?\s*)?"
    r"(?:on\s+)?"
    rf"(?P<born>{_DAY})(?:\s*,?\s+in\s+(?P<place>[^()]{{2,60}}?))?\s*\)"
)
_DIED = re.compile(rf"\(\s*died\s+(?:on\s+)?(?P<died>{_DAY})[^()]*\)")
_RULE = "life-dates"


def life_dates(reading: Reading, sentence: Sentence) -> Iterator[Candidate]:
    """Birth and death of the name before the brackets, or of the article's subject in its first sentence."""
    span = reading.doc[sentence.first : sentence.end]
    for pattern in (_LIFE, _BORN, _DIED):
        match = pattern.search(span.text)
        if match is None or match.start() >= MAX_OFFSET:
            continue
        subject = _subject(reading, sentence, span.start_char + match.start())
        if subject is not None:
            found = match.groupdict()
            if found.get("born"):
                yield Candidate(subject, "was born on", Phrase(found["born"], "DATE"), _RULE, PLAIN)
            if found.get("died"):
                yield Candidate(subject, "died on", Phrase(found["died"], "DATE"), _RULE, PLAIN)
            yield from _birth_place(subject, found.get("place") or "")
        return


def _birth_place(subject: Phrase, text: str) -> Iterator[Candidate]:
    if any(letter.isdigit() for letter in text):
        return
    places = [name for name in (clean_name(part) for part in text.split(",")) if len(name) > 1]
    if places:
        yield Candidate(subject, "was born in", Phrase(places[0], "GPE"), _RULE, PLAIN)
    for inner, outer in pairwise(places):
        yield Candidate(Phrase(inner, "GPE"), "is located in", Phrase(outer, "GPE"), "place-chain", PLAIN)


def _subject(reading: Reading, sentence: Sentence, before: int) -> Phrase | None:
    for span in reversed(reading.spans):
        end = reading.doc[span.end - 1].idx + len(reading.doc[span.end - 1])
        if sentence.first <= span.start and end <= before:
            name = reading.names.of(span)
            return (
                Phrase(name.text, "PERSON") if name.type in {"PERSON", "MISC", "ORG", "GPE", "WORK"} else None
            )
    if sentence.index == 0 and reading.names.subject:
        return Phrase(reading.names.subject, "PERSON")
    return None
