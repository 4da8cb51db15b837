"""Quotation marks of names: both of a pair or neither."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.text.words import half_quotation, with_whole_quotation


@pytest.mark.parametrize(
    ("written", "name", "whole"),
    [
        ('"Big Oda" Wexler sang.', 'Big Oda" Wexler', '"Big Oda" Wexler'),
        ("\u201cBig Oda\u201d Wexler", "Big Oda\u201d Wexler", "\u201cBig Oda\u201d Wexler"),
        ('ship "Petrel"', 'ship "Petrel', 'ship "Petrel"'),
        ('play "Oh, Oda!"', 'play "Oh, Oda', 'play "Oh, Oda!"'),
        ('"Petrel" and "Heron"', 'Petrel" and "Heron', '"Petrel" and "Heron"'),
        ('Oda" Wexler', 'Oda" Wexler', "Oda Wexler"),
        ("\u201cOda Wexler", "\u201cOda Wexler", "Oda Wexler"),
        ('Oda "Big" Wexler', 'Oda "Big" Wexler', 'Oda "Big" Wexler'),
        ('12" single', '12" single', '12" single'),
        ("Oda's", "Oda's", "Oda's"),
    ],
)
def test_half_a_quotation_is_made_whole_or_none(written: str, name: str, whole: str) -> None:
    assert with_whole_quotation(name, written) == whole


@given(st.text('ab "\u201c\u201d\u201e\u00ab\u00bb!', max_size=12), st.integers(0, 5), st.integers(0, 5))
def test_no_half_is_left(written: str, start: int, end: int) -> None:
    name = " ".join(written[start : len(written) - end].split())
    assert half_quotation(with_whole_quotation(name, written)) == ([], [])
