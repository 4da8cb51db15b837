"""When something happened, as passages tell it: by a dated fact, by a sentence, by the day of the article."""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from kg.extract.dates import MONTHS
from services.rag.question_words import covered, question_weights, words
from services.rag.sentence_match import Sentence, stands_in

FACT_FIT = 0.5
"""A dated fact that accounts for less of an event's words speaks of something else."""

_MONTH = "|".join(MONTHS)
_ISO = re.compile(r"\b([12]\d{3})(?:-(\d\d))?(?:-(\d\d))?\b")
_DATE = re.compile(
    rf"\b(?:(?P<day>\d{{1,2}}) )?(?P<month>{_MONTH})(?: (?P<late_day>\d{{1,2}}),?)?,? (?P<year>[12]\d{{3}})\b"
)
DATE_IN_TEXT = (
    rf"(?:\d{{1,2}} (?:{_MONTH}),? [12]\d{{3}}|(?:{_MONTH}) \d{{1,2}},? [12]\d{{3}}|(?:{_MONTH}) [12]\d{{3}}"
    r"|\b[12]\d{3}\b)"
)
"""A pattern, without groups, of a date that has a year."""

_REPORT = re.compile(
    r"(?:did |was it )?(?P<source>.+?) (?:report|reported|say|said) that (?P<event>.+)", re.IGNORECASE
)

Day = tuple[int, int, int]
"""Year, month, day; 0 for a part that isn't told."""


@dataclass(frozen=True, slots=True)
class Said:
    """A sentence and how much of what was looked for it says, in [0, 1]."""

    sentence: Sentence
    fit: float


@dataclass(frozen=True, slots=True)
class Dated:
    """A day with the sentence that tells it."""

    day: Day
    said: Said


def day_of(text: str) -> Day | None:
    """The first date in a text that has a year."""
    found = _DATE.search(text)
    if found:
        day = int(found["day"] or found["late_day"] or 0)
        return int(found["year"]), MONTHS.index(found["month"]) + 1, day
    iso = _ISO.search(text)
    return (int(iso[1]), int(iso[2] or 0), int(iso[3] or 0)) if iso else None


def earlier(one: Day, other: Day) -> bool | None:
    """Whether one day comes before the other; None where what is told of them does not decide."""
    for left, right in zip(one, other, strict=True):
        if left != right:
            return left < right if left and right else None
        if not left:
            return None
    return None


def dated(event: str, must: str, sentences: Sequence[Sentence]) -> Dated | None:
    """The day of an event; sentences and facts that lack the name `must` say nothing of it.

    "The Gazette reported that ..." is dated by the article of that source.
    """
    report = _REPORT.match(event.strip())
    if report and any(sentence.passage.source == report["source"] for sentence in sentences):
        source = report["source"]
        own = [sentence for sentence in sentences if sentence.passage.source == source]
        return _by_article(report["event"], must, own)
    return _by_fact(event, must, sentences) or _by_sentence(event, must, sentences)


def fitting(text: str, must: str, sentences: Sequence[Sentence]) -> Iterator[Said]:
    """The sentences that share words with a text and have the name `must`, with their fits."""
    weights = question_weights(text, (sentence.words for sentence in sentences))
    for sentence in sentences:
        fit = covered(weights, sentence.words)
        if fit > 0 and (not must or stands_in(must, sentence.text)):
            yield Said(sentence, fit)


def _by_fact(event: str, must: str, sentences: Sequence[Sentence]) -> Dated | None:
    weights = question_weights(event, (sentence.words for sentence in sentences))
    best: Dated | None = None
    for sentence in sentences:
        for fact in sentence.passage.facts:
            subject = f"{fact.subject.surface} {fact.subject.name}"
            if fact.object.type != "DATE" or (must and not stands_in(must, subject)):
                continue
            fit = covered(weights, words(f"{subject} {fact.predicate}"))
            day = day_of(fact.object.name)
            if day and fit >= FACT_FIT and (best is None or fit > best.said.fit):
                best = Dated(day, Said(sentence, fit))
    return best


def _by_sentence(event: str, must: str, sentences: Sequence[Sentence]) -> Dated | None:
    best = max(fitting(event, must, sentences), key=lambda said: said.fit, default=None)
    if best is None:
        return None
    day = day_of(event) or day_of(best.sentence.text) or day_of(best.sentence.passage.published)
    return Dated(day, best) if day else None


def _by_article(event: str, must: str, sentences: Sequence[Sentence]) -> Dated | None:
    best = max(fitting(event, must, sentences), key=lambda said: said.fit, default=None)
    day = day_of(best.sentence.passage.published) if best else None
    return Dated(day, best) if best and day else None
