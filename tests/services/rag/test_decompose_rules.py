"""Questions of people, and of benchmarks; those of our own chains are tested beside their wording.

Questions of several clauses about one unknown, taken apart and answered.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rag.decompose_rules import MOST_PARTS, Clause, clauses_of, decompose
from services.rag.reader import NO_ANSWER, read_answer
from tests.examples import examples, read_examples
from tests.services.rag.passages import passage


@examples("question, parts")
def test_the_innermost_description_is_asked_first(question: str, parts: tuple[str, ...]) -> None:
    assert decompose(question) == parts


@examples("question")
def test_what_cannot_be_taken_apart_stays_as_it_is(question: str) -> None:
    assert decompose(question) == (question,)


WORDS: list[str] = list(read_examples("services/rag/decompose_rules")["words"])


@given(st.lists(st.sampled_from(WORDS), max_size=25))
def test_any_row_of_words_gives_parts_that_only_look_back(words: list[str]) -> None:
    parts = decompose(" ".join(words))
    assert 1 <= len(parts) <= MOST_PARTS + 1
    if "#1" not in words:
        for number, part in enumerate(parts, 1):
            assert all(f"#{later}" not in part for later in range(number, MOST_PARTS + 2))


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


CLAUSE_WORDS = [
    "Who",
    "which",
    "is",
    "was",
    "and",
    ",",
    "that",
    "the",
    "according",
    "to",
    "Ostby",
    "club",
    "?",
]


@given(st.lists(st.sampled_from(CLAUSE_WORDS)))
def test_any_row_of_words_is_taken_apart_without_an_error(row: list[str]) -> None:
    assert all(clause.question.endswith("?") for clause in clauses_of(" ".join(row)))
