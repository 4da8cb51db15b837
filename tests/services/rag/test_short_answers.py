"""What a model wrote as a short answer."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rag.model_generator import short_answer


@pytest.mark.parametrize(
    ("written", "answer"),
    [
        ("Greta Lindqvist", "Greta Lindqvist"),
        ("Answer: Greta Lindqvist", "Greta Lindqvist"),
        ("**Answer:** Greta Lindqvist", "Greta Lindqvist"),
        ("The final answer is: 1412", "1412"),
        ('"Greta Lindqvist"', "Greta Lindqvist"),
        ("**Greta Lindqvist**", "Greta Lindqvist"),
        ('{"answer": "Greta Lindqvist"}', "Greta Lindqvist"),
        ('```json\n{"answer": "Greta\\nLindqvist"}\n```', "Greta Lindqvist"),
        ('{"answer": 1412}', "1412"),
        ('{"answer": true}', "Yes"),
        ('{"something": "else"}', '{"something": "else"}'),
        ('"The Grey Rope" and "The Red Rope"', '"The Grey Rope" and "The Red Rope"'),
        ("Answering machine", "Answering machine"),
        ("  Kaldmere \n", "Kaldmere"),
    ],
)
def test_what_stands_around_an_answer_goes(written: str, answer: str) -> None:
    assert short_answer(written) == answer


@given(st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=30))
def test_a_plain_word_stays_and_quotes_around_it_go(word: str) -> None:
    assert short_answer(word) == word
    assert short_answer(f'"{word}"') == word


def test_json_nested_too_deeply_is_text() -> None:
    deep = '{"a":' * 100_000
    assert short_answer(deep) == deep
