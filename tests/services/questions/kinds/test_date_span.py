"""What can be said of two dates that may be partly known."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.questions.kinds.event_order import date_span, dates_agree


@pytest.mark.parametrize(
    ("name", "first", "last"),
    [
        ("1904", date(1904, 1, 1), date(1904, 12, 31)),
        ("2031-02", date(2031, 2, 1), date(2031, 2, 28)),
        ("5 September 2031", date(2031, 9, 5), date(2031, 9, 5)),
        ("Sept. 2031", date(2031, 9, 1), date(2031, 9, 30)),
    ],
)
def test_a_date_means_these_days(name: str, first: date, last: date) -> None:
    span = date_span(name)
    assert span is not None
    assert (span.first, span.last) == (first, last)


@pytest.mark.parametrize("name", ["the 1990s", "03/04/2031", "Monday", "2031-13", "2031-02-30", "0000", ""])
def test_what_no_calendar_holds_has_no_days(name: str) -> None:
    assert date_span(name) is None


@pytest.mark.parametrize(
    ("one", "other", "agree"),
    [
        ("2031-08-25", "25 August 2031", True),
        ("25 August 2031", "26 August 2031", False),
        ("2031-02", "2031-03-01", False),
        ("2031-02", "13 February 2031", None),
        ("2031", "2031-02", None),
        ("early 2031", "1904", None),
    ],
)
def test_dates_agree_only_where_that_can_be_told(one: str, other: str, agree: bool | None) -> None:
    assert dates_agree(one, other) is agree
    assert dates_agree(other, one) is agree


@given(st.dates(date(1000, 1, 1), date(9999, 12, 31)), st.dates(date(1000, 1, 1), date(9999, 12, 31)))
def test_a_day_is_never_before_or_after_its_own_month(one: date, other: date) -> None:
    day, month = date_span(one.isoformat()), date_span(other.isoformat()[:7])
    assert day is not None
    assert month is not None
    within = (one.year, one.month) == (other.year, other.month)
    assert (day.order(month) is None) == within
    assert within or (day.order(month) == "before") == (one < other)
