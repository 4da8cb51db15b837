"""Search of the vector indexes: recall against exact search, ties, and vectors without a direction."""

from collections.abc import Callable, Iterator

import numpy as np
import pytest
from numpy.typing import NDArray

from kg.corpus import drop_corpus
from kg.embed.choose import Vectors
from kg.store.graph import Graph
from services.rag.protocol import Filters, Hit, RagQuestion, Retriever
from services.rag.retrieval.choose import ClaimRetriever, FactRetriever, VectorRetriever
from tests.names import unique_name
from tests.services.rag.retrieval.valley_press import write_by_hand

Make = Callable[[Graph, str, int], Retriever]
MAKERS: tuple[Make, ...] = (VectorRetriever, ClaimRetriever, FactRetriever)


@pytest.fixture(scope="module")
def clouds(graph: Graph) -> Iterator[tuple[str, Vectors, list[str]]]:
    """A corpus of vectors around forty centres, with the vectors and their chunks."""
    corpus = unique_name("test", "module")
    chance = np.random.default_rng(5)
    centres = chance.normal(size=(40, 24))
    vectors = _unit(centres[chance.integers(0, 40, 2_500)] + 0.7 * chance.normal(size=(2_500, 24)))
    yield corpus, vectors, write_by_hand(graph, corpus, list(vectors))
    drop_corpus(graph, corpus)


@pytest.mark.parametrize("make", MAKERS)
def test_ten_nearest_of_thousands_are_those_of_exact_search(
    graph: Graph, clouds: tuple[str, Vectors, list[str]], make: Make
) -> None:
    corpus, vectors, chunks = clouds
    chance = np.random.default_rng(6)
    questions = _unit(vectors[chance.integers(0, len(vectors), 40)] + 0.2 * chance.normal(size=(40, 24)))
    found = make(graph, corpus, 10).retrieve(
        [RagQuestion(str(number), "", vector) for number, vector in enumerate(questions)]
    )
    right = 0
    for vector, hits in zip(questions, found, strict=True):
        exact = {chunks[i] for i in np.argsort(-(vectors @ vector))[:10]}
        right += len(exact & {hit.chunk for hit in hits})
    assert right / 400 >= 0.99


@pytest.mark.campaign
@pytest.mark.parametrize("make", MAKERS)
@pytest.mark.parametrize("filters", [Filters(), Filters(sources=("post",)), Filters(authors=("nobody",))])
def test_where_all_vectors_are_equal_chunks_come_in_the_order_of_their_ids(
    graph: Graph, corpus: str, make: Make, filters: Filters
) -> None:
    vector = np.full(8, 8**-0.5, dtype=np.float32)
    chunks = write_by_hand(graph, corpus, [vector] * 700, source="Post")
    (hits,) = make(graph, corpus, 5).retrieve([RagQuestion("one", "", vector, filters)])
    expected = [] if filters.authors else chunks[:5]
    assert [hit.chunk for hit in hits] == expected
    assert [hit.score for hit in hits] == [pytest.approx(1, abs=1e-5)] * len(expected)


@pytest.mark.parametrize("make", MAKERS)
def test_a_vector_without_a_direction_finds_nothing(graph: Graph, corpus: str, make: Make) -> None:
    write_by_hand(graph, corpus, [np.array([1, 0], dtype=np.float32)])
    assert make(graph, corpus, 5).retrieve([RagQuestion("one", "", np.zeros(2, dtype=np.float32))]) == [[]]


@pytest.mark.campaign
@pytest.mark.parametrize("make", MAKERS)
def test_a_small_corpus_does_not_starve_beside_a_large_one(graph: Graph, corpus: str, make: Make) -> None:
    vector = np.array([1, 0, 0], dtype=np.float32)
    far = np.array([0, 1, 0], dtype=np.float32)
    own = write_by_hand(graph, corpus, [far, far])
    before = _chunks(make(graph, corpus, 2).retrieve([RagQuestion("one", "", vector)]))
    other = f"{corpus}-large"
    try:
        write_by_hand(graph, other, [vector] * 500)
        assert _chunks(make(graph, corpus, 2).retrieve([RagQuestion("one", "", vector)])) == before == [own]
    finally:
        drop_corpus(graph, other)


def _chunks(found: list[list[Hit]]) -> list[list[str]]:
    return [[hit.chunk for hit in hits] for hits in found]


def _unit(vectors: NDArray[np.float64]) -> Vectors:
    unit: Vectors = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return unit
