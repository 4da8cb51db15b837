"""The word of a noun phrase that says what a thing is."""

import pytest

from kg.text.words import head_end, head_noun


@pytest.mark.parametrize(
    ("phrase", "head", "end"),
    [("mayor of Averell", "mayor", 1), ("old harbour wall", "wall", 3), ("in", "in", 1), ("", "", 0),
     ("fire in hall near Tarn", "fire", 1)],
)  # fmt: skip
def test_the_head_stands_before_the_first_preposition(phrase: str, head: str, end: int) -> None:
    words = phrase.split()
    assert (head_noun(words), head_end(words)) == (head, end)
