"""The length of an answer."""

from hypothesis import given
from hypothesis import strategies as st

from kg.text.tokens import count_tokens
from services.comparison.records import LETTERS_A_TOKEN, answer_length, cut_answer


def test_usual_text_is_as_long_as_its_tokens() -> None:
    text = "The museum in Kesterholm was founded by the sister of Astrid Kellowen in 1931."
    assert answer_length(text) == count_tokens(text)
    assert answer_length("") == 0


def test_no_spelling_makes_much_text_short() -> None:
    joined = "\u00ad".join(["word"] * 2_000)
    assert count_tokens(joined) == 1
    assert answer_length(joined) == -(-len(joined) // LETTERS_A_TOKEN)


@given(st.text("ab \u00ad日.", max_size=600) | st.text(max_size=300), st.integers(1, 40))
def test_what_is_cut_is_a_beginning_and_no_longer_than_the_cap(text: str, cap: int) -> None:
    cut = cut_answer(text, cap)
    assert text.startswith(cut)
    assert answer_length(cut) <= cap
