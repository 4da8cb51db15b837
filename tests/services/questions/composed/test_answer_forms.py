"""The forms in which an answer counts as right."""

from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.resolve.name_pool import date_key
from services.answers import exact_match
from services.questions.composed.comparing import MOST_FORMS, date_forms, free_forms, known_forms


def test_a_day_is_written_in_several_ways() -> None:
    assert date_forms("September 5th, 2031") == (
        "5 September 2031",
        "September 5, 2031",
        "5 Sep 2031",
        "Sep 5, 2031",
        "2031-09-05",
    )
    assert date_forms("Sept. 2031") == ("September 2031", "Sep 2031", "2031-09")


@pytest.mark.parametrize(
    "answer", ["2031", "03/04/2031", "the 1990s", "31 February 2031", "Ostby Rovers", ""]
)
def test_what_is_no_day_or_month_has_one_form(answer: str) -> None:
    assert date_forms(answer) == ()
    assert known_forms(answer) == (answer,)


@given(st.dates(min_value=date(1000, 1, 1)))
def test_every_form_of_a_date_is_that_date(day: date) -> None:
    forms = known_forms(day.isoformat())
    assert forms[0] == day.isoformat()
    assert {date_key(form) for form in forms} == {day.isoformat()}


def test_forms_that_are_compared_as_one_are_kept_once() -> None:
    assert known_forms("The NHB", ["nhb", "Norholm Health Board"]) == ("The NHB", "Norholm Health Board")
    assert exact_match("NHB", "x", known_forms("The NHB"))


@given(st.lists(st.text(min_size=1)), st.text(min_size=1))
def test_the_answer_stays_first_and_forms_are_bounded(names: list[str], answer: str) -> None:
    forms = known_forms(answer, names)
    assert forms[0] == answer
    assert len(forms) <= MOST_FORMS


def test_other_figures_another_date_and_taken_names_are_no_forms() -> None:
    def kept(answer: str, *forms: str) -> list[str]:
        return list(free_forms(answer, forms, frozenset({"tarn", ""})))

    assert kept("Tarn Quay", "The Quay", "Tarn", "Quay 5", "") == ["The Quay"]
    assert kept("5 May 2031", "May 5, 2031", "May 2031", "6 May 2031", "05/05/2031") == ["May 5, 2031"]
    assert kept("4,586 K", "4586 kelvin", "4,587 K") == ["4586 kelvin"]


def test_a_name_that_only_says_what_it_is_is_no_answer() -> None:
    names = ("Hospital", "the Hospital", "LCH", "Lindhaven")
    assert known_forms("Lindhaven Children's Hospital", names) == (
        "Lindhaven Children's Hospital",
        "LCH",
        "Lindhaven",
    )
    assert known_forms("Hospital", ("Hospital",)) == ("Hospital",)
