"""Whether the days of filters are days."""

from datetime import date

from kg.errors import SettingsError
from services.rag.protocol import Filters


def check_dates(filters: Filters) -> None:
    """Make sure that `since` and `until` are ISO dates or empty.

    Raises:
        SettingsError: one is not.
    """
    for day in (filters.since, filters.until):
        if day and not _is_date(day):
            raise SettingsError(f"{day!r} is not a date to filter by.", "Give one like 2024-03-31.")


def _is_date(day: str) -> bool:
    try:
        return date.fromisoformat(day).isoformat() == day
    except ValueError:
        return False
