"""The days that a date may mean, and what can be said of two dates when they are partly known."""

import calendar
import re
from dataclasses import dataclass
from datetime import date
from typing import Literal

from kg.resolve.date_key import date_key

_FORM = re.compile(r"(?P<year>\d{4})(?:-(?P<month>\d{2})(?:-(?P<day>\d{2}))?)?")


@dataclass(frozen=True, slots=True)
class DateSpan:
    """The first and the last day that a date may mean: of "2031-02", the 1st and the 28th of February."""

    first: date
    last: date

    def order(self, other: "DateSpan") -> Literal["before", "after"] | None:
        """Which of the two is earlier, None where they may be the same day."""
        if self.last < other.first:
            return "before"
        return "after" if other.last < self.first else None


def date_span(name: str) -> DateSpan | None:
    """The days of a year, a month or a day, however written; None for anything else ("the 1990s")."""
    found = _FORM.fullmatch(date_key(name))
    if found is None:
        return None
    year, month, day = (int(found[part] or 0) for part in ("year", "month", "day"))
    try:
        if day:
            return DateSpan(date(year, month, day), date(year, month, day))
        if month:
            return DateSpan(date(year, month, 1), date(year, month, calendar.monthrange(year, month)[1]))
        return DateSpan(date(year, 1, 1), date(year, 12, 31))
    except (ValueError, calendar.IllegalMonthError):
        return None


def dates_agree(one: str, other: str) -> bool | None:
    """Whether two dates are the same; None where one may be a rough form of the other."""
    if date_key(one) == date_key(other):
        return True
    first, second = date_span(one), date_span(other)
    return False if first and second and first.order(second) else None
