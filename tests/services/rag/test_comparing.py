"""Yes or no, before or after, one of two: what the reader makes of facts about two things."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.model import EntityType
from services.rag.comparing import Day, day_of, earlier
from services.rag.question_words import question_form
from services.rag.reader import NO_ANSWER, read_answer
from tests.examples import examples, read_examples
from tests.services.rag.passages import passage

NAMES: dict[str, EntityType] = read_examples("services/rag/comparing")["names"]
WORLD = [
    passage(
        "Ostrivax was approved on 12 September 2031. Ostrivax is made by Pellworth.",
        1,
        NAMES,
        [("Ostrivax", "was approved on", "12 September 2031"), ("Ostrivax", "is made by", "Pellworth")],
        source="The Gazette",
        published="2031-09-13",
    ),
    passage(
        "Nephrolan was approved on 3 May 2031. Nephrolan is made by Pellworth. Sabre leads no trial.",
        2,
        NAMES,
        [("Nephrolan", "was approved on", "3 May 2031"), ("Nephrolan", "is made by", "Pellworth")],
        source="Harbour News",
        published="2031-05-04",
    ),
    passage(
        "Lanternside has 21,000 seats. Foundry Park has 18,200 seats. It opened in 1999.",
        3,
        NAMES,
    ),
    passage(
        "Roz Vale was born in Lindhaven. Ida Holm was born in Greymoor.",
        4,
        NAMES,
        [("Roz Vale", "was born in", "Lindhaven"), ("Ida Holm", "was born in", "Greymoor")],
    ),
]


@examples("question, answer")
def test_two_things_are_compared(question: str, answer: str) -> None:
    assert read_answer(question, WORLD).answer == answer


def test_which_of_two_is_told_by_a_fact_before_a_sentence_that_names_one() -> None:
    text = "Ida Holm knew Greymoor well. The Greymoor-born Vale knew her."
    seen = [passage(text, 1, NAMES, [("Roz Vale", "was born in", "Greymoor")])]
    assert read_answer("Which of Roz Vale and Ida Holm was born in Greymoor?", seen).answer == "Roz Vale"


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Do The Gazette and Harbour News both say that Ostrivax is made by Pellworth?", "Yes"),
        ("Do The Gazette and Harbour News both report that Nephrolan is made by Pellworth?", "No"),
        ("Do The Gazette and The Post both say that Ostrivax is made by Pellworth?", NO_ANSWER),
    ],
)
def test_two_sources_say_the_same_if_passages_of_both_state_it(question: str, answer: str) -> None:
    again = passage(
        "Ostrivax is made by Pellworth.",
        5,
        NAMES,
        [("Ostrivax", "is made by", "Pellworth")],
        source="Harbour News",
    )
    assert read_answer(question, [*WORLD, again]).answer == answer


@examples("question")
def test_what_can_not_be_compared_has_no_answer(question: str) -> None:
    assert read_answer(question, WORLD).answer == NO_ANSWER


@examples("text, day")
def test_a_date_needs_its_year(text: str, day: Day | None) -> None:
    assert day_of(text) == day


def test_a_date_that_is_part_of_another_is_not_before_it() -> None:
    assert earlier((2031, 5, 0), (2031, 6, 0)) is True
    assert earlier((2031, 5, 0), (2031, 5, 3)) is None
    assert earlier((2031, 0, 0), (2031, 5, 3)) is None
    assert earlier((2031, 5, 3), (2031, 5, 3)) is None


DAYS = st.tuples(st.integers(1800, 2100), st.integers(0, 12), st.integers(0, 28))


@given(DAYS, DAYS)
def test_of_two_days_one_is_earlier_or_neither(one: Day, other: Day) -> None:
    forth, back = earlier(one, other), earlier(other, one)
    assert (forth is None and back is None) or forth is not back


@examples("question, kind")
def test_the_form_of_a_question_is_told(question: str, kind: str) -> None:
    assert question_form(question).kind == kind


def test_a_capital_and_is_part_of_a_title() -> None:
    assert question_form("Where was the director of Blood And Donuts born?").kind == "open"
    assert question_form("What is the birthplace of the director of Blood And Donuts?").kind == "open"
    assert question_form("Which of Roz Vale and Ida Holm was born in Greymoor?").kind == "which of two"
