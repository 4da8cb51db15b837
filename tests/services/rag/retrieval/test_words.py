"""Full text: no question is syntax, the analyser's stems match, and rare words and titles count."""

import math
import re
from collections.abc import Iterator

import numpy as np
import pytest
from hypothesis import HealthCheck, example, given, settings
from hypothesis import strategies as st

from kg.corpus import drop_corpus
from kg.store.graph import Graph
from services.rag.protocol import Filters, RagQuestion
from services.rag.retrieval.index_search import MOST_WORDS, WordRetriever, question_words, word_searches
from tests.services.rag.retrieval.valley_press import write_by_hand

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
