from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.ingest.read import parse_date

MORNING = datetime(2019, 1, 4, tzinfo=UTC)


@pytest.mark.parametrize(
    "text",
    [
        "2019-01-04",
        " 2019-01-04 ",
        "20190104",
        "2019/01/04",
        "2019/1/4",
        "2019-01-04T00:00:00",
        "2019-01-04 00:00:00 UTC",
        "2019-01-04T00:00:00Z",
        "January 4, 2019",
        "Jan. 4, 2019",
        "Friday, January 4, 2019",
        "4 January 2019",
        "4th January 2019",
        "Fri, 4 Jan 2019",
        "Fri, 04 Jan 2019 00:00:00 GMT",
        "Fri, 04 Jan 2019 00:00:00 -0000",
        "1546560000",
        "1546560000.0",
        "1546560000000",
    ],
)
def test_every_form_of_one_morning(text: str) -> None:
    assert parse_date(text) == MORNING


def test_a_zone_is_kept_so_that_the_local_day_stays_known() -> None:
    expected = datetime(2019, 1, 4, 23, 30, tzinfo=timezone(timedelta(hours=-5)))
    for text in ("2019-01-04T23:30:00-05:00", "2019-01-04 23:30 -0500", "Fri, 04 Jan 2019 23:30:00 -0500"):
        moment = parse_date(text)
        assert moment == expected
        assert moment is not None
        assert moment.day == 4


@pytest.mark.parametrize(
    "text",
    [
        "",
        "yesterday",
        "04/01/2019",
        "2019",
        "2019-13-45",
        "31 June 2019",
        "5 Foo 2019",
        "12345",
        "nan",
        "true",
    ],
)
def test_what_is_not_one_certain_day_is_none(text: str) -> None:
    assert parse_date(text) is None


@settings(deadline=None)
@given(st.datetimes(timezones=st.just(UTC)))
def test_iso_round_trip(moment: datetime) -> None:
    assert parse_date(moment.isoformat()) == moment


@settings(deadline=None)
@given(st.text() | st.from_regex(r"[0-9a-zA-Z ,:/+.-]{1,30}", fullmatch=True))
def test_any_text_is_a_zoned_moment_or_none(text: str) -> None:
    moment = parse_date(text)
    assert moment is None or moment.utcoffset() is not None
