"""What every retriever keeps to, whatever it searches."""

import asyncio
from collections.abc import Iterator
from datetime import date, timedelta
from pathlib import Path

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from kg.corpus import drop_corpus
from kg.errors import SettingsError, StoreTooOldError, UserError
from kg.store.graph import Graph, Row
from services.rag.protocol import Filters, Hit, RagQuestion, Retriever, retrieve_async
from services.rag.retrieval.choose import RETRIEVERS, open_retriever
from tests.examples import read_examples
from tests.graph_reading import read
from tests.names import unique_name
from tests.services.rag.retrieval.valley_press import (
    DATES,
    SOURCES,
    asked,
    build_press,
    write_by_hand,
)
from tests.small_world import tools

QUESTIONS: list[str] = list(read_examples("services/rag/retrieval/conformance")["questions"])
ODD = [
    "",
    "?!",
    "AND OR NOT",
    'title:"rovers" OR keys:* ~2 ^5 [a TO b] \\',
    "谁创立了哈尔登航运公司?",
    "من أسس شركة هالدن؟",
    "Wer gründete die Reederei Halden Shipping, und wann?",
    ("Who founded Halden Shipping? " * 400)[:10_000],
    "x" * 10_000,
    "\x00\x07 control ￿",
]
LIMIT = 4

names = st.one_of(
    st.just(()),
    st.lists(
        st.sampled_from(["the ostby post", "NORHOLM ECHO", "Sport", "business", "vera holm", "Nobody"]),
        max_size=3,
    ).map(tuple),
)
days = st.one_of(
    st.just(""),
    st.sampled_from([day for day in DATES if day]).flatmap(
        lambda day: st.integers(-1, 1).map(
            lambda shift: (date.fromisoformat(day) + timedelta(days=shift)).isoformat()
        )
    ),
)
filters = st.builds(Filters, sources=names, categories=names, authors=names, since=days, until=days)


@pytest.fixture(scope="module")
def press(graph: Graph) -> Iterator[str]:
    """The articles of the small world with sources, categories, authors and dates."""
    corpus = unique_name("press", "module")
    build_press(graph, corpus)
    yield corpus
    drop_corpus(graph, corpus)


@pytest.fixture(scope="module")
def chunks(graph: Graph, press: str) -> dict[str, Row]:
    """What can be filtered by, of every chunk, read from its article."""
    rows = read(
        graph,
        "MATCH (a:Article {corpus: $corpus})-[:HAS_CHUNK]->(c) RETURN c.id AS id, a.source AS source, "
        "a.category AS category, a.author AS author, "
        "coalesce(toString(date(a.published_at)), '') AS published",
        corpus=press,
    )
    return {row["id"]: row for row in rows}


@pytest.fixture(scope="module", params=RETRIEVERS)
def retriever(
    request: pytest.FixtureRequest, graph: Graph, press: str, tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Retriever]:
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("HOPGRADE_CACHE", str(tmp_path_factory.mktemp("cache")))
        yield opened(request.param, graph, press)


def opened(name: str, graph: Graph, corpus: str, limit: int = LIMIT) -> Retriever:
    try:
        return open_retriever(name, graph, corpus, tools().embedder, limit)
    except StoreTooOldError as error:
        pytest.skip(str(error))


def test_a_question_gets_the_same_hits_alone_and_among_others(retriever: Retriever) -> None:
    questions = asked(*QUESTIONS)
    together = retriever.retrieve(questions)
    assert [retriever.retrieve([question])[0] for question in questions] == together
    assert retriever.retrieve(questions[::-1]) == together[::-1]
    assert retriever.retrieve([]) == []


def test_questions_that_share_an_id_are_answered_each(retriever: Retriever) -> None:
    first, second = asked(*QUESTIONS[:2])
    same = RagQuestion(first.id, second.text, second.vector)
    assert retriever.retrieve([first, same]) == retriever.retrieve([first, second])


def test_chunks_come_once_best_first_and_ties_by_id(retriever: Retriever, chunks: dict[str, Row]) -> None:
    found = retriever.retrieve(asked(*QUESTIONS))
    assert any(found)
    for hits in found:
        assert len(hits) <= LIMIT
        assert len({hit.chunk for hit in hits}) == len(hits)
        assert {hit.chunk for hit in hits} <= chunks.keys()
        assert hits == sorted(hits, key=lambda hit: (-hit.score, hit.chunk))
        assert all(hit.parts for hit in hits)


@pytest.mark.parametrize("name", RETRIEVERS)
def test_a_lower_limit_cuts_the_same_ranking(graph: Graph, press: str, name: str, tmp_path: Path) -> None:
    questions = asked(*QUESTIONS)
    many = opened(name, graph, press, 9).retrieve(questions)
    assert opened(name, graph, press, 2).retrieve(questions) == [hits[:2] for hits in many]


def test_the_name_tells_kind_and_limit(retriever: Retriever) -> None:
    kind, _, limit = retriever.name.rpartition("-")
    assert kind
    assert limit == str(LIMIT)


@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(filters)
def test_no_chunk_outside_the_filters_is_found(
    retriever: Retriever, chunks: dict[str, Row], wanted: Filters
) -> None:
    allowed = {chunk for chunk, row in chunks.items() if lets_through(wanted, row)}
    for hits in retriever.retrieve(asked(*QUESTIONS, filters=wanted)):
        assert {hit.chunk for hit in hits} <= allowed
        assert len(hits) <= len(allowed)


@pytest.mark.campaign
@pytest.mark.parametrize("name", ["vector", "claims", "facts", "hybrid", "hybrid-rrf", "words"])
@settings(max_examples=12, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(filters)
def test_filters_starve_nobody(
    graph: Graph, press: str, chunks: dict[str, Row], name: str, wanted: Filters
) -> None:
    """All that is found without filters and that they let through is found with them."""
    everything = open_retriever(name, graph, press, tools().embedder, 1_000)
    free = everything.retrieve(asked(*QUESTIONS))
    narrow = everything.retrieve(asked(*QUESTIONS, filters=wanted))
    for before, after in zip(free, narrow, strict=True):
        expected = [hit for hit in before if lets_through(wanted, chunks[hit.chunk])]
        assert {hit.chunk for hit in after} == {hit.chunk for hit in expected}
        if name in {"vector", "claims", "facts"}:
            assert after == expected


def test_each_question_of_a_batch_keeps_its_own_filters(retriever: Retriever, chunks: dict[str, Row]) -> None:
    text = QUESTIONS[0]
    wanted = [Filters(), *(Filters(sources=(source,)) for source in SOURCES if source)]
    questions = [question for one in wanted for question in asked(text, filters=one)]
    found = retriever.retrieve(questions)
    assert found == [retriever.retrieve([question])[0] for question in questions]
    for one, hits in zip(wanted, found, strict=True):
        assert all(lets_through(one, chunks[hit.chunk]) for hit in hits)


@pytest.mark.campaign
@pytest.mark.parametrize("name", [name for name in RETRIEVERS if name != "pagerank-gds"])
def test_another_corpus_changes_nothing(graph: Graph, press: str, name: str) -> None:
    questions = asked(*QUESTIONS, *ODD[:6]) + asked(*QUESTIONS, filters=Filters(since="2021-12-31"))
    before = open_retriever(name, graph, press, tools().embedder, LIMIT).retrieve(questions)
    other = unique_name("other")
    try:
        for number, question in enumerate(questions[:3]):
            write_by_hand(
                graph,
                other,
                [question.vector] * 150,
                text=question.text,
                title=question.text,
                source=SOURCES[0],
                first=number * 150,
            )
        after = open_retriever(name, graph, press, tools().embedder, LIMIT).retrieve(questions)
        assert after == before
    finally:
        drop_corpus(graph, other)


@pytest.mark.parametrize("text", ODD, ids=range(len(ODD)))
def test_an_odd_question_has_a_result(retriever: Retriever, chunks: dict[str, Row], text: str) -> None:
    (hits,) = retriever.retrieve(asked(text))
    assert len(hits) <= LIMIT
    assert {hit.chunk for hit in hits} <= chunks.keys()


@pytest.mark.parametrize("name", RETRIEVERS)
def test_a_corpus_without_anything_gives_nothing_or_says_so(graph: Graph, corpus: str, name: str) -> None:
    found: list[list[Hit]] = [[], []]
    try:
        found = opened(name, graph, corpus).retrieve(asked(*QUESTIONS[:2]))
    except UserError as error:
        assert corpus in error.message
        assert error.remedy
    assert found == [[], []]


def test_asynchronous_code_gets_the_same(retriever: Retriever) -> None:
    questions = asked(*QUESTIONS)

    async def both() -> tuple[list[list[Hit]], list[list[Hit]]]:
        return await asyncio.gather(
            retrieve_async(retriever, questions), retrieve_async(retriever, questions[:1])
        )

    everything, first = asyncio.run(both())
    assert everything == retriever.retrieve(questions)
    assert first == everything[:1]


def lets_through(wanted: Filters, row: Row) -> bool:
    """What `Filters` promises, by the fields of an article."""
    named = all(
        not names or row[field].lower() in {name.lower() for name in names}
        for field, names in (
            ("source", wanted.sources),
            ("category", wanted.categories),
            ("author", wanted.authors),
        )
    )
    if not wanted.since and not wanted.until:
        return named
    since, until = wanted.since or "0001", wanted.until or "9999-12-31"
    return named and row["published"] != "" and since <= row["published"] <= until


@pytest.mark.parametrize(
    "wanted", [Filters(since="last week"), Filters(until="2024"), Filters(sources=("x",) * 301)]
)
@pytest.mark.parametrize("name", ["vector", "claims", "facts", "hybrid", "hybrid-rrf", "words"])
def test_a_filter_that_can_not_be_used_is_refused(
    graph: Graph, press: str, name: str, wanted: Filters
) -> None:
    with pytest.raises(SettingsError):
        open_retriever(name, graph, press, tools().embedder).retrieve(asked("who?", filters=wanted))
