"""What every embedder owes; each runs through the same tests."""

import importlib.util
import os
from collections.abc import Iterator

import numpy as np
import pytest

from kg.embed.choose import Embedder
from kg.embed.local import BuiltinEmbedder, SentenceTransformersEmbedder
from kg.embed.openai import OpenAIEmbedder
from tests.scripted_endpoint import scripted_endpoint

TEXTS = [
    "The council of Bergen approved the budget.",
    "Budget approved",
    "word " * 150,
    "",
    "🙂 سلام שלום 北京 \x00 \ud800",
    "The drug lowers blood pressure by blocking an enzyme, researchers at Oxford said on Friday.",
]


@pytest.fixture(scope="module", params=["builtin", "openai", "sentence-transformers"])
def embedder(request: pytest.FixtureRequest) -> Iterator[Embedder]:
    match request.param:
        case "builtin":
            yield BuiltinEmbedder()
        case "openai":
            with scripted_endpoint() as endpoint:
                yield OpenAIEmbedder("bag-of-words", "key", endpoint.base_url, batch_texts=4, max_tokens=300)
        case _:
            if importlib.util.find_spec("sentence_transformers") is None:
                pytest.skip("sentence-transformers is not installed")
            model = os.environ.get("HOPGRADE_TEST_SENTENCE_TRANSFORMER")
            if model is None:
                pytest.skip("HOPGRADE_TEST_SENTENCE_TRANSFORMER names no model or model folder")
            yield SentenceTransformersEmbedder(model, device="cpu", batch_texts=4)


def test_shape_kind_and_length(embedder: Embedder) -> None:
    for vectors in (embedder.embed(TEXTS), embedder.embed_queries(TEXTS)):
        assert vectors.shape == (len(TEXTS), embedder.dimensions)
        assert vectors.dtype == np.float32
        np.testing.assert_allclose(np.linalg.norm(vectors, axis=1), 1.0, atol=1e-5)


def test_it_says_what_it_is(embedder: Embedder) -> None:
    assert "/" in embedder.name
    assert embedder.max_tokens >= 128


def test_no_texts_give_no_rows(embedder: Embedder) -> None:
    vectors = embedder.embed([])
    assert vectors.shape == (0, embedder.dimensions)
    assert vectors.dtype == np.float32


def test_a_text_has_one_vector_alone_in_a_batch_and_in_another_order(embedder: Embedder) -> None:
    together = embedder.embed(TEXTS)
    backwards = embedder.embed(TEXTS[::-1])[::-1]
    alone = np.concatenate([embedder.embed([text]) for text in TEXTS])
    # Padding may move the last digits elsewhere; the built-in embedder is held to equality in its own test.
    np.testing.assert_allclose(together, alone, atol=1e-5)
    np.testing.assert_allclose(backwards, alone, atol=1e-5)


def test_an_empty_text_and_white_space_have_the_same_vector(embedder: Embedder) -> None:
    empty, spaces = embedder.embed(["", " \n\t"])
    np.testing.assert_allclose(empty, spaces, atol=1e-6)


def test_what_lies_beyond_the_longest_input_makes_no_difference(embedder: Embedder) -> None:
    long = "word " * (embedder.max_tokens + 10)
    first, second = embedder.embed([long + "budget council", long + "enzyme"])
    np.testing.assert_allclose(first, second, atol=1e-6)


def test_like_sentences_are_nearer_than_unlike_ones(embedder: Embedder) -> None:
    budget, likewise, drug = embedder.embed(
        [
            "The council approved the budget on Monday.",
            "On Monday the budget was approved by the council.",
            "Researchers found an enzyme in penguins.",
        ]
    )
    assert budget @ likewise > budget @ drug + 0.2
