"""What a question names of sources, authors, categories and days."""

import json
from pathlib import Path

from hypothesis import given
from hypothesis import strategies as st

from services.rag.metadata import MOST_REPORTS, find_days, index_metadata, recognise
from services.rag.protocol import Filters
from tests.examples import examples

INDEX = index_metadata(
    sources=[
        *(
            "The Verge",
            "TechCrunch",
            "Fortune",
            "Wired",
            "Sporting News",
            "The Age",
            "Apple",
            "CBSSports.com",
        ),
        *(
            "FOX News - Health",
            "FOX News - Lifestyle",
            "Cnbc | World Business News Leader",
            "The New York Times",
        ),
    ],
    categories=["technology", "sports"],
    authors=["David Pierce", "News", "The Verge"],
    first_day="2023-09-26",
    last_day="2024-02-01",
)
VERGE, TECHCRUNCH, FORTUNE = (Filters(sources=(name,)) for name in ("The Verge", "TechCrunch", "Fortune"))


def dated(source: str, since: str, until: str) -> Filters:
    return Filters(sources=(source,) if source else (), since=since, until=until)


@examples("question, reports")
def test_sources_are_told_by_how_the_question_speaks_of_them(
    question: str, reports: list[tuple[str, ...]]
) -> None:
    assert list(recognise(question, INDEX).reports) == [Filters(sources=one) for one in reports]


def test_a_name_in_its_own_spelling_is_searched_too_where_another_filters_anyhow() -> None:
    found = recognise("According to The Verge, was he accused by Fortune of using his apple?", INDEX)
    assert list(found.reports) == [VERGE, FORTUNE]


@examples("question, since, until")
def test_the_day_of_an_article_filters(question: str, since: str, until: str) -> None:
    assert recognise(f"Who won in {question}?", INDEX).reports == (dated("Wired", since, until),)


@examples("question")
def test_other_days_do_not(question: str) -> None:
    assert recognise(question, INDEX).reports == (Filters(sources=("Wired",)),)


def test_each_report_has_its_own_day() -> None:
    found = recognise(
        "Between the report from The Verge on October 7, 2023, and the TechCrunch article published on "
        "November 5, 2023, did Fortune change its mind?",
        INDEX,
    )
    assert list(found.reports) == [
        dated("The Verge", "2023-10-07", "2023-10-07"),
        dated("TechCrunch", "2023-11-05", "2023-11-05"),
        FORTUNE,
    ]
    before = recognise("In the October 7, 2023 article by The Verge, who won?", INDEX)
    assert list(before.reports) == [dated("The Verge", "2023-10-07", "2023-10-07")]
    alone = recognise("Which articles published on October 7, 2023 tell of rain?", INDEX)
    assert list(alone.reports) == [dated("", "2023-10-07", "2023-10-07")]


def test_a_day_without_a_year_needs_just_one_year_that_fits() -> None:
    assert find_days("published on October 7", "2022-01-01", "2023-12-31") == []
    assert [one.since for one in find_days("published on October 7", "2022-11-01", "2023-12-31")] == [
        "2023-10-07"
    ]
    assert find_days("published on October 7") == []


def test_authors_and_categories_in_their_frames() -> None:
    found = recognise("What does David Pierce's article in the technology section say?", INDEX)
    assert list(found.reports) == [Filters(authors=("David Pierce",), categories=("technology",))]
    assert recognise("Who is David Pierce in the news of technology and sports?", INDEX).reports == ()
    both = recognise("What does the Wired article by David Pierce say?", INDEX)
    assert list(both.reports) == [Filters(sources=("Wired",), authors=("David Pierce",))]


def test_sources_that_the_corpus_lacks_are_named() -> None:
    found = recognise("Which star was in a Reuters report and an article by The Washington Post?", INDEX)
    assert found.reports == ()
    assert found.lacking == ("Reuters", "Washington Post")
    assert recognise("Which star was in the Wired article?", INDEX).lacking == ()


def test_many_reports_become_one_search() -> None:
    many = " and ".join(f"the Wired report of October {day}, 2023" for day in range(1, MOST_REPORTS + 2))
    assert recognise(f"Did {many} agree?", INDEX).reports == (Filters(sources=("Wired",)),)


@given(st.text(max_size=300))
def test_any_text_can_be_read(text: str) -> None:
    for one in recognise(f"{text} article by Wired {text}", INDEX).reports:
        assert one != Filters()
        assert not one.since or not one.until or one.since <= one.until


def test_a_corpus_without_metadata_recognises_no_names() -> None:
    empty = index_metadata([], [], [])
    assert recognise("What does the Wired article say?", empty).reports == ()


def test_the_real_questions(shared_data: Path) -> None:
    """Over 500 questions of MultiHop-RAG nearly every source recognised is one of the evidence."""
    folder = shared_data / "multihop_rag"
    queries = json.loads((folder / "sample500_queries.json").read_text(encoding="utf-8"))["queries"]
    truth = json.loads((folder / "sample500_ground_truth.json").read_text(encoding="utf-8"))
    gold = {query["id"]: {one["source"] for one in truth[query["id"]]["evidence_list"]} for query in queries}
    index = index_metadata(sorted(set().union(*gold.values())))
    right = wrong = 0
    for query in queries:
        if gold[query["id"]]:
            found = [set(one.sources) for one in recognise(query["question"], index, "never").reports]
            right += sum(bool(one & gold[query["id"]]) for one in found)
            wrong += sum(not one & gold[query["id"]] for one in found)
    assert right > 750
    assert wrong < 0.02 * right
