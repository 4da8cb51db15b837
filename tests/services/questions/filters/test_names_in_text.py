from hypothesis import given
from hypothesis import strategies as st

from services.questions.filters.name_use import any_named, first_named
from tests.examples import examples


@examples("text, name, named")
def test_a_name_is_found_as_whole_words_in_any_spelling(text: str, name: str, named: bool) -> None:
    assert any_named(text, [name]) == named


def test_the_first_of_the_names_is_told() -> None:
    assert first_named("Who met Ana Brel?", ["Vell", "Brel", "Ana Brel"]) == "Brel"


@given(st.lists(st.from_regex(r"[b-z]{1,6}q", fullmatch=True), min_size=1, max_size=3))
def test_a_name_between_other_words_is_always_found(words: list[str]) -> None:
    name = " ".join(words).title()
    assert any_named(f"Xyzzy {name} qwerty", ["Nobody Else", name])
