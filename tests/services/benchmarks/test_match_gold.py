"""Evidence of a set in a corpus: every way that finds it, its chunks, and what is said of the rest."""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.errors import NothingToDoError
from kg.ingest.read import read_articles
from kg.model import ArticleRow
from kg.store.graph import Graph, Row
from kg.text.chunks import ChunkSize, chunk
from services.datasets.choose import read_questions
from services.datasets.match_gold import (
    EvidenceIndex,
    MatchedQuestion,
    Squeezer,
    index_articles,
    match_gold,
    match_in,
    span,
    unmatched_evidence,
)
from services.datasets.question import BenchmarkQuestion, Gold
from tests.examples import examples

FACT = "The board said on Tuesday that “profits” rose by 4.5 per cent in the third quarter \u2013 a record."
BODIES = {
    "a": f"Halden Shipping grew last year. {FACT} Nobody had expected it. The ships lay idle for a winter.",
    "b": "The Ostby Rovers lost again. The crowd went home early, and the band played on without them.",
    "c": "Café Brûlé opened in Kaldmere. It sells coffee, bread and soup to whoever comes by the harbour.",
}


def row(id_: str, body: str, size: ChunkSize | None = None, **known: object) -> Row:
    pieces = chunk(body, size or ChunkSize(8, 40, 0))
    return {
        "id": id_,
        "given_ids": [],
        "title": "",
        "url": "",
        "body": body,
        "chunks": [{"id": f"{id_}-{one.position}", "start": one.start, "end": one.end} for one in pieces],
        **known,
    }


@pytest.fixture
def index() -> EvidenceIndex:
    return index_articles(
        [
            row(
                "a",
                BODIES["a"],
                title="Record: Halden\u2019s best year",
                url="https://one",
                given_ids=["d1", "d9"],
            ),
            row("b", BODIES["b"], title="Rovers lose", given_ids=["d2"]),
            row("c", BODIES["c"], title="Café Brûlé"),
            row("c2", "A later version. It sells coffee and bread no more.", title="Cafe Brule"),
        ]
    )


def match(index: EvidenceIndex, *gold: Gold) -> MatchedQuestion:
    question = BenchmarkQuestion("q1", "?", "!", gold=gold, place="set.jsonl:7")
    (matched,) = match_in(index, [question])
    return matched


@pytest.mark.parametrize(
    ("gold", "way", "articles"),
    [
        (Gold(given_id="d2"), "id", ("b",)),
        (Gold(given_id="d9"), "id", ("a",)),
        (Gold(given_id="b"), "id", ("b",)),
        (Gold(given_id="gone", title="Rovers lose"), "title", ("b",)),
        (Gold(title="rovers  LOSE!", sentence=1), "title", ("b",)),
        (Gold(title="Cafe Brule"), "title", ("c", "c2")),
        (Gold(title="Cafe Brule", text="sells coffee, bread and soup"), "title and text", ("c",)),
        (Gold(url="https://one", text=FACT), "title and text", ("a",)),
        (Gold(title="Record - Haldens best year", text=FACT.upper()), "title and text", ("a",)),
        (Gold(text='the board said on tuesday that "profits" rose by 4.5 per cent'), "text", ("a",)),
        (Gold(title="Rovers lose", text="Nobody had expected it."), "text", ("a",)),
        (
            Gold(url="https://one", text="The board told us on Tuesday that profits rose by 4.5 per cent"),
            "like text, by title",
            ("a",),
        ),
        (
            Gold(text="The board said on Tuesday that profit rose by 4.5 percent in the third quarter"),
            "like text",
            ("a",),
        ),
    ],
)
def test_each_way_finds_its_evidence(
    index: EvidenceIndex, gold: Gold, way: str, articles: tuple[str, ...]
) -> None:
    (found,) = match(index, gold).gold_found
    assert (found.way, found.articles) == (way, articles)
    assert found.chunks
    assert {chunk_id.split("-")[0] for chunk_id in found.chunks} == set(articles)


@pytest.mark.parametrize(
    ("gold", "told"),
    [
        (Gold(given_id="d7"), "id 'd7'"),
        (Gold(title="Another"), "title 'Another'"),
        (Gold(title="Rovers lose", text="The Rovers won the cup."), "text 'The Rovers won the cup.'"),
        # Too short to be looked for by likeness in the whole corpus.
        (Gold(text="Nobody had suspected it"), "text 'Nobody had suspected it'"),
        (
            Gold(text="The board denied that profits fell by 9 per cent in any of the four quarters"),
            "text 'The",
        ),
        (Gold(), "it says nothing"),
    ],
)
def test_what_is_not_there_is_named_with_its_place(index: EvidenceIndex, gold: Gold, told: str) -> None:
    question = BenchmarkQuestion("q1", "?", "!", gold=(Gold(given_id="d2"), gold), place="set.jsonl:7")
    matched = match_in(index, [question])
    (reject,) = unmatched_evidence(matched)
    assert reject.place == "set.jsonl:7"
    assert reject.reason.startswith("question 'q1': its evidence is not in the corpus: ")
    assert told in reject.reason
    assert matched[0].missing == (gold,)
    assert len(matched[0].gold_found) == 1


def test_a_fact_counts_in_every_chunk_that_holds_it_whole() -> None:
    sentences = [f"Sentence number {number} says something short." for number in range(6)]
    index = index_articles([row("a", " ".join(sentences), ChunkSize(1, 20, 10))])
    (found,) = match(index, Gold(text=sentences[1])).gold_found
    holding = [
        id_
        for id_, start, end in index.articles[0].chunks
        if sentences[1] in index.articles[0].body[start:end]
    ]
    assert list(found.chunks) == holding
    assert len(holding) == 2


def test_a_text_longer_than_a_chunk_counts_in_each_chunk_inside_it() -> None:
    body = " ".join(f"Sentence number {number} says something short." for number in range(6))
    index = index_articles([row("a", body, ChunkSize(1, 20, 0))])
    (found,) = match(index, Gold(text=body)).gold_found
    assert list(found.chunks) == sorted(id_ for id_, _, _ in index.articles[0].chunks)
    assert len(found.chunks) > 2


def test_an_id_of_a_chunk_of_ours_means_that_chunk(index: EvidenceIndex) -> None:
    assert match(index, Gold(given_id="a-1")).groups == (("a-1",),)


def test_two_facts_of_one_chunk_are_one_group(index: EvidenceIndex) -> None:
    matched = match(index, Gold(text="The Ostby Rovers lost again."), Gold(text="The crowd went home early"))
    assert len(matched.gold_found) == 2
    assert matched.groups == (("b-0",),)
    assert matched.article_groups == (("b",),)


def test_the_same_fact_in_two_articles_is_one_group_of_both() -> None:
    index = index_articles([row("a", BODIES["a"]), row("z", f"A copy. {FACT}")])
    matched = match(index, Gold(text=FACT))
    assert matched.article_groups == (("a", "z"),)


@given(text=st.text(max_size=60), start=st.integers(0, 60), size=st.integers(1, 20))
def test_a_place_in_a_squeezed_text_is_one_in_the_text(text: str, start: int, size: int) -> None:
    squeezer = Squeezer()
    squeezed = squeezer.squeeze(text)
    wanted = squeezed[start : start + size]
    if wanted:
        first, last = span(squeezer.ends(text), start, start + len(wanted))
        # A character may unfold to several, as "ß" to "ss": the stretch can only be larger.
        assert wanted in squeezer.squeeze(text[first:last])
        assert len(squeezer.squeeze(text[first + 1 : last - 1])) < len(wanted)


@given(data=st.data())
def test_blanks_quotes_and_case_never_hide_a_fact(data: st.DataObject) -> None:
    marks = st.sampled_from(["", "", "", " ", "\n", "“", "'", " - ", "…", "\u00a0"])
    said = "".join(
        character + data.draw(marks) if not character.isalnum() else character
        for character in FACT.swapcase()
    )
    index = index_articles([row("a", BODIES["a"]), row("b", BODIES["b"])])
    (found,) = match(index, Gold(text=said)).gold_found
    assert (found.way, found.articles) == ("text", ("a",))


def test_a_corpus_without_chunks_is_refused(graph: Graph, corpus: str) -> None:
    with pytest.raises(NothingToDoError, match="has no chunks yet"):
        match_gold(graph, corpus, [])


@examples("corpus_file, questions")
def test_all_evidence_of_the_real_sets_is_found_exactly(
    shared_data: Path, corpus_file: str, questions: str
) -> None:
    articles = [one for one in read_articles([shared_data / corpus_file], {}) if isinstance(one, ArticleRow)]
    index = index_articles(
        row(f"a{at}", one.body, ChunkSize(128, 256, 50), title=one.title, given_ids=[one.given_id])
        for at, one in enumerate(articles)
    )
    read = [one for one in read_questions(shared_data / questions) if isinstance(one, BenchmarkQuestion)]
    matched = match_in(index, read)
    assert unmatched_evidence(matched) == ()
    assert {found.way for one in matched for found in one.gold_found} <= {"id", "title and text"}
    titles = {f"a{at}": one.title for at, one in enumerate(articles)}
    assert all(
        not found.gold.title or {titles[id_] for id_ in found.articles} == {found.gold.title}
        for one in matched
        for found in one.gold_found
    )


def test_facts_of_the_real_sample_are_all_reported_where_no_article_is(shared_data: Path) -> None:
    """Each fact must then be named, and none be found by chance."""
    files = [shared_data / "hotpotqa" / "hotpotqa_train100_corpus.json"]
    articles = [one for one in read_articles(files, {}) if isinstance(one, ArticleRow)]
    index = index_articles(row(f"a{at}", one.body, title=one.title) for at, one in enumerate(articles))
    read = [one for one in read_questions(shared_data / "multihop_rag") if isinstance(one, BenchmarkQuestion)]
    matched = match_in(index, read[:60])
    assert len(unmatched_evidence(matched)) == sum(len(one.gold) for one in read[:60])
    assert all(not one.gold_found for one in matched)


def test_facts_of_the_real_sample_are_found_in_articles_around_them(shared_data: Path) -> None:
    read = [one for one in read_questions(shared_data / "multihop_rag") if isinstance(one, BenchmarkQuestion)]
    facts: dict[str, list[str]] = {}
    for one in read:
        for gold in one.gold:
            facts.setdefault(gold.title, []).append(gold.text)
    index = index_articles(
        row(f"a{at}", "Before it. " + " And then. ".join(dict.fromkeys(texts)) + " After it.", title=title)
        for at, (title, texts) in enumerate(facts.items())
    )
    matched = match_in(index, read)
    assert unmatched_evidence(matched) == ()
    assert {found.way for one in matched for found in one.gold_found} == {"title and text"}
