"""What a model could have known before: the age of articles, and likeness to published questions."""

import json
from datetime import date
from pathlib import Path

import pytest

from kg.embed.choose import make_embedder
from kg.errors import NothingToDoError
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.stages.articles import ArticleLimits, ingest_articles
from kg.store.graph import Graph
from services.datasets.contamination import Age, article_age, compare_with_set


def write_set(path: Path, *rows: tuple[str, str]) -> Path:
    """A file in HotpotQA's form: a question and the title of its evidence a row."""
    found = [
        {
            "_id": str(number),
            "question": question,
            "answer": "yes",
            "type": "bridge",
            "supporting_facts": [[title, 0]],
            "context": [[title, ["One sentence."]]],
        }
        for number, (question, title) in enumerate(rows)
    ]
    path.write_text(json.dumps(found), encoding="utf-8")
    return path


def test_articles_of_the_last_day_of_the_data_may_have_been_read(
    graph: Graph, corpus: str, tmp_path: Path
) -> None:
    days = ("2031-01-08", "2031-01-09", "2031-01-10", "")
    rows = [{"title": day, "body": f"The tower {day} leans.", "published_at": day} for day in days]
    file = tmp_path / "articles.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    ingest_articles(graph, corpus, [file], {}, ArticleLimits(1), Silent())
    age = article_age(graph, corpus, date(2031, 1, 9))
    assert age == Age(date(2031, 1, 9), dated=3, undated=1, read=2)
    assert "2 of 3 dated articles" in age.warning
    assert article_age(graph, corpus, date(2031, 1, 7)).warning == ""


def test_a_published_question_is_found_by_words_and_by_meaning(
    graph: Graph, small_corpus: str, tmp_path: Path
) -> None:
    own = [row["text"] for row in graph.rows(query("questions/list_kept"), corpus=small_corpus)]
    title = graph.rows(query("articles/list_articles"), corpus=small_corpus)[0]["title"]
    path = write_set(tmp_path / "known.json", (own[0], title.upper()), ("zyx qwv utr", "Nowhere"))
    found = compare_with_set(graph, small_corpus, path, make_embedder("builtin", Settings()), show=1)
    assert (found.questions, found.rejected) == (2, 0)
    assert (found.words.highest, round(found.meaning.highest, 3)) == (1.0, 1.0)
    assert found.words.alike >= 1
    assert found.words.median < found.words.highest
    assert found.titles == (title,)
    (pair,) = found.nearest
    assert pair.question == pair.other == own[0]


def test_words_that_no_question_shares_are_no_likeness(
    graph: Graph, small_corpus: str, tmp_path: Path
) -> None:
    path = write_set(tmp_path / "other.json", ("zyx qwv utr", "Nowhere"))
    found = compare_with_set(graph, small_corpus, path, make_embedder("builtin", Settings()))
    assert (found.words.mean, found.words.highest, found.words.alike) == (0, 0, 0)
    assert found.titles == ()


def test_a_corpus_without_questions_says_what_to_do(graph: Graph, corpus: str, tmp_path: Path) -> None:
    path = write_set(tmp_path / "other.json", ("Who?", "Nowhere"))
    with pytest.raises(NothingToDoError, match="no kept question"):
        compare_with_set(graph, corpus, path, make_embedder("builtin", Settings()))
