"""Vector retrieval in Neo4j against a search of all vectors.

Retrievers by name.

Full text: no question is syntax, the analyser's stems match, and rare words and titles count.

Search of the vector indexes: recall against exact search, ties, and vectors without a direction.
"""

import math
import re
from collections.abc import Callable, Iterator
from functools import partial

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from kg.corpus import drop_corpus
from kg.embed.choose import Vectors
from kg.errors import SettingsError
from kg.queries import query
from kg.store.graph import Graph, vector_of
from services.rag.protocol import Filters, Hit, RagQuestion, Retriever
from services.rag.retrieval.choose import (
    DEFAULT,
    NAMED,
    RETRIEVERS,
    open_retriever,
)
from services.rag.retrieval.index_search import (
    MOST_WORDS,
    NearestRetriever,
    WordRetriever,
    question_words,
    word_searches,
)
from tests.graph_reading import change, read
from tests.names import unique_name
from tests.services.rag.retrieval.valley_press import write_by_hand
from tests.small_world import tools

CHUNKS = "MATCH (c:Chunk {corpus: $corpus}) RETURN c.id AS id, c.embedding AS vector ORDER BY id"
TEXTS = ["Who founded Halden Shipping?", "Pigeons and ladders", "The Corrin Medal", "x"]


def questions(*texts: str) -> list[RagQuestion]:
    return [
        RagQuestion(f"question-{i}", text, vector)
        for i, (text, vector) in enumerate(zip(texts, tools().embedder.embed(texts), strict=True))
    ]


@pytest.mark.parametrize("limit", [1, 3, 100])
def test_the_nearest_chunks_come_first_with_their_cosine(graph: Graph, small_corpus: str, limit: int) -> None:
    rows = read(graph, CHUNKS, corpus=small_corpus)
    vectors = np.stack([vector_of(row["vector"]) for row in rows])
    found = NearestRetriever(graph, small_corpus, limit).retrieve(asked := questions(*TEXTS))
    for question, hits in zip(asked, found, strict=True):
        cosines = (vectors @ question.vector).tolist()
        expected = sorted(zip(cosines, (row["id"] for row in rows), strict=True), reverse=True)[:limit]
        assert [hit.chunk for hit in hits] == [chunk for _, chunk in expected]
        assert [hit.score for hit in hits] == pytest.approx([cosine for cosine, _ in expected], abs=1e-5)


def test_a_question_gets_the_same_hits_alone_and_among_others(graph: Graph, small_corpus: str) -> None:
    retriever = NearestRetriever(graph, small_corpus, 4)
    together = retriever.retrieve(questions(*TEXTS))
    assert [retriever.retrieve([question])[0] for question in questions(*TEXTS)] == together
    assert retriever.retrieve([]) == []


def test_equal_chunks_come_in_the_order_of_their_ids(graph: Graph, corpus: str) -> None:
    (question,) = questions(TEXTS[0])
    rows = [{"id": f"{corpus}-{name}", "vector": question.vector} for name in "cadb"]
    new = "UNWIND $ids AS id CREATE (:Chunk {id: id, corpus: $corpus})"
    change(graph, new, ids=[row["id"] for row in rows], corpus=corpus)
    graph.rows(query("search/write_embeddings"), target="chunks", rows=rows)
    for limit in (2, 4):
        (hits,) = NearestRetriever(graph, corpus, limit).retrieve([question])
        assert [hit.chunk for hit in hits] == [f"{corpus}-{name}" for name in "abcd"[:limit]]
        assert [hit.score for hit in hits] == [pytest.approx(1, abs=1e-6)] * limit


def test_a_run_records_how_many_chunks_it_asked_for(graph: Graph) -> None:
    assert NearestRetriever(graph, "any", 7).name == "vector-7"


def test_an_unknown_name_is_told_with_all_that_there_are(graph: Graph) -> None:
    with pytest.raises(SettingsError) as caught:
        open_retriever("magic", graph, "any", tools().embedder)
    assert "'magic'" in caught.value.message
    for name in RETRIEVERS:
        assert name in caught.value.remedy


@pytest.mark.parametrize("name", [name for name in RETRIEVERS if name != "pagerank-gds"])
def test_a_retriever_is_called_by_its_name_and_limit(graph: Graph, name: str) -> None:
    assert open_retriever(name, graph, "any", tools().embedder, 7).name == f"{name}-7"


def test_with_named_behind_it_a_retriever_looks_where_the_question_says(graph: Graph) -> None:
    assert open_retriever(f"words{NAMED}", graph, "any", tools().embedder, 7).name == "words-named-7"


def test_the_default_is_one_of_them() -> None:
    assert DEFAULT in RETRIEVERS


VECTOR = np.array([1, 0], dtype=np.float32)
SYNTAX = [
    "AND OR NOT TO",
    'text:* OR title:"a" ~2 ^9 && || ! + - { } [ ] ( ) \\ /x/ ?',
    "keys:* day:[d0 TO d9]",
    ") OR (*:*",
    "\\",
    '"',
    "",
    "   ",
    "*",
    "_" * 50,
    "the of and",
    "²½①ª ᵃ",
    "北京在哪里",
    "أين القاهرة؟",
    "Где Москва? İstanbul ﬁn \u017f",
]

words = st.text(max_size=200) | st.lists(st.sampled_from(SYNTAX), max_size=5).map(" ".join)


@given(words)
@example("x" * 10_000)
@example("word " * 5_000)
@example(" ".join(f"word{number}" for number in range(1_500)))
def test_only_letters_and_digits_of_a_question_reach_the_index(text: str) -> None:
    found = question_words(text)
    assert len(found) == len(set(found)) <= MOST_WORDS
    for word in found:
        assert not set(word) & set('+-&|!(){}[]^"~*?:\\/ \t\n<>=')
        assert word.upper() == word.lower() or word not in {"AND", "OR", "NOT", "TO"}
    assert [
        re.sub(r"text:|title:|keys:nothing|\^0|[()+]", "", one).split() for one in word_searches(text, "")
    ] == [[word, word] for word in found]


@settings(max_examples=60, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(words.filter(lambda text: not re.search("(?i)harbou?r|ferri|ferry", text)))
def test_a_question_without_the_words_of_a_corpus_finds_nothing(
    graph: Graph, harbours: str, text: str
) -> None:
    assert _found(graph, harbours, text) == []


@pytest.fixture(scope="module")
def harbours(graph: Graph) -> Iterator[str]:
    corpus = "test-harbours"
    drop_corpus(graph, corpus)
    write_by_hand(graph, corpus, [VECTOR] * 3, text="harbours ferries")
    yield corpus
    drop_corpus(graph, corpus)


@pytest.mark.parametrize(
    "text", ["harbour", "HARBOURS!", "the harbour's ferry", 'x" OR "harbour', "ferried?"]
)
def test_words_match_by_their_stems(graph: Graph, harbours: str, text: str) -> None:
    assert len(_found(graph, harbours, text)) == 3


@pytest.mark.parametrize("name", ["O'Neill", "U.S.", "3.5", "Straße", "Zürich", "渡船"])
def test_a_name_is_found_as_the_analyser_reads_it(graph: Graph, corpus: str, name: str) -> None:
    chunks = write_by_hand(graph, corpus, [VECTOR], text=f"In {name} nothing happened.")
    assert _found(graph, corpus, f"Who was in {name}?") == chunks


def test_rare_words_and_titles_count_more(graph: Graph, corpus: str) -> None:
    plain = write_by_hand(graph, corpus, [VECTOR] * 3, text="the ferry")
    (titled,) = write_by_hand(graph, corpus, [VECTOR], text="on the ferry", title="Ferry", first=3)
    (rare,) = write_by_hand(graph, corpus, [VECTOR], text="the lighthouse", first=4)
    write_by_hand(graph, corpus, [VECTOR] * 4, text="nothing of it", first=5)
    assert _found(graph, corpus, "ferry lighthouse") == [rare, titled, *plain]
    (hits,) = WordRetriever(graph, corpus, 10).retrieve([RagQuestion("one", "ferry", VECTOR)])
    idf = math.log(1 + (9 - 4 + 0.5) / (4 + 0.5))
    assert [hit.score for hit in hits] == pytest.approx([1.5 * idf, idf, idf, idf], abs=1e-6)
    assert hits[0].parts == (("words", hits[0].score),)


def test_another_corpus_with_the_same_words_changes_no_score(graph: Graph, corpus: str) -> None:
    write_by_hand(graph, corpus, [VECTOR] * 2, text="ferry harbour")
    question = RagQuestion("one", "which ferry leaves the harbour", VECTOR)
    before = WordRetriever(graph, corpus, 10).retrieve([question])
    other = f"{corpus}-other"
    try:
        write_by_hand(graph, other, [VECTOR] * 2_500, text="ferry", targets=())
        assert WordRetriever(graph, corpus, 10).retrieve([question]) == before
        assert len(before[0]) == 2
    finally:
        drop_corpus(graph, other)


def test_many_names_may_be_filtered_by(graph: Graph, corpus: str) -> None:
    chunks = write_by_hand(graph, corpus, [VECTOR], text="ferry", source="Name 7")
    names = tuple(f"name {number}" for number in range(300))
    filters = Filters(sources=names, categories=("", *names[1:]), authors=("", *names[1:]))
    (hits,) = WordRetriever(graph, corpus, 10).retrieve([RagQuestion("one", "ferry", VECTOR, filters)])
    assert [hit.chunk for hit in hits] == chunks


def _found(graph: Graph, corpus: str, text: str) -> list[str]:
    (hits,) = WordRetriever(graph, corpus, 10).retrieve([RagQuestion("one", text, VECTOR)])
    return [hit.chunk for hit in hits]


Make = Callable[[Graph, str, int], Retriever]
MAKERS: tuple[Make, ...] = (
    NearestRetriever,
    partial(NearestRetriever, units="claims"),
    partial(NearestRetriever, units="facts"),
)


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
