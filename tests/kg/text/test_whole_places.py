"""Where a name stands in a text as a whole word."""

import re

from hypothesis import given
from hypothesis import strategies as st

from kg.text.words import whole_places

LETTERS = st.sampled_from("aA_1 -,.'\u00e9\u4e2d")


@given(st.text(LETTERS, min_size=1, max_size=4), st.text(LETTERS, max_size=30))
def test_places_are_those_that_an_expression_of_whole_words_finds(name: str, text: str) -> None:
    found = re.finditer(rf"(?<!\w){re.escape(name)}(?!\w)", text)
    assert list(whole_places(name, text)) == [one.span() for one in found]


def test_no_name_stands_nowhere() -> None:
    assert not list(whole_places("", "Rell and Tarn"))
