"""Dates as the article's day makes them whole ("on Monday" -> 2018-12-31)."""

import re
from dataclasses import dataclass
from datetime import date, timedelta

MONTHS = (
    "January", "February", "March", "April", "May", "June", "July", "August", "September", "October",
    "November", "December",
)  # fmt: skip
MONTH = "|".join(MONTHS)
WEEKDAYS = ("monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday")

_NUMBER_WORDS = {
    word: number
    for number, word in enumerate(
        ("one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten"), 1
    )
} | {"a": 1, "an": 1}
_DAY_WORDS = {"today": 0, "tonight": 0, "yesterday": -1, "tomorrow": 1}
_PART_OF_DAY = re.compile(r"(?<!\s)\s++(?:morning|afternoon|evening|night)$")
_LEADING = re.compile(r"^(?:(?:early|late|on|in|earlier|later|the)\s+)+")
_YEAR = re.compile(r"\b(?:1[0-9]|20)\d\d(?:s|\b)|\bcentur(?:y|ies)\b")
_MONTH_DAY = re.compile(
    rf"(?:({MONTH})\s+(\d{{1,2}})|(\d{{1,2}})\s+({MONTH}))(?:st|nd|rd|th)?", re.IGNORECASE
)
_ORDINAL = re.compile(r"(?<=\d)(?:st|nd|rd|th)\b")
_MONTH_ALONE = re.compile(rf"(?:(last|this|next)\s+)?({MONTH})", re.IGNORECASE)
_AGO = re.compile(r"(\w+)\s+(day|week|month|year)s?\s+(?:ago|earlier)")
_DURATION = re.compile(
    r"(?:(?:about|around|over|nearly|almost|at least|up to|more than|less than)\s+)*"
    r"(?:\d[\d.,]*|a|an|one|two|three|four|five|six|seven|eight|nine|ten)"
    r"[\s-]+(?:\w+[\s-]+)?(?:day|week|month|year|decade|season)s?(?:[\s-]+old)?",
)


@dataclass(frozen=True, slots=True)
class Resolved:
    """A date for a triple's object, and whether the article's day was needed to find it."""

    text: str
    relative: bool


def resolve(text: str, published: date | None, ahead: bool = False) -> Resolved | None:
    """The date that `text` means, or None when it can't be told.

    A text that has its own year stays as it is. `ahead` says that the sentence speaks of the future.
    """
    if _YEAR.search(text):
        return Resolved(text, relative=False)
    if published is None or not 1000 <= published.year <= 9000:
        return None
    words = _PART_OF_DAY.sub("", _LEADING.sub("", text.lower().strip()))
    for rule in (_day_word, _weekday, _period, _month_day, _month, _ago):
        found = rule(words, published, ahead)
        if found:
            return Resolved(found, relative=True)
    return None


_PART_OF_PERIOD = re.compile(
    r"(?:(?:the\s+)?(?:early|mid|late|beginning of|start of|middle of|end of)[\s-]+(?:the\s+)?)+",
    re.IGNORECASE,
)
_COUNTED = re.compile(
    r"\b(?:before|after|following|prior|later|earlier|ago|around|about|circa|approximately|days|weeks?|weekend"
    r"|fortnight|months|hours|shortly|soon)\b",
    re.IGNORECASE,
)
_DISTANCE = re.compile(
    r"\b(?:days?|weeks?|months?|years?|hours?|minutes?|shortly|soon|long|just|immediately) "
    r"(?:before|after|from|following|prior to|later than|earlier than)$",
    re.IGNORECASE,
)
_WITHIN_TEXT = "in on at during of for"
_WITHIN = frozenset(_WITHIN_TEXT.split())


def settled(text: str, predicate: str) -> str:
    """The day, month or year that `text` means behind `predicate`; "" where it tells a distance from another.

    "early 11 March 2020" is that day where something happened on it, but no date that it came before. A text
    without a year is left to `resolve`, which counts it from the article's day.
    """
    if _DISTANCE.search(predicate):
        return ""
    if not _YEAR.search(text):
        return text
    if part := _PART_OF_PERIOD.match(text):
        last = predicate.split()[-1:] or [""]
        return text[part.end() :] if last[0].lower() in _WITHIN else ""
    return "" if _COUNTED.search(text) else text


_TIME_OF_DAY = re.compile(r"\b\d{1,2}:\d\d\b|\b\d{1,2}(?:\.\d\d)? ?[ap]\.?m\b|\bo'clock\b", re.IGNORECASE)


def has_time_of_day(text: str) -> bool:
    """Whether the text tells an hour ("8:10 am on 3 May 2031"), which no calendar holds either."""
    return _TIME_OF_DAY.search(text) is not None


def is_duration(text: str) -> bool:
    """Whether the text is a length of time ("two years"), which no calendar holds."""
    return _DURATION.fullmatch(text.lower().strip()) is not None


def _day_word(words: str, published: date, _ahead: bool) -> str:
    if words not in _DAY_WORDS:
        return ""
    return (published + timedelta(days=_DAY_WORDS[words])).isoformat()


def _weekday(words: str, published: date, ahead: bool) -> str:
    *before, day = words.split() or [""]
    if day not in WEEKDAYS or before not in (
        [],
        ["last"],
        ["this"],
        ["next"],
        ["this", "past"],
        ["this", "coming"],
    ):
        return ""
    ahead = ahead if not before else before[-1] in {"next", "coming"}
    back = (published.weekday() - WEEKDAYS.index(day)) % 7
    if before == ["last"] and back == 0:
        back = 7
    return (published + timedelta(days=(7 - back) % 7 or 7 if ahead else -back)).isoformat()


def _period(words: str, published: date, _ahead: bool) -> str:
    which, _, unit = words.partition(" ")
    step = {"last": -1, "this": 0, "next": 1, "previous": -1, "current": 0}.get(which)
    if step is None:
        return ""
    if unit == "year":
        return str(published.year + step)
    if unit == "month":
        return _month_text(published.year * 12 + published.month - 1 + step)
    return ""


def _month_day(words: str, published: date, _ahead: bool) -> str:
    found = _MONTH_DAY.fullmatch(_ORDINAL.sub("", words))
    if found is None:
        return ""
    month = _month_number(found[1] or found[4])
    day = int(found[2] or found[3])
    years = (published.year - 1, published.year, published.year + 1)
    candidates = [made for made in (_date_or_none(year, month, day) for year in years) if made]
    return min(candidates, key=lambda made: abs(made - published)).isoformat() if candidates else ""


def _month(words: str, published: date, ahead: bool) -> str:
    found = _MONTH_ALONE.fullmatch(words)
    if found is None:
        return ""
    month = _month_number(found[2])
    year = published.year
    if found[1] == "last" and month >= published.month:
        year -= 1
    elif found[1] == "next" and month <= published.month:
        year += 1
    elif not found[1] and not ahead and month > published.month:
        year -= 1
    elif not found[1] and ahead and month < published.month:
        year += 1
    return _month_text(year * 12 + month - 1)


def _ago(words: str, published: date, _ahead: bool) -> str:
    found = _AGO.fullmatch(words)
    if found is None:
        return ""
    count = int(found[1]) if found[1].isdecimal() else _NUMBER_WORDS.get(found[1], 0)
    if not 0 < count < 1000:
        return ""
    if found[2] == "year":
        return str(published.year - count)
    if found[2] == "month":
        return _month_text(published.year * 12 + published.month - 1 - count)
    return (published - timedelta(days=count * (7 if found[2] == "week" else 1))).isoformat()


def _month_number(name: str) -> int:
    return MONTHS.index(name.capitalize()) + 1


def _month_text(months: int) -> str:
    return f"{months // 12}-{months % 12 + 1:02d}"


def _date_or_none(year: int, month: int, day: int) -> date | None:
    try:
        return date(year, month, day)
    except ValueError:
        return None
