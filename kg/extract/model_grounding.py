"""What a claim says that its article can't have told, found without asking a model."""

import re
from collections.abc import Iterator, Mapping
from datetime import date

from kg.extract.dates import MONTH, MONTHS, WEEKDAYS

_WORD = re.compile(r"[^\W\d_](?:[\w\u2019'.-]*\w)?")
_SHORTENED = re.compile(r"['\u2019](?:s|d|ll|re|ve|m)?$")
_CAPITALISED_ANYWHERE = frozenset(
    {"i", "mr", "mrs", "ms", "dr", *(month.lower() for month in MONTHS), *WEEKDAYS}
)

_NUMBER = re.compile(r"\d+(?:[.,:]\d+)*")
_DATE = re.compile(
    rf"\b(?:\d{{1,2}} (?:{MONTH})|(?:{MONTH})(?: \d{{1,2}},?)?) (?P<year>\d{{4}})\b"
    r"|\b(?P<only>\d{4})\b(?!-\d)|\b(?P<iso>\d{4})(?:-\d\d){1,2}\b",
    re.IGNORECASE,
)
_UNITS: Mapping[str, int] = {
    word: number
    for number, word in enumerate(
        (
            *("zero", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"),
            *("eleven", "twelve", "thirteen", "fourteen", "fifteen", "sixteen", "seventeen", "eighteen"),
            *("nineteen", "twenty"),
        )
    )
} | {"first": 1, "second": 2, "third": 3, "a": 1, "an": 1, "once": 1, "twice": 2, "dozen": 12}
_TENS: Mapping[str, int] = {
    word: 10 * number
    for number, word in enumerate(
        ("twenty", "thirty", "forty", "fifty", "sixty", "seventy", "eighty", "ninety"), start=2
    )
} | {"hundred": 100, "thousand": 1_000, "million": 1_000_000, "billion": 1_000_000_000}


def ungrounded(claim: str, text: str, published: date | None) -> str:
    """Why a claim can't be right, by its names and numbers alone; empty where they are the article's.

    `text` is the whole article, title included.
    """
    if names := unknown_names(claim, text):
        return f"names what the article doesn't: {', '.join(names)}"
    if numbers := unknown_numbers(claim, text, published):
        return f"has numbers that the article doesn't: {', '.join(numbers)}"
    return ""


def unknown_names(claim: str, text: str) -> list[str]:
    """Capitalised words of a claim that neither the article nor a calendar has: known elsewhere, or made up.

    The first word of a claim doesn't count, as every claim begins with a capital.
    """
    known = {_plain_word(word) for word in _WORD.findall(text)} | _CAPITALISED_ANYWHERE
    known |= {part for word in known for part in word.split("-")}
    capitalised = (word for word in _WORD.findall(claim)[1:] if word[0].isupper())
    return [
        word
        for word in capitalised
        if _plain_word(word) not in known and not known.issuperset(_plain_word(word).split("-"))
    ]


def unknown_numbers(claim: str, text: str, published: date | None) -> list[str]:
    """Numbers of a claim that the article has neither in figures nor in words.

    Days, months and years that can be counted from the article's date ("last Friday", "ten years ago") are
    known where there is such a date.
    """
    known = set(map(_plain_number, _NUMBER.findall(text))) | set(_in_figures(text))
    counted = [] if published is None else [*_counted_dates(claim, published, known)]
    return [
        found[0]
        for found in _NUMBER.finditer(claim)
        if _plain_number(found[0]) not in known
        and not any(start <= found.start() and found.end() <= end for start, end in counted)
    ]


def _counted_dates(claim: str, published: date, known: set[str]) -> Iterator[tuple[int, int]]:
    """The places of dates whose year is next to the article's, or as many years off as the text says."""
    for found in _DATE.finditer(claim):
        year = int(found["year"] or found["only"] or found["iso"])
        if abs(year - published.year) <= 1 or str(abs(year - published.year)) in known:
            yield found.span()


def _in_figures(text: str) -> Iterator[str]:
    """The numbers that stand in words: "twenty-five" as 25."""
    for word in _WORD.findall(text.lower()):
        tens, _, unit = word.partition("-")
        if word in _UNITS or word in _TENS:
            yield str(_UNITS.get(word) or _TENS.get(word, 0))
        elif tens in _TENS and unit in _UNITS:
            yield str(_TENS[tens] + _UNITS[unit])


def _plain_number(number: str) -> str:
    return number.replace(",", "")


def _plain_word(word: str) -> str:
    return _SHORTENED.sub("", word).casefold().replace(".", "")
