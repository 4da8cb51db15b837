import hashlib
from importlib.resources import files
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.text.tokens import count_tokens, encode, token_spans
from tests.kg.text.texts import any_text

CLS, SEP, UNK = 101, 102, 100


def pieces(text: str) -> list[str]:
    return [text[start:end] for start, end in token_spans(text)]


def test_the_vocabulary_is_the_one_that_its_notice_names() -> None:
    folder = files("kg.text")
    digest = hashlib.sha256((folder / "vocab.txt").read_bytes()).hexdigest()
    assert digest in (folder / "vocab.NOTICE.txt").read_text(encoding="utf-8")


def test_known_ids() -> None:
    assert encode("Hello world", 10) == [CLS, 7592, 2088, SEP]
    assert encode("embeddings", 10) == [CLS, 7861, 8270, 4667, 2015, SEP]
    assert encode("", 10) == [CLS, SEP]


def test_an_id_list_stops_at_the_bound_even_inside_a_word() -> None:
    assert encode("embeddings of words", 2) == [CLS, 7861, 8270, SEP]
    assert encode("one " * 1000, 256)[1:-1] == encode("one", 1)[1:-1] * 256


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("Mr. O'Neil paid $5.20", ["Mr", ".", "O", "'", "Neil", "paid", "$", "5", ".", "20"]),
        ("embeddings", ["em", "bed", "ding", "s"]),
        ("Zürich's café", ["Zürich", "'", "s", "café"]),
        ("北京 is big", ["北", "京", "is", "big"]),
        ("a🙂b 🙂", ["a🙂b", "🙂"]),
        ("a\x00b", ["a\x00b"]),
        ("\x00\ud800\u200b", []),
        ("  \n\t ", []),
    ],
)
def test_spans_point_into_the_original_text(text: str, expected: list[str]) -> None:
    assert pieces(text) == expected
    assert count_tokens(text) == len(expected)


def test_accents_case_and_control_characters_make_no_difference() -> None:
    assert encode("NAÏVE Cafe\u0301\u200b", 20) == encode("naive cafe", 20)


def test_an_arabic_and_a_hebrew_word_have_known_letters() -> None:
    assert UNK not in encode("سلام שלום", 50)


def test_a_word_of_over_a_hundred_letters_is_one_unknown_token() -> None:
    assert encode("a" * 101, 10) == [CLS, UNK, SEP]
    assert encode("a" * 5_000_000, 10) == [CLS, UNK, SEP]
    assert token_spans("see " + "a" * 1000) == [(0, 3), (4, 1004)]


def test_a_text_without_spaces_is_counted_like_one_with_spaces() -> None:
    assert count_tokens("北" * 200_000) == 200_000
    assert count_tokens("a." * 100_000) == 200_000


@given(any_text())
def test_spans_ids_and_count_agree(text: str) -> None:
    spans = token_spans(text)
    count = count_tokens(text)
    assert len(spans) == count
    assert len(encode(text, count + 5)) == count + 2
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(earlier[0] <= later[0] for earlier, later in pairwise(spans))


@given(any_text(), any_text(), st.integers(0, 30))
def test_counts_add_up_across_white_space_and_ids_are_prefixes(left: str, right: str, bound: int) -> None:
    joined = left + " " + right
    assert count_tokens(joined) == count_tokens(left) + count_tokens(right)
    assert encode(joined, bound)[:-1] == encode(joined, 10_000)[:-1][: bound + 1]
