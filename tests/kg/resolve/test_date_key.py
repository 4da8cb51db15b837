from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.model import EntityName
from kg.resolve.exact import merge_exact
from kg.resolve.name_pool import date_key


@pytest.mark.parametrize(
    "written",
    [
        "5 September 2031",
        "September 5, 2031",
        "Sept. 5th, 2031",
        "the 5th of September 2031",
        "Friday, 5 Sep 2031",
        "on Friday 5 September, 2031",
        "2031-09-05",
    ],
)
def test_a_day_has_one_key(written: str) -> None:
    assert date_key(written) == "2031-09-05"


@pytest.mark.parametrize(
    ("written", "key"),
    [
        ("September 2031", "2031-09"),
        ("2031-09", "2031-09"),
        ("2031", "2031"),
        ("03/04/2031", "03/04/2031"),
        ("31 February 2031", "31 february 2031"),
        ("5 Brumaire 2031", "5 brumaire 2031"),
        ("the 1990s", "the 1990s"),
    ],
)
def test_other_dates(written: str, key: str) -> None:
    assert date_key(written) == key


@given(st.dates(min_value=date(1000, 1, 1)))
def test_every_day_of_the_calendar(day: date) -> None:
    assert (
        date_key(f"{day.day} {day:%B} {day.year}") == date_key(f"{day:%B} {day.day}, {day.year}") == f"{day}"
    )


@given(st.text(max_size=40))
def test_any_text_has_a_key_that_stays(text: str) -> None:
    assert date_key(date_key(text)) == date_key(text)


def test_dates_of_one_day_are_one_entity_and_numbers_stay_apart() -> None:
    names = [
        EntityName("5 September 2031", "DATE", frozenset({"a"}), 1),
        EntityName("2031-09-05", "DATE", frozenset({"b"}), 3),
        EntityName("6 September 2031", "DATE", frozenset({"b"}), 1),
    ]
    canonical = merge_exact(names).canonical
    assert canonical["5 September 2031"] == canonical["2031-09-05"] != canonical["6 September 2031"]
