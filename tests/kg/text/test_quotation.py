"""Quotation marks of names: both of a pair or neither."""

from hypothesis import given
from hypothesis import strategies as st

from kg.text.words import half_quotation, with_whole_quotation
from tests.examples import examples


@examples("written, name, whole")
def test_half_a_quotation_is_made_whole_or_none(written: str, name: str, whole: str) -> None:
    assert with_whole_quotation(name, written) == whole


@given(st.text('ab "\u201c\u201d\u201e\u00ab\u00bb!', max_size=12), st.integers(0, 5), st.integers(0, 5))
def test_no_half_is_left(written: str, start: int, end: int) -> None:
    name = " ".join(written[start : len(written) - end].split())
    assert half_quotation(with_whole_quotation(name, written)) == ([], [])
