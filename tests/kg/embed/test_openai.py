import numpy as np
import pytest
from numpy.typing import NDArray

from kg.embed.openai import OpenAIEmbedder
from kg.errors import EmbeddingError
from tests.examples import examples
from tests.scripted_endpoint import DIMENSIONS, Endpoint, Fault, Status, scripted_endpoint, vector

KEY = "sk-very-secret-key-123"


def embedder(endpoint: Endpoint, **options: int | float) -> OpenAIEmbedder:
    given = {"timeout_seconds": 0.5, "max_retries": 2, **options}
    return OpenAIEmbedder("bag-of-words", KEY, endpoint.base_url, **given)  # type: ignore[arg-type]


def unit(text: str, dimensions: int = DIMENSIONS) -> NDArray[np.float64]:
    numbers = np.array(vector(text, dimensions))
    length: np.float64 = np.sqrt((numbers * numbers).sum())
    return numbers / length


@pytest.mark.parametrize("fault", ["429", "500", "408", "silence", "truncated", "out of order"])
def test_transient_faults_are_overcome(fault: Fault) -> None:
    with scripted_endpoint(faults=[fault]) as endpoint:
        vectors = embedder(endpoint).embed(["a b", "c d e"])
    np.testing.assert_allclose(vectors, [unit("a b"), unit("c d e")], atol=1e-6)


@pytest.mark.campaign
def test_retry_after_is_waited_for() -> None:
    with scripted_endpoint(faults=[Status(429, retry_after="0.9")]) as endpoint:
        embedder(endpoint, requested_dimensions=8).embed(["a"])
    first, second = endpoint.requests
    assert second.at_seconds - first.at_seconds >= 0.85  # the header names 0.9 s; without it, 0.5 s at most


@examples("fault, words, requests")
def test_lasting_faults_end_in_one_sentence_with_a_remedy_and_without_the_key(
    fault: Fault, words: str, requests: int
) -> None:
    with (
        scripted_endpoint(faults=[fault] * 5) as endpoint,
        pytest.raises(EmbeddingError, match=words) as caught,
    ):
        embedder(endpoint, requested_dimensions=8).embed(["a b", "c"])
    assert len(endpoint.requests) == requests
    assert caught.value.remedy
    assert "127.0.0.1" in caught.value.message
    assert KEY not in f"{caught.value} {caught.value.__cause__}"
    assert "\n" not in caught.value.message


@pytest.mark.campaign
@pytest.mark.parametrize(
    ("fault", "words"), [("500", "500"), ("silence", "in time"), ("truncated", "broke off")]
)
def test_transient_faults_that_stay_end_after_the_retries(fault: Fault, words: str) -> None:
    with scripted_endpoint(faults=[fault] * 9) as endpoint, pytest.raises(EmbeddingError, match=words):
        embedder(endpoint, max_retries=1, timeout_seconds=0.3).embed(["a"])
    assert len(endpoint.requests) == 2


def test_an_endpoint_that_is_not_there() -> None:
    with scripted_endpoint() as endpoint:
        pass
    with pytest.raises(EmbeddingError, match="can't be reached"):
        embedder(endpoint, max_retries=0).embed(["a"])


def test_batches_are_bounded_by_texts_and_by_tokens() -> None:
    texts = [f"{'word ' * 9}{number}" for number in range(10)]
    with scripted_endpoint() as endpoint:
        embedder(endpoint, batch_texts=3, requested_dimensions=8).embed(texts)
        assert [len(request.inputs) for request in endpoint.requests] == [3, 3, 3, 1]
        endpoint.requests.clear()
        embedder(endpoint, batch_tokens=25, requested_dimensions=8).embed(texts)
        assert [len(request.inputs) for request in endpoint.requests] == [2, 2, 2, 2, 2]


def test_a_long_text_is_cut_and_no_text_is_sent_empty() -> None:
    with scripted_endpoint() as endpoint:
        embedder(endpoint, max_tokens=3, requested_dimensions=8).embed(["One two three four", "", " \n"])
    assert endpoint.requests[0].inputs[0] == "One two three"
    assert all(text.strip() for text in endpoint.requests[0].inputs)


def test_dimensions_are_asked_for_or_found_out() -> None:
    with scripted_endpoint() as endpoint:
        asked = embedder(endpoint, requested_dimensions=16)
        assert asked.embed(["a"]).shape == (1, 16)
        assert asked.name == "openai/bag-of-words@16"
        found = embedder(endpoint)
        assert found.dimensions == DIMENSIONS
        assert found.name == "openai/bag-of-words"
    assert {request.key for request in endpoint.requests} == {KEY}


def test_no_text_sends_no_text() -> None:
    with scripted_endpoint() as endpoint:
        assert embedder(endpoint, requested_dimensions=8).embed([]).shape == (0, 8)
    assert endpoint.requests == []
