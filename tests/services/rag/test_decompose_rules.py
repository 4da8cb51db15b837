"""Questions of people, and of benchmarks; those of our own chains are tested beside their wording."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rag.decompose_rules import MOST_PARTS, decompose


@pytest.mark.parametrize(
    ("question", "parts"),
    [
        (
            "Where does the insect that the Northern Fever Institute sequenced breed?",
            ("Which insect did the Northern Fever Institute sequence?", "Where does #1 breed?"),
        ),
        (
            "When was the institute that owned The Collegian founded?",
            ("Which institute owned The Collegian?", "When was #1 founded?"),
        ),
        (
            "What is the capital of the country where the composer of Aschenbrodel was a citizen?",
            (
                "Who is the composer of Aschenbrodel?",
                "Where was #1 a citizen?",
                "What is the capital of #2?",
            ),
        ),
        (
            "Who directed the film that was shot in Leland in 1986?",
            ("Which film was shot in Leland in 1986?", "Who directed #1?"),
        ),
        (
            "Which club's rowers include the person to whom a prize was given by the firm led by Ann Bell?",
            (
                "Which firm was led by Ann Bell?",
                "To whom was a prize given by #1?",
                "Which club's rowers include #2?",
            ),
        ),
        (
            "Who is married to the person whose brother is the author of Red Sails?",
            ("Who is the author of Red Sails?", "Whose brother is #1?", "Who is married to #2?"),
        ),
        (
            "Where is Ann Bell's mother's employer?",
            ("Who is Ann Bell's mother?", "Where is #1's employer?"),
        ),
        (
            "In which harbour does the river on which lies the town twinned with Rell end?",
            (
                "Which town is twinned with Rell?",
                "On which river does #1 lie?",
                "In which harbour does #2 end?",
            ),
        ),
    ],
)
def test_the_innermost_description_is_asked_first(question: str, parts: tuple[str, ...]) -> None:
    assert decompose(question) == parts


@pytest.mark.parametrize(
    "question",
    [
        "Are Christopher Nolan and Sathish Kalathil both film directors?",
        "Which band was formed first The Exies or Circus Diablo ?",
        "Who is the wife of Kim Jong-chul?",
        "Who governs Port Averell?",
        "Scott Howell is a consultant who has worked with the mayor of what city?",
        "What is the name of the river near Rell?",
        "The team is part of a company that has its head office in what city?",
        "",
        "?",
    ],
)
def test_what_cannot_be_taken_apart_stays_as_it_is(question: str) -> None:
    assert decompose(question) == (question,)


WORDS = [
    "the",
    "a",
    "person",
    "club",
    "that",
    "who",
    "whose",
    "where",
    "of",
    "mother",
    "led",
    "by",
    "is",
    "did",
    "Ann",
    "Rell",
    "#1",
    "was",
    "which",
    "in",
    "founded",
    "'s",
    "being",
    "name",
    ",",
    "?",
]


@given(st.lists(st.sampled_from(WORDS), max_size=25))
def test_any_row_of_words_gives_parts_that_only_look_back(words: list[str]) -> None:
    parts = decompose(" ".join(words))
    assert 1 <= len(parts) <= MOST_PARTS + 1
    if "#1" not in words:
        for number, part in enumerate(parts, 1):
            assert all(f"#{later}" not in part for later in range(number, MOST_PARTS + 2))
