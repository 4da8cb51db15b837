"""Shares as a page writes them in a sentence."""

import pytest

from services.report.html_values import wrong_words


@pytest.mark.parametrize(
    ("error_rate", "answers", "told"),
    [
        (0.6, 5, "60% of its answers are wrong"),
        (1.0, 2, "both of its 2 answers are wrong"),
        (1.0, 4, "all of its 4 answers are wrong"),
        (0.5, 4, "2 of its 4 answers are wrong"),
        (1 / 3, 3, "1 of its 3 answers is wrong"),
        (0.0, 2, "none of its 2 answers is wrong"),
        (1.0, 1, "its one answer is wrong"),
        (0.0, 1, "its one answer is right"),
    ],
)
def test_of_few_answers_the_numbers_are_told(error_rate: float, answers: int, told: str) -> None:
    assert wrong_words(error_rate, answers) == told


def test_whose_answers_they_are() -> None:
    assert wrong_words(1.0, 2, "of the", " resting on it") == "both of the 2 answers resting on it are wrong"
