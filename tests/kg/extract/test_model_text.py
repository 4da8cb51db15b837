"""How an article is cut into requests, and how much of it each one shows."""

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.extract.model_text import (
    CHARACTERS_A_REQUEST,
    SENTENCES_A_REQUEST,
    NumberedArticle,
    request_batches,
)


def sizes(lengths: list[int]) -> list[int]:
    return [
        len(batch) for batch in request_batches([(n, "x" * length) for n, length in enumerate(lengths, 1)])
    ]


@pytest.mark.parametrize(
    ("sentences", "expected"),
    [(0, []), (1, [1]), (10, [10]), (11, [6, 5]), (12, [6, 6]), (21, [7, 7, 7]), (31, [8, 8, 8, 7])],
)
def test_batches_are_even(sentences: int, expected: list[int]) -> None:
    assert sizes([100] * sentences) == expected


def test_long_sentences_make_no_last_batch_of_one() -> None:
    assert sizes([310] * 10) == [5, 5]
    assert sizes([5_000, 10, 10]) == [1, 2]


@given(st.lists(st.integers(1, 1_500), max_size=60))
def test_no_batch_is_too_long_and_none_could_be_spared(lengths: list[int]) -> None:
    batches = request_batches([(n, "x" * length) for n, length in enumerate(lengths)])
    assert [n for batch in batches for n in batch] == list(range(len(lengths)))
    for batch in batches:
        assert len(batch) <= SENTENCES_A_REQUEST
        assert sum(lengths[n] for n in batch) <= CHARACTERS_A_REQUEST
    for one, other in pairwise(batches):
        both = [*one, *other]
        is_one = len(both) <= SENTENCES_A_REQUEST and sum(lengths[n] for n in both) <= CHARACTERS_A_REQUEST
        assert not is_one or len(batches) > -(-len(lengths) // SENTENCES_A_REQUEST)


def article(*sentences: str) -> NumberedArticle:
    return NumberedArticle("Harbour news", None, sentences)


def shown(text: str) -> list[str]:
    return [line.partition("]")[0].strip("[") for line in text.splitlines()[3:]]


def test_a_few_sentences_don_t_bring_the_whole_article_with_them() -> None:
    plain = ["The lamp was sold."] * 30
    assert shown(article(*plain).shown_with([20, 21])) == ["1", "2", "...", *map(str, range(15, 23)), "..."]


def test_the_sentence_that_has_the_whole_name_comes_along() -> None:
    sentences = ["The lamp was sold."] * 30
    sentences[7] = "It was bought by the museum's director, Lena Osk."
    sentences[9] = "The Norholm Health Board (NHB) and Ivo Brandt objected."
    sentences[24] = "Osk and the NHB later agreed."
    found = shown(article(*sentences).shown_with([25]))
    assert found[:5] == ["1", "2", "...", "8", "9"], "a single sentence between two is no gap"
    assert "Ivo Brandt" not in article(*sentences[:24], "Osk agreed.", *sentences[25:]).shown_with([25])


def test_a_table_is_cut_where_it_is_only_a_neighbour() -> None:
    text = article("Osk spoke.", "x " * 2_000, "She left.").shown_with([3])
    assert len(text) < 1_000
    assert "[2] x x" in text
