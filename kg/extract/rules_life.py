"""Birth and death in brackets behind a person's name."""

import re
from collections.abc import Iterator, Mapping

from kg.extract.candidates import Candidate
from kg.extract.dates import MONTH
from kg.extract.entities import clean_name
from kg.extract.mood import PLAIN
from kg.extract.noun_phrases import Phrase
from kg.extract.reading import Reading, Sentence
from kg.extract.rules_places import chained

MAX_OFFSET = 120
"""Brackets further into the sentence are rarely about its first name."""

_DAY = (
    rf"(?:(?:c\.|circa|about)\s*)?(?:\d{{1,2}}(?:st|nd|rd|th)?\s+(?:{MONTH})\s*,?\s+\d{{3,4}}"
    rf"|(?:{MONTH})\s+\d{{1,2}}(?:st|nd|rd|th)?\s*,?\s+\d{{3,4}}|(?:{MONTH})\s+\d{{4}}|\d{{3,4}}(?:/\d{{2,4}})?)"
)
_PLACE = r"[A-Z][^()\d\u2013\u2014-]{2,50}?"
_LIFE = re.compile(
    rf"\(\s*(?:[^()\d]{{0,60}}?[;,]\s*)?(?:born\s+)?(?P<born>{_DAY})\s*(?:,?\s*(?:in\s+)?(?P<place>{_PLACE})\s*)?"
    rf"[\u2013\u2014-]+\s*(?:died\s+)?(?P<died>{_DAY})\s*(?:,?\s*(?:in\s+)?(?P<grave>{_PLACE})(?=\s*[;)]))?[^()]*\)"
)
_PLACED_LIFE = re.compile(
    rf"\(\s*(?P<place>{_PLACE}),\s*(?P<born>{_DAY})\s*[\u2013\u2014-]+\s*(?P<grave>{_PLACE}),\s*(?P<died>{_DAY})\s*\)"
)
_BORN = re.compile(
    r"\(\s*(?:[^()\d]{0,80}?[;,]\s*)?(?:née [^,;()]+[,;]\s*)?born\s*(?:[A-Z][^()\d]{2,50}?[;,]?\s*)?"
    r"(?:on\s+)?"
    rf"(?P<born>{_DAY})(?:\s*,?\s+(?:in\s+)?(?P<place>[A-Z][^()]{{2,60}}?))?\s*\)"
)
_BORN_IN = re.compile(rf"\(\s*born\s+in\s+(?P<place>{_PLACE})\s+on\s+(?P<born>{_DAY})\s*\)")
_DIED = re.compile(
    rf"\(\s*(?:[^()\d]{{0,60}}?[;,]\s*)?(?:died\s+(?:on\s+)?|[\u2013\u2014]\s*)(?P<died>{_DAY})[^()]*\)"
)


def birth_date(reading: Reading, sentence: Sentence) -> Iterator[Candidate]:
    """ "Ana Brel (born 12 May 1978) is a singer." -> (Ana Brel, was born on, 12 May 1978)."""
    for subject, found in _brackets(reading, sentence):
        day = found.get("born")
        if day:
            yield Candidate(subject, "was born on", Phrase(day, "DATE"), "birth-date", PLAIN)


def death_date(reading: Reading, sentence: Sentence) -> Iterator[Candidate]:
    """ "Ana Brel (1926 - 1994) was a singer." -> (Ana Brel, died on, 1994)."""
    for subject, found in _brackets(reading, sentence):
        day = found.get("died")
        if day:
            yield Candidate(subject, "died on", Phrase(day, "DATE"), "death-date", PLAIN)


def birth_place(reading: Reading, sentence: Sentence) -> Iterator[Candidate]:
    """ "Ana Brel (born 1978 in Lyon, France) is a singer." -> (Ana Brel, was born in, Lyon)."""
    for subject, found in _brackets(reading, sentence):
        yield from _at(subject, "was born in", found.get("place"), "birth-place")


def death_place(reading: Reading, sentence: Sentence) -> Iterator[Candidate]:
    """ "Ana Brel (4 May 1926, Lyon - 7 June 1994, Rome) sang." -> (Ana Brel, died in, Rome)."""
    for subject, found in _brackets(reading, sentence):
        yield from _at(subject, "died in", found.get("grave"), "death-place")


def _at(subject: Phrase, predicate: str, text: str | None, rule: str) -> Iterator[Candidate]:
    if not text or any(letter.isdigit() for letter in text):
        return
    places = [name for name in (clean_name(part) for part in text.split(",")) if len(name) > 1]
    if places:
        yield Candidate(subject, predicate, Phrase(places[0], "GPE"), rule, PLAIN)
    yield from chained([Phrase(name, "GPE") for name in places])


def _brackets(reading: Reading, sentence: Sentence) -> Iterator[tuple[Phrase, Mapping[str, str | None]]]:
    """Whom the first brackets with a life's dates are about, and what they say."""
    span = reading.doc[sentence.first : sentence.end]
    text = span.text
    if "(" not in text[:MAX_OFFSET]:
        return
    for pattern in (_PLACED_LIFE, _LIFE, _BORN, _BORN_IN, _DIED):
        match = pattern.search(text)
        if match is None or match.start() >= MAX_OFFSET:
            continue
        subject = _subject(reading, sentence, span.start_char + match.start())
        if subject is not None:
            yield subject, match.groupdict()
        return


def _subject(reading: Reading, sentence: Sentence, before: int) -> Phrase | None:
    """The name before the brackets, or the article's subject in its first sentence."""
    if sentence.index == 0 and reading.names.subject and _only_names(reading, sentence, before):
        return Phrase(reading.names.subject, "PERSON")
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


def _only_names(reading: Reading, sentence: Sentence, before: int) -> bool:
    """Whether names and titles alone stand before the brackets: "Prince Gaetan, Count of Girgenti (1846"."""
    tokens = [token for token in reading.tokens(sentence) if token.idx < before]
    opening = reading.entity_at.get(sentence.first) or reading.entity_at.get(sentence.first + 1)
    about = opening is not None and (
        reading.names.of(opening).text == reading.names.subject
        or bool({*opening.text.split()} & {*reading.names.subject.split()})
    )
    return about and not any(token.pos_ in {"VERB", "AUX"} or token.lower_ == "and" for token in tokens)
