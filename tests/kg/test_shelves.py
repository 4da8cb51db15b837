"""Tokens that stand for names in the indexes: equal names share them, others don't, and dates sort."""

import re
from datetime import date

from hypothesis import given
from hypothesis import strategies as st

from kg.shelves import Field, corpus_key, day_word, folded, key_of, shelf_marks, shelf_of

names = st.text(max_size=30)
FIELDS: tuple[Field, ...] = ("corpus", "source", "category", "author")


@given(names, names, st.sampled_from(FIELDS))
def test_names_share_a_key_when_they_are_equal_but_for_case(one: str, other: str, field: Field) -> None:
    assert (key_of("c", field, one) == key_of("c", field, other)) == (folded(one) == folded(other))
    assert key_of("c", field, f"  {one}\t") == key_of("c", field, one)


@given(names, st.sampled_from(FIELDS))
def test_a_key_is_one_word_that_no_stemmer_touches(name: str, field: Field) -> None:
    assert re.fullmatch(r"[ksca][0-9a-f]{16}0", key_of("c", field, name))


def test_keys_of_other_fields_and_corpora_differ() -> None:
    keys = {key_of(corpus, field, "Echo") for corpus in "ab" for field in FIELDS}
    assert len(keys) == 8
    assert corpus_key("a") != corpus_key("b")


def test_a_shelf_is_of_one_corpus_source_category_and_author() -> None:
    same = shelf_of("a", "The Echo", "Sport", "V. Holm")
    assert shelf_of("a", "the echo", "SPORT", "v. holm") == same
    others = [("b", "The Echo", "Sport", "V. Holm"), ("a", "Sport", "The Echo", "V. Holm"), ("a", "", "", "")]
    assert same not in {shelf_of(*other) for other in others}


@given(st.dates(), st.dates())
def test_days_sort_as_their_dates_and_unknown_ones_come_first(one: date, other: date) -> None:
    first, second = day_word(one.isoformat()), day_word(other.isoformat())
    assert (first < second) == (one < other)
    assert day_word("") < first


def test_a_chunk_holds_a_word_for_each_field() -> None:
    marks = shelf_marks("a", "The Echo", "Sport", "", "2021-03-05")
    assert marks["keys"].split() == [
        corpus_key("a"),
        key_of("a", "source", "the echo"),
        key_of("a", "category", "sport"),
        key_of("a", "author", ""),
    ]
    assert marks["day"] == "d20210305"
    assert marks["shelf"] == shelf_of("a", "The Echo", "Sport", "")
