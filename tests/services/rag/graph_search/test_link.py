"""Which names are found in a text, and what is left without them."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rag.graph_search.link import (
    name_index,
    names_in,
    plain_name,
    without_article,
    without_names,
    words_of,
)

INDEX = name_index(
    {
        "brand": [0],
        "henrik ibsen": [1],
        "ibsen": [1],
        "new york": [2],
        "new york city": [3],
        "who s who": [4],
        "it": [5],
        "sah sultan": [6],
        "北京": [7],
    }
)


def found(text: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(one.words, one.nodes) for one in names_in(INDEX, text)]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Who wrote Brand?", [("Brand", (0,))]),
        ("a brand of vodka by Henrik Ibsen", [("Henrik Ibsen", (1,))]),
        ("Henrik Ibsen's Brand", [("Henrik Ibsen", (1,)), ("Brand", (0,))]),
        ("in new york city, not New York", [("new york city", (3,)), ("New York", (2,))]),
        ("It was Şah Sultan'S mother", [("Şah Sultan", (6,))]),
        ("who wrote brand", [("brand", (0,))]),
        ("去北京", []),
        ("去 北京 吗", [("北京", (7,))]),
        ("", []),
        ("?!", []),
    ],
)
def test_names_are_found(text: str, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    assert found(text) == expected


@given(st.text(alphabet="abN ewYorkBrandHibs'.É\u2019", max_size=60))
def test_found_names_stand_apart_and_in_the_text(text: str) -> None:
    last = 0
    for one in names_in(INDEX, text):
        assert one.start >= last
        assert text[one.start : one.end] == one.words
        last = one.end


@given(st.text(max_size=80))
def test_any_text_has_plain_words(text: str) -> None:
    for word in words_of(text):
        assert 0 <= word.start < word.end <= len(text)
    assert plain_name(plain_name(text)) == plain_name(text)


def test_without_names_is_what_is_asked() -> None:
    text = "Who was the mother of Henrik Ibsen's wife?"
    assert without_names(text, names_in(INDEX, text)) == "who was the mother of wife"


def test_articles_before_a_name_do_not_count() -> None:
    assert without_article("the the beatles") == "beatles"
    assert without_article("the who") == ""
