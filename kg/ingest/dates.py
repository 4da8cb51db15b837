"""Publication dates as newsrooms, feeds and exports write them."""

import re
from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

# `strptime` with %B would read month names in the language of the machine.
_MONTHS = (
    "january", "february", "march", "april", "may", "june",
    "july", "august", "september", "october", "november", "december",
)  # fmt: skip
_WEEKDAY = r"(?:(?:mon|tues?|wed(?:nes)?|thu(?:rs)?|fri|sat(?:ur)?|sun)(?:day)?\.?,?\s+)?"
_MONTH_FIRST = re.compile(
    _WEEKDAY + r"(?P<month>[a-z]{3,9})\.?\s+(?P<day>\d{1,2})(?:st|nd|rd|th)?,?\s+(?P<year>\d{4})", re.I
)
_DAY_FIRST = re.compile(
    _WEEKDAY + r"(?P<day>\d{1,2})(?:st|nd|rd|th)?\s+(?P<month>[a-z]{3,9})\.?,?\s+(?P<year>\d{4})", re.I
)
_NUMERIC = re.compile(r"(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})(?:(?:T|\s+)(\d.*))?")
_MAIL = re.compile(r"(?:[a-z]{3},\s*)?\d{1,2}\s+[a-z]{3}\s+\d{4}\s+\d{1,2}:\d{2}.*", re.I)
_NUMBER = re.compile(r"\d{9,14}(?:\.\d{1,9})?")

_FIRST_MILLISECONDS = 1e11
"""As seconds this would be the year 5138, so a number from here on counts milliseconds."""
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def parse_date(text: str) -> datetime | None:
    """The moment that `text` names, with a time zone, or None when it can't be told.

    Read are ISO 8601, RFC 2822, 2019/01/04, "January 4, 2019", "Fri, 4 Jan 2019" and seconds (or
    milliseconds) since 1970 with at least nine digits. A date without a time is midnight, a time
    without a zone is UTC. "04/01/2019" is not read: it means two days.
    """
    text = text.strip()
    try:
        moment = _parse(text)
    except (ValueError, OverflowError):
        return None
    if moment is None:
        return None
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _parse(text: str) -> datetime | None:
    if _NUMBER.fullmatch(text):
        number = float(text)
        return _EPOCH + timedelta(seconds=number / 1000 if number >= _FIRST_MILLISECONDS else number)
    if match := _NUMERIC.fullmatch(text):
        year, month, day, time = match.groups()
        date = f"{year}-{int(month):02}-{int(day):02}"
        return datetime.fromisoformat(f"{date}T{_iso_time(time)}" if time else date)
    for pattern in (_MONTH_FIRST, _DAY_FIRST):
        if match := pattern.fullmatch(text):
            return datetime(int(match["year"]), _month(match["month"]), int(match["day"]))
    if _MAIL.fullmatch(text):
        return parsedate_to_datetime(text)
    return datetime.fromisoformat(text)


def _iso_time(time: str) -> str:
    """ "10:00:00 +0100" and "10:00 UTC" in the one form that the standard library reads."""
    time = re.sub(r"\s*(?:UTC|GMT)$", "+00:00", time.strip())
    return re.sub(r"\s+(?=[+-])", "", time)


def _month(name: str) -> int:
    """The number of a month by its English name or an abbreviation of it ("Sept")."""
    for number, month in enumerate(_MONTHS, start=1):
        if month.startswith(name.lower()):
            return number
    raise ValueError(name)
