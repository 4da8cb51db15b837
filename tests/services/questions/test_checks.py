from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.questions.checks import CHECKS, MAX_PREDICATE_WORDS, Draft, any_named, first_failure

GOOD = Draft(
    text="Mira Tolland plays for an organisation that is owned by which organisation?",
    predicates=("plays for", "is owned by"),
    start_names=("Mira Tolland", "Tolland"),
    middle_names=("Ostby Rovers", "the Rovers"),
    answer_names=("Halden Shipping", "Halden"),
)


def test_a_good_question_fails_nothing() -> None:
    assert first_failure(GOOD) is None


@pytest.mark.parametrize(
    ("draft", "failure"),
    [
        (replace(GOOD, predicates=("plays for", " ")), "predicate too long"),
        (replace(GOOD, predicates=("plays for", "word " * (MAX_PREDICATE_WORDS + 1))), "predicate too long"),
        (replace(GOOD, predicates=("plays for", "word " * MAX_PREDICATE_WORDS)), None),
        (replace(GOOD, text="Mira Tolland left Halden for which organisation?"), "answer in the question"),
        (replace(GOOD, text="Mira Tolland left HALDEN SHIPPING for which?"), "answer in the question"),
        (replace(GOOD, text="Mira Tolland left Halden's for which?"), "answer in the question"),
        (replace(GOOD, text="Mira Tolland's Rovers play for which?"), "middle entity in the question"),
        (replace(GOOD, answer_names=("The Tolland",), text="M. T. met which?"), "start and answer are one"),
    ],
)
def test_what_is_wrong_is_named(draft: Draft, failure: str | None) -> None:
    assert first_failure(draft) == failure


def test_every_check_can_fail() -> None:
    """So that none is listed in vain."""
    failing = {
        "predicate too long": replace(GOOD, predicates=("",)),
        "answer in the question": replace(GOOD, text="Halden?"),
        "middle entity in the question": replace(GOOD, text="Rovers?"),
        "start and answer are one": replace(GOOD, start_names=("Halden",)),
    }
    assert failing.keys() == CHECKS.keys()
    assert {name: first_failure(draft) for name, draft in failing.items()} == {name: name for name in failing}


@pytest.mark.parametrize(
    ("text", "name", "named"),
    [
        ("Who runs the Brel Co.?", "Brel", True),
        ("Who met Ana Brel in May?", "Dr. Ana Brel", True),
        ("Who met Zoë?", "Zoe", True),
        ("Who likes Brelton?", "Brel", False),
        ("Who likes Ana B. Brel?", "Ana Brel", False),
        ("Who lives in High St in Vell?", "High St", True),
        ("Who lives in High St?", "High St", True),
        ("Who?", "", False),
        ("", "Brel", False),
    ],
)
def test_a_name_is_found_as_whole_words_in_any_spelling(text: str, name: str, named: bool) -> None:
    assert any_named(text, [name]) == named


@given(st.lists(st.from_regex(r"[a-z]{1,6}", fullmatch=True), min_size=1, max_size=3))
def test_a_name_between_other_words_is_always_found(words: list[str]) -> None:
    name = " ".join(words).title()
    assert any_named(f"Xyzzy {name} qwerty", ["Nobody Else", name])
