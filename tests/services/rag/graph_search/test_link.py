"""Which names are found in a text, and what is left without them.

The entities that a question names.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rag.graph_search.link import (
    compact,
    entities_named,
    entity_names,
    name_index,
    names_in,
    naming_chunks,
    plain_name,
    without_article,
    without_names,
    words_of,
)
from tests.examples import examples
from tests.services.rag.graph_search.made_snapshot import Page, made_snapshot

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


@examples("text, expected")
def test_names_are_found(text: str, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    assert found(text) == expected


@given(st.text(alphabet="abN ewYorkBrandHibs'.É\u2019", max_size=60))
def test_found_names_stand_apart_and_in_the_text(text: str) -> None:
    last = 0
    for one in names_in(INDEX, text):
        assert one.start >= last
        assert text[one.start : one.end] == one.words
        last = one.end


@given(st.lists(st.sampled_from([*INDEX.nodes, "New York", "who", "\ud800", "Şah", "?"]), max_size=8))
def test_names_by_their_hashes_are_found_where_names_are(words: list[str]) -> None:
    text = " ".join(words)
    assert list(names_in(compact(INDEX), text)) == list(names_in(INDEX, text))


def test_no_names_are_compact_as_well() -> None:
    assert list(names_in(compact(name_index({})), "Who wrote Brand of New York?")) == []


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


SNAPSHOT = made_snapshot(
    [
        Page("1", {"Orla Venning": 1, "Venning": 1, "Norholm": 2}),
        Page("2", {"Norholm": 1, "St. Ives": 1}),
        Page("3", {"Norholm": 1, "Isle of Tavisk": 1, "Tavisk": 1}),
    ],
    aliases={
        "Norholm": ["the Old Town", "NHB"],
        "Venning": ["the director"],
        "Orla Venning": ["the director"],
    },
)
NAMES = entity_names(SNAPSHOT.entities)
COUNTS = naming_chunks(SNAPSHOT.naming)


def named(question: str) -> list[tuple[str, str]]:
    return [
        (one.words, SNAPSHOT.entities.names[one.entity]) for one in entities_named(NAMES, COUNTS, question)
    ]


@examples("question, expected")
def test_the_longest_names_are_found_by_any_spelling_rarest_first(
    question: str, expected: list[tuple[str, str]]
) -> None:
    assert named(question) == expected


def test_words_that_may_mean_several_share_their_weight() -> None:
    found = entities_named(NAMES, COUNTS, "Who is the director in Norholm?")
    assert [(SNAPSHOT.entities.names[one.entity], one.weight) for one in found] == [
        ("Orla Venning", 0.5),
        ("Venning", 0.5),
        ("Norholm", pytest.approx(1 / 3)),
    ]
