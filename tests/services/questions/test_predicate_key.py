"""Predicates that say the same in another tense share a key, and only they."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.questions.predicate_key import predicate_key, same_predicates


@pytest.mark.parametrize(
    ("predicate", "key"),
    [
        ("plays for", "play for"),
        ("played for", "play for"),
        ("has played for", "play for"),
        ("is owned by", "be owned by"),
        ("are owned by", "be owned by"),
        ("has been owned by", "be owned by"),
        ("is being built by", "be built by"),
        ("is building barrage in", "build barrage in"),
        ("is building of", "be building of"),
        ("is king of", "be king of"),
        ("founded", "found"),
        ("found", "find"),
        ("will found", "found"),
        ("was founded in", "be founded in"),
        ("has team in", "have team in"),
        ("has had team in", "have team in"),
        ("is Minister of", "be Minister of"),
        ("did research on", "do research on"),
        ("will buy", "buy"),
        ("is", "be"),
        ("had", "have"),
        ("", ""),
    ],
)
def test_the_key_is_the_verb_without_its_tense(predicate: str, key: str) -> None:
    assert predicate_key(predicate) == key


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("won", "did not win"),
        ("plays for", "no longer plays for"),
        ("buys", "may buy"),
        ("owns", "is owned by"),
        ("plays for", "plays with"),
        ("found", "founded"),
    ],
)
def test_what_says_something_else_has_another_key(one: str, other: str) -> None:
    assert predicate_key(one) != predicate_key(other)


@given(st.text(max_size=30))
def test_any_text_has_a_key_that_ignores_spaces(text: str) -> None:
    assert predicate_key(f"  {text} ") == predicate_key(" ".join(text.split()))


def test_each_predicate_comes_with_those_of_its_key() -> None:
    groups = same_predicates(["plays for", "owns", "played for", "plays for"])
    assert groups == {
        "plays for": ("played for", "plays for"),
        "played for": ("played for", "plays for"),
        "owns": ("owns",),
    }
