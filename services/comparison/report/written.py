"""How figures are written in the report of a judged comparison."""

from services.report.html_values import (
    Entry,
    none,
    p_text,
    points,
    points_range,
    whole,
)
from services.statistics.intervals import Interval

JUDGE_WORDS = {"judge": "judge", "second_judge": "second judge", "none": "no judge"}
"""How a role is called in the report."""


def share(value: float) -> str:
    """A share in per cent with one decimal place."""
    return f"{100 * value:.1f}%"


def share_range(interval: Interval) -> str:
    """An interval of a share."""
    return f"{100 * interval.low:.1f} to {100 * interval.high:.1f}%"


def share_entry(value: float | None, notes: tuple[str, ...] = (), why: str = "undefined") -> Entry:
    """A share in a table, or why there is none."""
    return none(why) if value is None else Entry(share(value), notes)


def points_entry(value: float | None, interval: Interval | None = None, why: str = "undefined") -> Entry:
    """A difference in percentage points with its interval, or why there is none."""
    if value is None:
        return none(why)
    return Entry(points(value), () if interval is None else (points_range(interval),))


def range_entry(interval: Interval | None, why: str = "undefined") -> Entry:
    """An interval of a difference in percentage points, or why there is none."""
    return none(why) if interval is None else Entry(points_range(interval))


def p_entry(p: float | None, notes: tuple[str, ...] = (), why: str = "undefined") -> Entry:
    """A p-value in a table, or why there is none."""
    return none(why) if p is None else Entry(p_text(p), notes)


def count_entry(number: float | None, why: str = "undefined") -> Entry:
    """A count in a table, or why there is none."""
    return none(why) if number is None else Entry(whole(number))
