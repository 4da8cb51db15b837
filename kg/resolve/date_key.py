"""One key for a date however it is written."""

import calendar
import re
from datetime import date

_MONTHS = {name.casefold(): number for number, name in enumerate(calendar.month_name) if name}
_MONTHS |= {name.casefold(): number for number, name in enumerate(calendar.month_abbr) if name}
_MONTHS["sept"] = 9
_DAYS = "|".join(name.casefold() for name in (*calendar.day_name, *calendar.day_abbr))
_BEFORE = re.compile(rf"^(?:(?:on|in|the|{_DAYS})\b[.,]? ?)+")
_DAY, _MONTH, _YEAR = r"(?P<day>\d{1,2})(?:st|nd|rd|th)?", r"(?P<month>[a-z]{3,9})\.?", r"(?P<year>\d{4})"
_FORMS = tuple(
    re.compile(form)
    for form in (
        rf"{_DAY} (?:of )?{_MONTH},? {_YEAR}",
        rf"{_MONTH} (?:the )?{_DAY},? {_YEAR}",
        rf"{_MONTH}(?: of)?,? {_YEAR}",
    )
)


def date_key(name: str) -> str:
    """ "2031-09-05" for "5 September 2031" and for "September 5th, 2031", "2031-09" for "Sept. 2031".

    What is no day or month of a year stays as it is written, in lower case: "03/04/2031" is two dates.
    """
    folded = " ".join(name.casefold().split())
    bare = _BEFORE.sub("", folded)
    for form in _FORMS:
        found = form.fullmatch(bare)
        if found and (month := _MONTHS.get(found["month"])):
            year, day = int(found["year"]), found.groupdict().get("day")
            if day is None:
                return f"{year:04}-{month:02}"
            if 1 <= int(day) <= calendar.monthrange(year, month)[1]:
                return date(year, month, int(day)).isoformat()
    return folded
