"""What is a failure of form, and what is not."""

from dataclasses import replace

import pytest

from services.evaluate.attribution.words_in_text import LONGER, OTHER_DATE, SHORTER, wrong_form
from tests.services.evaluate.attribution.made_traces import QUESTION, TRACE

CHOICE = "Which of Ann Brel and Ben Carr was born first?"


@pytest.mark.parametrize(
    ("given", "gold", "form"),
    [
        ("It was Greta Lindqvist, in 1903", "Greta Lindqvist", LONGER),
        ("Lindqvist", "Greta Lindqvist", SHORTER),
        ("10 February 2031", "2031-02-10", OTHER_DATE),
        ("Yes, it did.", "Yes", LONGER),
        ("It was not Greta Lindqvist", "Greta Lindqvist", ""),
        ("Yes and no", "Yes", ""),
        ("There is no such thing", "No", ""),
        ("Clinic", "Tavisk Island Clinic", ""),
        ("Otto Pelham", "Greta Lindqvist", ""),
        ("2031", "10 February 2031", ""),
    ],
)
def test_right_content_in_a_wrong_form(given: str, gold: str, form: str) -> None:
    trace = replace(TRACE, answer_text=given, gold=gold, accepted=(gold,), abstained=False)
    assert wrong_form(trace) == form


@pytest.mark.parametrize(
    ("given", "form"),
    [
        ("Ann Brel, who was born in 1903", LONGER),
        ("The first was Ann Brel", LONGER),
        ("Both, Ann Brel and Ben Carr", ""),
    ],
)
def test_a_choice_must_be_made_to_be_right(given: str, form: str) -> None:
    trace = replace(
        TRACE,
        question_text=CHOICE,
        answer_text=given,
        gold="Ann Brel",
        accepted=("Ann Brel",),
        abstained=False,
    )
    assert wrong_form(trace) == form


def test_an_abstention_has_no_content() -> None:
    assert wrong_form(replace(TRACE, question_text=QUESTION, answer_text="")) == ""


def test_the_beginning_of_another_name_is_no_form_of_it() -> None:
    greymoor = replace(TRACE, gold="Greymoor", accepted=("Greymoor",), abstained=False)
    assert wrong_form(replace(greymoor, answer_text="Greymoor Observatory")) == ""
    assert wrong_form(replace(greymoor, answer_text="in Greymoor, I think")) == LONGER
    assert wrong_form(replace(greymoor, answer_text="The town of Greymoor")) == LONGER
