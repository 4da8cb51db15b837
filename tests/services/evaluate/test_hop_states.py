"""What is a failure of form, and what is not.

Which hops a query asks for.
"""

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.evaluate.hop_states import LONGER, OTHER_DATE, SHORTER, Asks, hop_words, match_query, wrong_form
from services.evaluate.hop_traces import GoldHop
from tests.services.evaluate.made_traces import QUESTION, TRACE

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


HOPS = hop_words(TRACE)


@pytest.mark.parametrize(
    ("query", "asked"),
    [
        ("Which club does Mira Tolland play for?", {1}),
        ("Tolland's players' club", {1}),
        ("Ostby Rovers", {2}),
        ("owner of the Ostby Rovers", {2}),
        ("Who founded the company that owns the Ostby Rovers?", {2, 3}),
        ("Who founded (Who owns (Which club does Mira Tolland play for))?", {1, 2, 3}),
        ("the founding of Halden Shipping", {3}),
        (QUESTION, {1, 2, 3}),
        (f"{QUESTION} Ostby Rovers", {1, 2, 3}),
        ("the price of soup", set()),
        ("", set()),
    ],
)
def test_a_query_asks_for_what_it_names_and_relates(query: str, asked: set[int]) -> None:
    assert match_query(query, QUESTION, HOPS).hops == asked


def test_a_relation_of_something_else_is_elsewhere() -> None:
    assert match_query("Who owns the Norholm Health Board?", QUESTION, HOPS) == Asks(elsewhere=frozenset({2}))


def test_another_relation_of_a_start_is_aside() -> None:
    assert match_query("Where is the ground of the Ostby Rovers?", QUESTION, HOPS) == Asks(
        aside=frozenset({2})
    )


def test_a_word_tells_of_one_hop_only() -> None:
    """Both hops are about a place, and the query asks where one thing is."""
    chain = (
        GoldHop(1, ("c1",), ("Dome",), ("Ostby",), "is located in"),
        GoldHop(2, ("c2",), ("Ostby",), ("Norholm",), "lies in"),
    )
    words = hop_words(replace(TRACE, chain=chain))
    assert match_query("Where is the Dome located?", QUESTION, words).hops == {1}
    assert match_query("Where does the place lie where the Dome is located?", QUESTION, words).hops == {1, 2}


def test_hops_that_stand_beside_each_other_are_asked_for_from_either_end() -> None:
    chain = (
        GoldHop(1, ("c1",), ("Ann Brel",), ("Ostby",), sentences=("Ann Brel was born in Ostby.",)),
        GoldHop(2, ("c2",), ("Ben Carr",), ("Norholm",), sentences=("Ben Carr was born in Norholm.",)),
    )
    words = hop_words(replace(TRACE, kind="comparison", chain=chain))
    assert match_query("Where was Ben Carr born?", QUESTION, words).hops == {2}
    assert match_query("Who was born in Ostby?", QUESTION, words).hops == {1}


@given(st.text(max_size=60))
def test_what_is_asked_for_is_never_elsewhere_or_aside_as_well(query: str) -> None:
    asks = match_query(query, QUESTION, HOPS)
    assert not asks.hops & (asks.elsewhere | asks.aside)
