"""How long an endpoint asks to be left alone (RFC 9110, section 10.2.3)."""

from collections.abc import Mapping
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from math import isfinite


def retry_after_seconds(headers: Mapping[str, str]) -> float | None:
    """The pause that `Retry-After` names in seconds or as a date, or `retry-after-ms`, if any.

    A date is held against the endpoint's own clock (`Date`) where it tells it, since ours may differ.
    """
    milliseconds = _number(headers.get("retry-after-ms"))
    if milliseconds is not None:
        return milliseconds / 1000
    named = headers.get("retry-after")
    seconds = _number(named)
    if seconds is not None:
        return seconds
    until = _date(named)
    if until is None:
        return None
    now = _date(headers.get("date")) or datetime.now(UTC)
    return max(0.0, (until - now).total_seconds())


def _number(text: str | None) -> float | None:
    try:
        value = float(text or "")
    except ValueError:
        return None
    return value if isfinite(value) and value >= 0 else None


def _date(text: str | None) -> datetime | None:
    try:
        found = parsedate_to_datetime(text or "")
    except ValueError:
        return None
    # "-0000" and a missing zone give a date without one; HTTP dates are in UTC.
    return found if found.tzinfo else found.replace(tzinfo=UTC)
