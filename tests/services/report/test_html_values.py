"""Shares as a page writes them in a sentence."""

from services.report.html_values import wrong_words
from tests.examples import examples


@examples("error_rate, answers, told")
def test_of_few_answers_the_numbers_are_told(error_rate: float, answers: int, told: str) -> None:
    assert wrong_words(error_rate, answers) == told


def test_whose_answers_they_are() -> None:
    assert wrong_words(1.0, 2, "of the", " resting on it") == "both of the 2 answers resting on it are wrong"
