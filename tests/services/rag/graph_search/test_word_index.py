"""BM25 by hand."""

from math import log

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rag.graph_search.seeds import terms_of, word_index, word_scores


def test_scores_by_hand() -> None:
    index = word_index(["red fox red", "fox den", "owl"])
    # df(red) = 1 of 3, lengths 3, 2, 1, mean 2: idf ln(1 + 2.5 / 1.5), tf 2 / (2 + 1.2 (.25 + .75 3 / 2)).
    expected = log(1 + 2.5 / 1.5) * 2 / (2 + 1.2 * (0.25 + 0.75 * 1.5))
    assert word_scores(index, "Red?").tolist() == pytest.approx([expected, 0, 0])
    assert word_scores(index, "red red")[0] == pytest.approx(expected)
    assert word_scores(index, "fox")[1] > word_scores(index, "fox")[0] > 0
    assert word_scores(index, "the").tolist() == [0, 0, 0]


def test_terms_are_singular_and_no_function_words() -> None:
    assert terms_of("The cities' foxes and glasses were famous; Carlos is on the bus") == [
        "city", "fox", "glass", "famous", "carlo", "bus",
    ]  # fmt: skip


@given(st.lists(st.text(alphabet="abc d", max_size=12), max_size=6))
def test_the_order_of_texts_does_not_matter(texts: list[str]) -> None:
    order = np.random.default_rng(len(texts)).permutation(len(texts))
    straight = word_scores(word_index(texts), "a ab abc d")
    mixed = word_scores(word_index([texts[at] for at in order]), "a ab abc d")
    assert mixed.tolist() == pytest.approx(straight[order].tolist(), abs=1e-6)
    assert (straight >= 0).all()
