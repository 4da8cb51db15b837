import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.resolve.normal_form import normal_form


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("Ana Brel", "ana brel"),
        ("Ana Brel's", "ana brel"),
        ("Ana Brel\u2019s", "ana brel"),
        ("Dr. Ana Brel", "ana brel"),
        ("Prof. Sir Ana Brel", "ana brel"),
        ("the Vellmouth Rovers", "vellmouth rovers"),
        ("VELLMOUTH   ROVERS", "vellmouth rovers"),
        ("Vellmouth-Rovers", "vellmouth rovers"),
        ("U.S.", "us"),
        ("The U.S. Senate", "us senate"),
        ("H5N1", "h5n1"),
        ("H5N1 virus", "h5n1 virus"),
        ("bird flu (H5N1)", "bird flu h5n1"),
        ("Brel Holdings plc", "brel holdings"),
        ("Brel & Co.", "brel"),
        ("Microsoft Corporation", "microsoft"),
        ("Volvo AB", "volvo"),
        ("St. Ives", "saint ives"),
        ("Saint Ives", "saint ives"),
        ("Peña Nieto", "pena nieto"),
        ("Søren Łuk", "soren luk"),
        ("O\u2019Brien", "obrien"),
        ("Marks & Spencer", "marks and spencer"),
        ("1,200 homes", "1200 homes"),
        ("\uff26\uff35 Brel", "fu brel"),
    ],
)
def test_spellings_of_a_name_share_a_key(name: str, key: str) -> None:
    assert normal_form(name) == key


@pytest.mark.parametrize(
    ("name", "key"),
    [
        ("DR Congo", "dr congo"),
        ("Wall St", "wall st"),
        ("ST Engineering", "st engineering"),
        ("Inc", "inc"),
        ("The Inc", "inc"),
        ("The The", "the"),
        ("Dr", "dr"),
        ("public corporation", "public corporation"),
        ("Disney+", "disney+"),
        ("C#", "c#"),
        ("5%", "5%"),
    ],
)
def test_what_only_looks_like_a_title_or_suffix_stays(name: str, key: str) -> None:
    assert normal_form(name) == key


def test_different_things_keep_different_keys() -> None:
    names = ["Disney", "Disney+", "C", "C#", "C++", "H5N1", "H5N2", "DR Congo", "Congo", "Mr Brel Sr"]
    assert len({normal_form(name) for name in names}) == len(names)


PIECES = (
    "The a Dr. dr DR Mr St. st U.S. i.n.c. Inc co Co. AB and & Brel brel's O'Neil - , 1,000 ( % S.A. ß İ ."
)
NAME_LIKE = st.lists(st.sampled_from(PIECES.split()), max_size=6).map(" ".join)


@given(st.one_of(st.text(max_size=30), NAME_LIKE))
def test_taking_the_key_twice_changes_nothing(name: str) -> None:
    assert normal_form(normal_form(name)) == normal_form(name)


@given(st.one_of(st.text(max_size=30), NAME_LIKE))
def test_a_name_with_a_letter_or_digit_has_a_key(name: str) -> None:
    if any(character.isalnum() for character in name):
        assert normal_form(name)
    assert normal_form(name) == normal_form(name).strip()
