"""Answers by MultiHop-RAG's any-word rule and by the strict one, type by type."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from benchmarks.reader_answers import ALL, Answer, accuracy_by_type, strictly_right
from services.answers import any_word_match
from tests.examples import examples


@examples("answer, gold, any_word, strict")
def test_the_rules_tell_apart_what_they_count(answer: str, gold: str, any_word: bool, strict: bool) -> None:
    assert any_word_match(answer, gold) is any_word
    assert strictly_right(answer, gold) is strict


def test_another_spelling_is_accepted_by_the_strict_rule() -> None:
    assert strictly_right("NYC", "New York", ("NYC", "New York City"))
    assert not strictly_right("", "New York", ("Insufficient information",))


def test_a_row_a_type_and_one_for_all() -> None:
    rows = accuracy_by_type(
        [
            Answer("null", "Insufficient information", "Insufficient information.", "1"),
            Answer("comparison", "Yes", "Yes", "2"),
            Answer("comparison", "Insufficient information", "No", "3"),
            Answer("comparison", "", "Insufficient information", "4", error="time-out"),
        ]
    )
    assert [(row.type, row.n, row.strict, row.any_word) for row in rows] == [
        ("comparison", 3, 1 / 3, 1 / 3),
        ("null", 1, 1.0, 1.0),
        (ALL, 4, 0.5, 0.5),
    ]
    assert [(row.abstained, row.errors) for row in rows] == [(1, 1), (1, 0), (2, 1)]
    interval = rows[0].interval
    assert interval is not None
    assert 0 < interval.low < 1 / 3 < interval.high < 1


def test_one_type_has_no_row_for_all() -> None:
    (row,) = accuracy_by_type([Answer("inference", "Meta Platforms", "Meta", "1")])
    assert (row.type, row.strict, row.any_word) == ("inference", 0.0, 1.0)
    assert row.f1 == pytest.approx(2 / 3)


@given(st.text(max_size=30), st.text(max_size=30))
def test_the_any_word_rule_has_no_sides(one: str, other: str) -> None:
    assert any_word_match(one, other) == any_word_match(other, one)
    assert any_word_match(one, one) == bool(one.split())
