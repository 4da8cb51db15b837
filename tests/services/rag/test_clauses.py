"""Questions of several clauses about one unknown, taken apart and answered."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rag.clauses import Clause, clauses_of
from services.rag.reader import NO_ANSWER, read_answer
from tests.examples import examples
from tests.services.rag.passages import passage


@examples("question, clauses")
def test_each_clause_becomes_a_question_with_its_source(
    question: str, clauses: list[tuple[str, str]]
) -> None:
    assert clauses_of(question) == tuple(Clause(*one) for one in clauses)


TOLD = [
    passage(
        "Halden Shipping was founded by Greta Lindqvist. Norholm Cement was founded by Anton Brask.",
        1,
        facts=[
            ("Halden Shipping", "was founded by", "Greta Lindqvist"),
            ("Norholm Cement", "was founded by", "Anton Brask"),
        ],
        source="The Gazette",
    ),
    passage(
        "Anton Brask coached the Ostby Rovers.",
        2,
        facts=[("Anton Brask", "coached", "Ostby Rovers")],
        source="The Post",
    ),
    passage(
        "Greta Lindqvist coached the Ostby Rovers.",
        3,
        facts=[("Greta Lindqvist", "coached", "Ostby Rovers")],
        source="The Herald",
    ),
]


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who founded Norholm Cement and coached the Ostby Rovers?", "Anton Brask"),
        ("Who coached the Ostby Rovers and founded Halden Shipping?", "Greta Lindqvist"),
        ("Who coached the Ostby Rovers, according to The Herald?", "Greta Lindqvist"),
        ("Who coached the Ostby Rovers, according to the Post?", "Anton Brask"),
        ("Who coached the Ostby Rovers, according to The Gazette?", NO_ANSWER),
    ],
)
def test_the_candidate_that_the_clauses_fit_best_is_the_answer(question: str, answer: str) -> None:
    assert read_answer(question, TOLD).answer == answer


WORDS = ["Who", "which", "is", "was", "and", ",", "that", "the", "according", "to", "Ostby", "club", "?"]


@given(st.lists(st.sampled_from(WORDS)))
def test_any_row_of_words_is_taken_apart_without_an_error(row: list[str]) -> None:
    assert all(clause.question.endswith("?") for clause in clauses_of(" ".join(row)))
