"""Predicates that say the same in another tense share a key, and only they."""

from hypothesis import given
from hypothesis import strategies as st

from services.questions.predicate_key import predicate_key, same_predicates
from tests.examples import examples


@examples("predicate, key")
def test_the_key_is_the_verb_without_its_tense(predicate: str, key: str) -> None:
    assert predicate_key(predicate) == key


@examples("one, other")
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
