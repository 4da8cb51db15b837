"""Which words could tell a relation, and queries for them that nothing in a name can break."""

import re

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.store.graph import Graph
from services.questions.kinds.askable import (
    phrase,
    relation_words,
    same_relation,
    words_pattern,
    words_query,
)
from tests.graph_reading import read


@pytest.mark.parametrize(
    ("key", "word"),
    [
        ("be married to", "wife"),
        ("be founded in", "founders"),
        ("be headquartered in", "based"),
        ("own", "bought"),
        ("study at", "graduated"),
        ("be sister of", "brother"),
        ("photograph", "photographed"),
        ("co-found", "founded"),
    ],
)
def test_a_relation_is_told_by_these_words(key: str, word: str) -> None:
    assert word in relation_words(key)
    assert re.match(words_pattern(relation_words(key)), f"it said {word}, and\nno more")


def test_a_passive_tells_the_same_relation() -> None:
    assert same_relation("found", "be founded by")
    assert same_relation("be married to", "marry")
    assert not same_relation("found", "be born in")


def test_a_pattern_looks_for_whole_words() -> None:
    assert not re.match(words_pattern({"own"}), "the town is known")


@pytest.mark.parametrize("key", ["be in", "be 1986", ""])
def test_no_word_tells_a_relation_of_prepositions_and_numbers(key: str) -> None:
    assert not relation_words(key)


def test_there_is_no_query_for_what_no_word_tells() -> None:
    assert words_query(["Mira"], relation_words("be in")) == ""
    assert words_query(["!?", "..."], {"own"}) == ""


@given(st.lists(st.text(min_size=1, max_size=20), min_size=1, max_size=3))
def test_a_query_holds_no_signs_of_a_name(names: list[str]) -> None:
    made = words_query([*names, "Mira"], {"own"})
    inner = made.removeprefix("+(").removesuffix(") +(own)")
    assert all(re.fullmatch(r'(?:"[\w ]+"|\w+)', term) for term in inner.split(" OR "))
    assert re.fullmatch(r'"[\w ]*"', phrase(names[0]))


@pytest.mark.parametrize("name", ["O'Hara (Otto)", 'AT&T "Labs"', "C++ AND NOT", "a/b:c*?~^[]{}!", "\\"])
def test_the_server_takes_every_query(graph: Graph, name: str) -> None:
    text = "CALL db.index.fulltext.queryNodes('claim_text', $words) YIELD node RETURN count(node) AS found"
    read(graph, text, words=words_query([name, "Mira"], {"own"}))
