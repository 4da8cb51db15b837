"""Tokens that stand for names in the indexes: equal names share them, others don't, and dates sort."""

import hashlib
import re
from datetime import date

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.ids import (
    Field,
    bare_id,
    content_hash,
    content_id,
    corpus_key,
    day_word,
    fold_name,
    key_of,
    node_id,
    shelf_marks,
    shelf_of,
)
from kg.stages.articles import article_id, chunk_id

PARTS = st.lists(st.text(max_size=8), max_size=4)


@given(PARTS, PARTS)
def test_only_equal_parts_share_a_hash(one: list[str], other: list[str]) -> None:
    assert (content_hash(one) == content_hash(other)) == (one == other)


@pytest.mark.parametrize(
    ("one", "other"),
    [(["ab", "c"], ["a", "bc"]), (["ab"], ["a", "b"]), (["a", ""], ["a"]), (["a\x00b"], ["a", "b"])],
)
def test_parts_cannot_run_into_each_other(one: list[str], other: list[str]) -> None:
    assert content_hash(one) != content_hash(other)


def test_a_hash_is_of_the_parts_with_their_lengths() -> None:
    """Ids are kept in graphs, so that the formula can't change."""
    written_out = b"\0\0\0\0\0\0\0\x08Ana Brel" + b"\0\0\0\0\0\0\0\x041412"
    expected = hashlib.sha256(written_out).hexdigest()
    assert content_hash(["Ana Brel", "1412"]) == expected[:16]
    assert content_hash(iter(("Ana Brel", "1412")), 40) == expected[:40]


def test_text_that_is_no_valid_unicode_has_a_hash() -> None:
    assert content_hash(["\ud800"]) != content_hash(["\ud801"])


def test_an_id_depends_on_corpus_kind_and_content() -> None:
    ids = [
        node_id("mine", "chunk", "a"),
        node_id("yours", "chunk", "a"),
        node_id("mine", "claim", "a"),
        node_id("mine", "chunk", "b"),
        node_id("mine", "chunk", "a", "b"),
    ]
    assert len(set(ids)) == len(ids)
    assert ids[0] == node_id("mine", "chunk", "a")
    assert ids[0].startswith("chunk-")


def test_the_ids_of_a_corpus_parts_differ_in_its_mark_only() -> None:
    mine, yours = (
        content_id(name, "claim", content_id(name, "article", "a"), "7") for name in ("mine", "yours")
    )
    assert mine != yours
    assert bare_id(mine) == bare_id(yours) == mine[:-8] == yours[:-8]
    assert bare_id(f"{mine}/2") == bare_id(f"{yours}/2") != bare_id(f"{mine}/3")


def test_what_was_made_before_ids_had_marks_keeps_its_ids() -> None:
    before = node_id("mine", "article", "sha")
    assert article_id("mine", "sha", {before}) == before == bare_id(before)
    assert article_id("mine", "sha") == content_id("mine", "article", "sha")
    assert chunk_id("mine", before, 3) == node_id("mine", "chunk", before, "3")


names = st.text(max_size=30)
FIELDS: tuple[Field, ...] = ("corpus", "source", "category", "author")


@given(names, names, st.sampled_from(FIELDS))
def test_names_share_a_key_when_they_are_equal_but_for_case(one: str, other: str, field: Field) -> None:
    assert (key_of("c", field, one) == key_of("c", field, other)) == (fold_name(one) == fold_name(other))
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
