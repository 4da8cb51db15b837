"""Yes or no, before or after, one of two: what the reader makes of facts about two things."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.model import EntityType
from services.rag.comparing import Day, day_of, earlier
from services.rag.question_words import question_form
from services.rag.reader import NO_ANSWER, read_answer
from tests.services.rag.passages import passage

NAMES: dict[str, EntityType] = {
    "Ostrivax": "PRODUCT",
    "Nephrolan": "PRODUCT",
    "Pellworth": "ORG",
    "Sabre": "ORG",
    "Lanternside": "FAC",
    "Foundry Park": "FAC",
    "Lindhaven": "GPE",
    "Greymoor": "GPE",
    "Roz Vale": "PERSON",
    "Ida Holm": "PERSON",
}
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


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Is it true of both Ostrivax and Nephrolan that each is made by the same company?", "Yes"),
        ("Were Roz Vale and Ida Holm born in the same place?", "No"),
        ("Was Roz Vale born in Lindhaven?", "Yes"),
        ("Was Roz Vale born in Greymoor?", "No"),
        ("Was it before or after Ostrivax was approved that Nephrolan was approved?", "Before"),
        ("Was it before or after Nephrolan was approved that Ostrivax was approved?", "After"),
        ("Was Ostrivax approved before or after Nephrolan was approved?", "After"),
        ("Was Nephrolan approved before Ostrivax was approved?", "Yes"),
        ("Was Nephrolan approved after Ostrivax was approved?", "No"),
        ("Which product was approved first, Ostrivax or Nephrolan?", "Nephrolan"),
        ("Which product was approved last, Ostrivax or Nephrolan?", "Ostrivax"),
        ("Which stadium has more seats, Lanternside or Foundry Park?", "Lanternside"),
        ("Which stadium has fewer seats, Lanternside or Foundry Park?", "Foundry Park"),
        ("Which of Roz Vale and Ida Holm was born in Greymoor?", "Ida Holm"),
        (
            "Did The Gazette report that Ostrivax is made by Pellworth before or after Harbour News reported "
            "that Nephrolan is made by Pellworth?",
            "After",
        ),
    ],
)
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


@pytest.mark.parametrize(
    "question",
    [
        "Were Roz Vale and Anton Brask born in the same place?",
        "Was it before or after the flood that the mayor resigned?",
        "Which stadium has more seats, Lanternside or Quayside?",
        "Which product was approved first, Ostrivax or Cardivane?",
        "Does Sabre own Foundry Park?",
    ],
)
def test_what_can_not_be_compared_has_no_answer(question: str) -> None:
    assert read_answer(question, WORLD).answer == NO_ANSWER


@pytest.mark.parametrize(
    ("text", "day"),
    [
        ("on 3 May 1912", (1912, 5, 3)),
        ("on May 3, 1912,", (1912, 5, 3)),
        ("in May 1912", (1912, 5, 0)),
        ("2031-02", (2031, 2, 0)),
        ("2031-02-13", (2031, 2, 13)),
        ("founded in 1896", (1896, 0, 0)),
        ("3 May", None),
        ("18,200 seats", None),
    ],
)
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


@pytest.mark.parametrize(
    ("question", "kind"),
    [
        ("Who owns the club?", "open"),
        ("Is the club owned by a bank?", "yes or no"),
        ("Did it close before or after the flood?", "before or after"),
        ("Which club is older, the Rovers or the Mariners?", "which of two"),
        ("Which of the Rovers and the Mariners is owned by a bank?", "which of two"),
        ("Which club, founded in 1904, is owned by a bank or a brewery of the town?", "open"),
    ],
)
def test_the_form_of_a_question_is_told(question: str, kind: str) -> None:
    assert question_form(question).kind == kind


def test_a_capital_and_is_part_of_a_title() -> None:
    assert question_form("Where was the director of Blood And Donuts born?").kind == "open"
    assert question_form("What is the birthplace of the director of Blood And Donuts?").kind == "open"
    assert question_form("Which of Roz Vale and Ida Holm was born in Greymoor?").kind == "which of two"
