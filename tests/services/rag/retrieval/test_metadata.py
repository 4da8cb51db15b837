"""Retrieval within the filters that a question's own words ask for."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.corpus import drop_corpus
from kg.store.graph import Graph
from services.rag.metadata import index_metadata
from services.rag.protocol import Filters, Hit, RagQuestion
from services.rag.retrieval.index_search import NearestRetriever
from services.rag.retrieval.metadata import WITHIN, MetadataRetriever, read_metadata, within
from tests.graph_reading import read
from tests.names import unique_name
from tests.services.rag.retrieval.valley_press import DATES, asked, build_press

SOURCES = ("Wired", "The Verge", "Fortune")
DAYS = ("2023-10-01", "2023-10-08", "2023-11-05")
CHUNKS = {
    f"{source}-{number}": (source, DAYS[number % 3])
    for source in SOURCES
    for number in range(6 if source == "Wired" else 3)
}
INDEX = index_metadata(SOURCES, first_day=DAYS[0], last_day=DAYS[-1])
NOWHERE = np.zeros(3, np.float32)


@dataclass
class Shelves:
    """Finds every chunk that the filters let through, Wired first, and remembers what it was asked."""

    name: str = "shelves-9"
    batches: list[int] = field(default_factory=list)

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        self.batches.append(len(questions))
        return [self._hits(question.filters) for question in questions]

    def _hits(self, wanted: Filters) -> list[Hit]:
        fitting = [
            chunk
            for chunk, (source, day) in CHUNKS.items()
            if (not wanted.sources or source in wanted.sources)
            and wanted.since <= day
            and (not wanted.until or day <= wanted.until)
            and not wanted.authors
        ]
        return [Hit(chunk, 1 - place / 20, (("shelf", 1.0),)) for place, chunk in enumerate(fitting)][:9]


def question(text: str, filters: Filters | None = None) -> RagQuestion:
    return RagQuestion(text, text, NOWHERE, filters or Filters())


def found(text: str, limit: int = 9, filters: Filters | None = None) -> list[str]:
    (hits,) = MetadataRetriever(Shelves(), INDEX, limit).retrieve([question(text, filters)])
    return [hit.chunk for hit in hits]


def sources(chunks: Sequence[str]) -> list[str]:
    return [CHUNKS[chunk][0] for chunk in chunks]


def test_every_source_that_is_named_is_represented() -> None:
    chunks = found("Do the Wired, The Verge and Fortune articles agree?", 3)
    assert set(sources(chunks)) == set(SOURCES)
    assert sources(found("Do the Wired and Fortune articles agree?", 4)) == ["Fortune", "Wired"] * 2


def test_what_is_named_comes_first_and_everything_else_is_not_shut_out() -> None:
    chunks = found("What does the Fortune article say?")
    assert sources(chunks[:3]) == ["Fortune"] * 3
    assert "Wired" in sources(chunks)


def test_the_day_comes_first_then_the_source_on_other_days() -> None:
    chunks = found("What does the Fortune article published on October 8, 2023 say?")
    assert [CHUNKS[chunk] for chunk in chunks[:2]] == [("Fortune", "2023-10-08"), ("Fortune", "2023-10-01")]


def test_a_day_on_which_the_source_printed_nothing_is_let_go() -> None:
    dated = found("What does the Fortune article published on October 7, 2023 say?")
    assert dated == found("What does the Fortune article say?")


def test_hits_tell_whether_they_are_within_the_filters() -> None:
    (hits,) = MetadataRetriever(Shelves(), INDEX).retrieve([question("What does the Fortune article say?")])
    for hit in hits:
        parts = dict(hit.parts)
        assert parts[WITHIN] == float(CHUNKS[hit.chunk][0] == "Fortune")
        assert parts["retriever"] > 0
        assert parts["shelf"] == 1
    assert [hit.score for hit in hits] == sorted((hit.score for hit in hits), reverse=True)


def test_filters_that_leave_nothing_are_left_out_and_the_hits_say_so() -> None:
    retriever = MetadataRetriever(Shelves(), INDEX)
    text = "Which articles published on October 7, 2023 tell of rain?"
    (hits,) = retriever.retrieve([question(text)])
    (free,) = Shelves().retrieve([question(text)])
    assert [hit.chunk for hit in hits] == [hit.chunk for hit in free]
    assert all(dict(hit.parts)[WITHIN] == 0 for hit in hits)


def test_a_question_that_names_nothing_has_the_hits_of_the_retriever() -> None:
    inner = Shelves()
    asked_ = question("Who won?")
    assert MetadataRetriever(inner, INDEX).retrieve([asked_]) == inner.retrieve([asked_])
    assert MetadataRetriever(inner, INDEX).retrieve([]) == []


def test_what_the_corpus_lacks_does_not_hide_what_it_has() -> None:
    chunks = found("Do the Wired article and a Reuters report agree?", 9)
    assert sources(chunks[:2]) == ["Wired", "Wired"]
    assert found("Do a Bloomberg article and a Reuters report agree?") == found("Who won?")


def test_filters_that_came_with_a_question_always_hold() -> None:
    given_filters = Filters(sources=("Fortune",))
    chunks = found("Do the Wired and The Verge articles of October 8, 2023 agree?", filters=given_filters)
    assert set(sources(chunks)) == {"Fortune"}
    late = Filters(since="2023-11-01")
    chunks = found("What does the Wired article published on October 8, 2023 say?", filters=late)
    assert {CHUNKS[chunk][1] for chunk in chunks} == {"2023-11-05"}


def test_all_questions_of_a_batch_are_searched_together() -> None:
    inner = Shelves()
    texts = ["Do the Wired and Fortune articles agree?", "Who won?", "What does the Wired report say?"]
    MetadataRetriever(inner, INDEX).retrieve([question(text) for text in texts])
    assert inner.batches == [3 + 1 + 2]


@given(
    st.lists(
        st.sampled_from(
            [
                "the Wired article",
                "a report by The Verge published on October 8, 2023",
                "an article by Fortune published after November 1, 2023",
                "articles published in 2019",
                "a Reuters report",
            ]
        ),
        max_size=4,
    ),
    st.integers(1, 9),
)
def test_a_ranking_is_cut_not_changed_and_has_each_chunk_once(reports: list[str], limit: int) -> None:
    text = f"Who won in {' and '.join(reports)}?"
    chunks = found(text)
    assert len(set(chunks)) == len(chunks)
    assert chunks
    assert found(text, limit) == chunks[:limit]


def test_the_narrower_of_two_stretches_of_time_counts() -> None:
    both = within(Filters(since="2023-01-01", until="2023-06-30"), Filters(since="2023-03-01", until=""))
    assert (both.since, both.until) == ("2023-03-01", "2023-06-30")


@pytest.fixture(scope="module")
def press(graph: Graph) -> Iterator[str]:
    """The articles of the small world with sources, categories, authors and dates."""
    corpus = unique_name("named", "module")
    build_press(graph, corpus)
    yield corpus
    drop_corpus(graph, corpus)


def test_the_values_of_a_corpus_are_read_and_searched(graph: Graph, press: str) -> None:
    index = read_metadata(graph, press)
    assert (index.first_day, index.last_day) == (min(filter(None, DATES)), max(DATES))
    retriever = MetadataRetriever(NearestRetriever(graph, press, 4), index, 4)
    assert retriever.name == "vector-named-4"
    (hits,) = retriever.retrieve(asked("What do the Ostby Post report and the Norholm Echo article say?"))
    rows = read(
        graph,
        "UNWIND $ids AS id MATCH (c:Chunk {id: id}) RETURN c.source AS source",
        ids=[hit.chunk for hit in hits[:2]],
    )
    assert {row["source"] for row in rows} == {"The Ostby Post", "Norholm Echo"}


def test_an_empty_corpus_names_nothing(graph: Graph, corpus: str) -> None:
    index = read_metadata(graph, corpus)
    assert (index.first_day, index.last_day) == ("", "")
    assert MetadataRetriever(NearestRetriever(graph, corpus), index).retrieve(
        asked("What does Wired say?")
    ) == [[]]
