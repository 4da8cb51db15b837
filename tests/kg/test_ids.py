import hashlib

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.ids import bare_id, content_hash, content_id, node_id
from kg.stages.articles import article_id
from kg.stages.chunking import chunk_id

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
