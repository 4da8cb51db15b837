"""An article as a model gets it: numbered sentences, as many of them as a batch needs to be understood."""

import re
from collections.abc import Collection, Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from kg.extract.dates import MONTHS, WEEKDAYS
from kg.extract.protocol import ExtractionInput

SENTENCES_A_REQUEST = 10
CHARACTERS_A_REQUEST = 3_000
LONGEST_SENTENCE = 1_500
"""Characters; longer ones are tables and lists that lost their line breaks: nothing is asked about them."""

SHOWN_AT_START = 2
SHOWN_BEFORE = 5
SHOWN_AFTER = 1
MOST_INTRODUCTIONS = 6
"""Sentences that are shown with a batch: the article's first, which say what it is about, those around the
batch, to which its pronouns point, and the first that have the batch's names, where they are mostly whole."""
WORTH_LEAVING_OUT = 3
"""Fewer sentences in a row are shown rather than left out."""

_CUT = 300
_NAME = re.compile(r"(?<![\w.])[A-Z]\w+(?:[ -](?:(?:al|bin|de|of the|of|van|von)[ -])?[A-Z]\w+)*")
_ACRONYM = re.compile(r"\(([A-Z][\w.&]{1,8})\)")
_OPENING_WORDS = "The This That These Those In On At As For He She It They His Her Its Their After Mr Mrs Ms"
_OPENING = frozenset(_OPENING_WORDS.split())
"""Words that have a capital only because a sentence or a name begins with them."""


@dataclass(frozen=True, slots=True)
class NumberedArticle:
    """An article whose sentences are known by their number, from 1."""

    title: str
    published: date | None
    sentences: tuple[str, ...]

    def sentence(self, number: int) -> str:
        """The sentence of that number, on one line."""
        return self.sentences[number - 1]

    def shown_with(self, numbers: Sequence[int]) -> str:
        """Title, date and the sentences that one must know to understand those of `numbers`.

        The lines are "[number] sentence"; "[...]" stands for sentences that were left out.
        """
        lines = [f"Title: {self.title or 'none'}", f"Date: {spelt_out(self.published)}", ""]
        last = 0
        for number in self._around(numbers):
            if number > last + 1:
                lines.append("[...]")
            sentence = self.sentence(number)
            shown = sentence if len(sentence) <= LONGEST_SENTENCE else f"{sentence[:_CUT]} ..."
            lines.append(f"[{number}] {shown}")
            last = number
        if last < len(self.sentences):
            lines.append("[...]")
        return "\n".join(lines)

    def _around(self, numbers: Sequence[int]) -> Iterator[int]:
        last = len(self.sentences)
        shown = set(range(1, min(SHOWN_AT_START, last) + 1))
        shown |= set(range(max(1, numbers[0] - SHOWN_BEFORE), min(last, numbers[-1] + SHOWN_AFTER) + 1))
        shown |= set(self._introductions(numbers, shown))
        gap: list[int] = []
        for number in range(1, last + 1):
            if number not in shown:
                gap.append(number)
                continue
            if len(gap) < WORTH_LEAVING_OUT:
                yield from gap
            gap = []
            yield number
        if len(gap) < WORTH_LEAVING_OUT:
            yield from gap

    def _introductions(self, numbers: Sequence[int], shown: Collection[int]) -> Iterator[int]:
        """For each surname and acronym of the batch the first sentence that has a longer name with it."""
        whole: dict[str, int] = {}
        for number in sorted({*range(1, numbers[0]), *numbers}):
            declared = _ACRONYM.findall(self.sentence(number))
            for words in [declared, *(run for run in self._names(number) if len(run) > 1)]:
                whole.update({word: number for word in words if word not in whole})
        lone = (words[0] for number in numbers for words in self._names(number) if len(words) == 1)
        found = dict.fromkeys(whole[word] for word in lone if word in whole and whole[word] not in shown)
        yield from list(found)[:MOST_INTRODUCTIONS]

    def _names(self, number: int) -> list[list[str]]:
        """The runs of capitalised words of a sentence."""
        runs = (re.split("[ -]", found[0]) for found in _NAME.finditer(self.sentence(number)))
        named = ([word for word in run if word not in _OPENING] for run in runs)
        return [run for run in named if run]


def numbered(item: ExtractionInput) -> NumberedArticle:
    """An article by its sentences; line breaks inside them become blanks."""
    return NumberedArticle(
        title=one_line(item.title),
        published=item.published_at.date() if item.published_at else None,
        sentences=tuple(one_line(item.body[span.start : span.end]) for span in item.sentences),
    )


def worth_asking(article: NumberedArticle) -> list[int]:
    """The numbers of the sentences that have words and are no table."""
    return [
        number
        for number, sentence in enumerate(article.sentences, start=1)
        if len(sentence) <= LONGEST_SENTENCE and any(map(str.isalpha, sentence))
    ]


def too_long(article: NumberedArticle) -> list[int]:
    """The numbers of the sentences that are left out for their length."""
    return [n for n, sentence in enumerate(article.sentences, start=1) if len(sentence) > LONGEST_SENTENCE]


def request_batches(texts: Sequence[tuple[int, str]]) -> list[tuple[int, ...]]:
    """Numbers whose texts go into one request: at most 10 and 3,000 characters, but at least one.

    Batches are of about the same length where that takes no more of them: 12 texts are two batches of 6.
    """
    packed = [_packed(texts, at_once) for at_once in range(1, SENTENCES_A_REQUEST + 1)]
    return min(packed, key=lambda batches: (len(batches), -min(map(len, batches), default=0)))


def _packed(texts: Sequence[tuple[int, str]], at_once: int) -> list[tuple[int, ...]]:
    batches: list[tuple[int, ...]] = []
    batch: list[int] = []
    size = 0
    for number, text in texts:
        if batch and (len(batch) == at_once or size + len(text) > CHARACTERS_A_REQUEST):
            batches.append(tuple(batch))
            batch, size = [], 0
        batch.append(number)
        size += len(text)
    return [*batches, tuple(batch)] if batch else batches


def spelt_out(day: date | None) -> str:
    """ "Thursday 9 January 2031", so that "on Monday" can be counted from it; "unknown" without one."""
    if day is None:
        return "unknown"
    return f"{WEEKDAYS[day.weekday()].capitalize()} {day.day} {MONTHS[day.month - 1]} {day.year}"


def listed(numbers: Sequence[int]) -> str:
    """ "sentence 4" or "sentences 4, 6, 7", with a range where none is left out: "sentences 11-20"."""
    if len(numbers) == 1:
        return f"sentence {numbers[0]}"
    if list(numbers) == list(range(numbers[0], numbers[-1] + 1)):
        return f"sentences {numbers[0]}-{numbers[-1]}"
    return f"sentences {', '.join(map(str, numbers))}"


def one_line(text: str) -> str:
    """The text with single blanks, and without characters that can't be shown."""
    return " ".join("".join(c for c in text if c.isprintable() or c.isspace()).split())
