"""An article as a model gets it: numbered sentences, as many of them as a batch needs to be understood."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import date

from kg.extract.dates import MONTHS, WEEKDAYS
from kg.extract.protocol import ExtractionInput

SENTENCES_A_REQUEST = 10
CHARACTERS_A_REQUEST = 3_000
LONGEST_SENTENCE = 1_500
"""Characters; longer ones are tables and lists that lost their line breaks: nothing is asked about them."""

WHOLE_UP_TO = 8_000
"""Characters of an article that is shown whole with each batch."""
SHOWN_AT_START = 6
SHOWN_BEFORE = 12
SHOWN_AFTER = 3
"""Sentences of a longer article that are shown: its beginning, which names who it is about, and those around
the batch."""

_CUT = 300


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
        every = range(1, len(self.sentences) + 1)
        if sum(map(len, self.sentences)) <= WHOLE_UP_TO:
            yield from every
            return
        near = range(min(numbers) - SHOWN_BEFORE, max(numbers) + SHOWN_AFTER + 1)
        yield from (number for number in every if number <= SHOWN_AT_START or number in near)


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
    """Numbers whose texts go into one request: at most 10 and 3,000 characters, but at least one."""
    batches: list[tuple[int, ...]] = []
    batch: list[int] = []
    size = 0
    for number, text in texts:
        if batch and (len(batch) == SENTENCES_A_REQUEST or size + len(text) > CHARACTERS_A_REQUEST):
            batches.append(tuple(batch))
            batch, size = [], 0
        batch.append(number)
        size += len(text)
    if batch:
        batches.append(tuple(batch))
    return batches


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
