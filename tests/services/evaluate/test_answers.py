"""Answers: SQuAD normalisation, exact match, answer match, token F1, abstention."""

from pathlib import Path
from typing import Any

import pytest
import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from services.answer_match import match_answer
from services.answers import exact_match, is_abstention, normalise_answer, token_f1
from tests.examples import examples


@examples("text, normalised")
def test_normalise(text: str, normalised: str) -> None:
    assert normalise_answer(text) == normalised


@settings(deadline=None)
@given(st.text(max_size=60))
def test_normalising_leaves_no_ascii_punctuation_nor_spare_blanks(text: str) -> None:
    normalised = normalise_answer(text)
    assert not set(normalised) & set("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~")
    assert normalised == " ".join(normalised.split())


def test_exact_match_takes_an_alias() -> None:
    assert exact_match("the New York Times.", "New York Times")
    assert not exact_match("NYT", "New York Times")
    assert exact_match("N.Y.T.", "New York Times", ["NYT"])


def test_answers_of_which_normalising_leaves_nothing_are_not_all_alike() -> None:
    assert exact_match("a", "A")
    assert not exact_match("the", "A")
    assert not exact_match("", "A")
    assert token_f1("?!", "A") == 0.0


def test_f1_worked_example() -> None:
    # Two tokens shared ("new", "york"), three predicted, four in the gold answer: 2 * 2 / 7.
    assert token_f1("New York City", "the New York Stock Exchange") == pytest.approx(4 / 7)
    # Repeated words count as often as both have them.
    assert token_f1("very very very good", "very very bad") == pytest.approx(2 * 2 / 7)


def test_f1_takes_the_best_alias() -> None:
    assert token_f1("United States", "USA") == 0.0
    assert token_f1("United States", "USA", ["United States of America"]) == pytest.approx(2 * 2 / 6)


def test_empty_answers() -> None:
    assert token_f1("", "") == 1.0
    assert token_f1("", "Paris") == 0.0
    assert token_f1("Paris", "") == 0.0


@settings(deadline=None)
@given(st.text("ab the.", max_size=20), st.text("ab the.", max_size=20))
def test_f1_is_symmetric_within_bounds_and_full_on_a_match(one: str, other: str) -> None:
    score = token_f1(one, other)
    assert 0 <= score <= 1
    assert score == token_f1(other, one)
    if exact_match(one, other):
        assert score == 1


DATA = Path(__file__).parents[2] / "data"
SENTENCES = yaml.safe_load((DATA / "abstentions.yaml").read_text(encoding="utf-8"))
MATCHES = yaml.safe_load((DATA / "answer_matches.yaml").read_text(encoding="utf-8"))


def test_abstentions_are_told_from_answers() -> None:
    """Both recall and precision; decision 57 has them over sentences that no form was made for."""
    missed = [text for text in SENTENCES["abstain"] if not is_abstention(text)]
    mistaken = [text for text in SENTENCES["say"] if is_abstention(text)]
    assert (missed, mistaken) == ([], [])
    assert (len(SENTENCES["abstain"]), len(SENTENCES["say"])) >= (320, 210)


@pytest.mark.parametrize("case", MATCHES, ids=lambda case: case["given"][:60])
def test_answers_in_sentences_say_the_gold_answer_or_not(case: dict[str, Any]) -> None:
    found = match_answer(
        case["given"],
        case["gold"],
        case.get("accepted", ()),
        case.get("question", ""),
        case.get("chain", ()),
    )
    assert found.right is case["right"], found.why
