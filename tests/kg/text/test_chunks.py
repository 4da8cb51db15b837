from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.errors import SettingsError
from kg.model import Chunk
from kg.text.chunks import LARGE, MEDIUM, SMALL, ChunkSize, chunk, parse_chunk_size
from kg.text.sentences import sentence_spans
from kg.text.tokens import count_tokens
from tests.kg.text.texts import any_text


def sentence(tokens: int, mark: str = "word") -> str:
    """A sentence of so many tokens, its full stop included."""
    return " ".join([mark.capitalize(), *[mark] * (tokens - 2)]) + "."


def texts(body: str, size: ChunkSize) -> list[str]:
    return [found.text for found in chunk(body, size)]


def test_names_and_figures_of_sizes() -> None:
    assert parse_chunk_size("Medium") == MEDIUM == ChunkSize(128, 256, 50)
    assert parse_chunk_size("small") == SMALL
    assert parse_chunk_size(" 256 - 512 / 100 ") == LARGE
    assert parse_chunk_size(str(MEDIUM)) == MEDIUM
    assert parse_chunk_size("128-256/50/20") == ChunkSize(128, 256, 50, 20)
    assert str(ChunkSize(128, 256, 50, 20)) == "128-256/50/20"


@pytest.mark.parametrize(
    "text", ["", "huge", "128-256", "256-128/50", "128-256/256", "0-256/5", "1-4/0", "-1-9/1"]
)
def test_sizes_that_cannot_work_are_refused_with_a_remedy(text: str) -> None:
    with pytest.raises(SettingsError) as caught:
        parse_chunk_size(text)
    assert caught.value.remedy


def test_a_short_article_is_one_chunk() -> None:
    assert chunk("  One line.\nAnother. ", MEDIUM) == [Chunk(0, 2, 20, 5, "One line.\nAnother.")]
    assert chunk(" \n ", MEDIUM) == []


def test_chunks_fill_up_and_overlap_by_whole_sentences() -> None:
    a, b, c, d, e = (sentence(8, mark) for mark in ("one", "two", "three", "four", "five"))
    size = ChunkSize(12, 24, 16)
    assert texts(" ".join([a, b, c, d, e]), size) == [f"{a} {b} {c}", f"{b} {c} {d}", f"{c} {d} {e}"]
    assert texts(" ".join([a, b, c, d, e]), ChunkSize(12, 24, 0)) == [f"{a} {b} {c}", f"{d} {e}"]


def test_no_more_chunks_than_an_article_may_have() -> None:
    a, b, c = (sentence(8, mark) for mark in ("one", "two", "three"))
    assert texts(f"{a} {b} {c}", ChunkSize(8, 8, 0, 2)) == [a, b]
    assert texts(f"{a} {b}", ChunkSize(8, 8, 0, 2)) == [a, b]


def test_one_sentence_overlaps_even_where_it_is_longer_than_the_overlap() -> None:
    a, b, c = (sentence(10, mark) for mark in ("one", "two", "three"))
    assert texts(f"{a} {b} {c}", ChunkSize(10, 20, 3)) == [f"{a} {b}", f"{b} {c}"]


def test_no_overlap_where_the_next_sentence_leaves_no_room() -> None:
    a, b = sentence(20, "one"), sentence(18, "two")
    assert texts(f"{a} {b}", ChunkSize(10, 24, 8)) == [a, b]


def test_a_short_end_takes_in_sentences_before_it() -> None:
    a, b, c, d = sentence(10, "one"), sentence(10, "two"), sentence(10, "three"), sentence(4, "four")
    assert texts(f"{a} {b} {c} {d}", ChunkSize(20, 30, 0)) == [f"{a} {b} {c}", f"{b} {c} {d}"]


def test_a_long_sentence_is_cut_between_words_into_about_equal_parts() -> None:
    body = " ".join(["word"] * 50)
    assert [(found.tokens, found.text) for found in chunk(body, ChunkSize(8, 20, 0))] == [
        (17, " ".join(["word"] * 17)),
        (17, " ".join(["word"] * 17)),
        (16, " ".join(["word"] * 16)),
    ]


def test_a_word_longer_than_a_chunk_is_cut_too() -> None:
    assert texts("北" * 20, ChunkSize(4, 8, 0)) == ["北" * 7, "北" * 7, "北" * 6]
    letters = "qzxj" * 20
    assert "".join(texts(letters, ChunkSize(4, 8, 0))) == letters


sizes = st.one_of(
    st.sampled_from([SMALL, MEDIUM, LARGE]),
    st.tuples(st.integers(8, 60), st.floats(0, 1), st.floats(0, 0.99)).map(
        lambda drawn: ChunkSize(max(1, int(drawn[0] * drawn[1])), drawn[0], int(drawn[0] * drawn[2]))
    ),
)


@settings(max_examples=300)
@given(any_text(), sizes)
def test_what_is_promised_holds_for_any_text(body: str, size: ChunkSize) -> None:
    chunks = chunk(body, size)
    assert [found.position for found in chunks] == list(range(len(chunks)))
    for found in chunks:
        assert found.text == body[found.start : found.end] == found.text.strip()
        assert found.tokens == count_tokens(found.text) <= size.max_tokens
    for earlier, later in pairwise(chunks):
        assert earlier.start < later.start
        assert earlier.end < later.end
        assert not body[earlier.end : later.start].strip()
    covered = [body[: chunks[0].start], body[chunks[-1].end :]] if chunks else [body]
    assert not "".join(covered).strip()
    for span in sentence_spans(body):
        if count_tokens(body[span.start : span.end]) <= size.max_tokens:
            assert any(found.start <= span.start and span.end <= found.end for found in chunks)


@given(st.lists(st.integers(3, 40), min_size=1, max_size=30), st.integers(0, 20))
def test_a_chunk_is_short_only_where_no_neighbour_fits(lengths: list[int], overlap: int) -> None:
    size = ChunkSize(20, 40, overlap)
    body = " ".join(sentence(length) for length in lengths)
    spans = sentence_spans(body)
    starts, ends = [span.start for span in spans], [span.end for span in spans]
    for found in chunk(body, size):
        if found.tokens < size.min_tokens:
            first, last = starts.index(found.start), ends.index(found.end)
            assert first == 0 or found.tokens + lengths[first - 1] > size.max_tokens
            assert last == len(spans) - 1 or found.tokens + lengths[last + 1] > size.max_tokens


@given(st.lists(st.integers(3, 10), min_size=8, max_size=40))
def test_neighbours_share_about_the_overlap(lengths: list[int]) -> None:
    size = ChunkSize(20, 40, 10)
    for earlier, later in pairwise(chunk(" ".join(map(sentence, lengths)), size)):
        shared = count_tokens(earlier.text[later.start - earlier.start :])
        assert shared >= 1
        assert shared <= size.overlap_tokens or later.tokens - shared < size.min_tokens
