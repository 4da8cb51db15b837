"""What a model could have known before: the age of articles, answers from memory, published sets."""

import json
from datetime import date
from math import log
from pathlib import Path

import pytest
from scipy.stats import binomtest

from kg.embed.choose import make_embedder
from kg.errors import NothingToDoError
from kg.progress import Silent
from kg.queries import query
from kg.settings import Settings
from kg.stages.articles import ArticleLimits, ingest_articles
from kg.store.graph import Graph
from services.datasets.contamination import PublishedSet, compare_with_set, read_contamination, read_set
from services.evaluate.matrix import AnswerVerdict
from services.evaluate.write_back import Age, article_age, closed_book, known_cells, tell_cutoff
from services.statistics.clustered_means import cluster_interval
from tests.services.report.planted import Given, Planted, answer, plant


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


class Notes(Silent):
    """What is told when a task ends."""

    def __init__(self) -> None:
        self.notes: list[str] = []

    def end(self, note: str = "") -> None:
        self.notes.append(note)


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
    said = Notes()
    for day in (None, date(2031, 1, 7), date(2031, 1, 9)):
        tell_cutoff(graph, corpus, day, said)
    (note,) = said.notes
    assert note.startswith(age.warning)


def test_a_published_question_is_found_by_words_and_by_meaning(
    graph: Graph, small_corpus: str, tmp_path: Path
) -> None:
    own = [
        row["text"]
        for row in graph.rows(query("questions/list_of_status"), corpus=small_corpus, status="kept")
    ]
    title = graph.rows(query("articles/list_articles"), corpus=small_corpus)[0]["title"]
    path = write_set(tmp_path / "known.json", (own[0], title.upper()), ("zyx qwv utr", "Nowhere"))
    found = compare_with_set(
        graph, small_corpus, read_set(path), make_embedder("builtin", Settings()), show=1
    )
    assert (found.questions, found.rejected) == (2, 0)
    words, meaning = found.likeness
    assert (words.origin, words.questions, words.measure) == ("made", len(own), "words")
    assert (words.highest, round(meaning.highest, 3)) == (1.0, 1.0)
    assert words.alike >= 1
    assert words.median < words.highest
    assert found.titles == (title,)
    (pair,) = found.nearest
    assert pair.question == pair.other == own[0]


def test_words_that_no_question_shares_are_no_likeness(
    graph: Graph, small_corpus: str, tmp_path: Path
) -> None:
    path = write_set(tmp_path / "other.json", ("zyx qwv utr", "Nowhere"))
    found = compare_with_set(graph, small_corpus, read_set(path), make_embedder("builtin", Settings()))
    assert (found.likeness[0].mean, found.likeness[0].highest, found.likeness[0].alike) == (0, 0, 0)
    assert found.titles == ()


def test_likeness_by_words_by_hand(graph: Graph, corpus: str) -> None:
    """Of three texts two have "alpha", which weighs ln(4 / 3) + 1; their other runs weigh ln(4 / 2) + 1."""
    plant(graph, corpus, [Planted("alpha beta")])
    published = PublishedSet("other", ("alpha gamma", "delta"), frozenset({"article 0"}))
    found = compare_with_set(graph, corpus, published, make_embedder("builtin", Settings()))
    shared, other = log(4 / 3) + 1, log(4 / 2) + 1
    cosine = shared**2 / (shared**2 + 2 * other**2)
    words = found.likeness[0]
    assert words.mean == words.highest == pytest.approx(cosine, abs=1e-4)
    assert (words.alike, found.titles) == (0, ("Article 0",))


def test_imported_questions_stand_beside_those_made_here(graph: Graph, corpus: str) -> None:
    """Two made questions, of which one is in the set, and an imported one that shares no word with it."""
    plant(graph, corpus, [Planted("alpha"), Planted("beta"), Planted("gamma", kind="imported")])
    published = PublishedSet("other", ("alpha", "delta"))
    found = compare_with_set(graph, corpus, published, make_embedder("builtin", Settings()), show=1)
    figures = [(one.origin, one.questions, one.mean, one.median, one.highest, one.alike)
               for one in found.likeness if one.measure == "words"]  # fmt: skip
    assert figures == [("made", 2, 0.5, 0.5, 1, 1), ("imported", 1, 0, 0, 0, 0)]
    told = [(one.origin, one.question) for one in found.nearest]
    assert told == [("made", "alpha?"), ("imported", "gamma?")]


def test_a_corpus_without_questions_says_what_to_do(graph: Graph, corpus: str, tmp_path: Path) -> None:
    path = write_set(tmp_path / "other.json", ("Who?", "Nowhere"))
    with pytest.raises(NothingToDoError, match="no kept question"):
        compare_with_set(graph, corpus, read_set(path), make_embedder("builtin", Settings()))


def test_what_is_known_by_heart_is_told_by_cell() -> None:
    """Two hops and near: one of four right, each from an article of its own; far: three of four from two."""
    lone = [AnswerVerdict(f"n{at}", 2, 1, 0.1, at > 0, f"a{at}") for at in range(4)]
    pairs = [AnswerVerdict(f"f{at}", 2, 4, 0.8, at == 3, f"b{at // 2}") for at in range(4)]
    cells = {(cell.hops, cell.bin): cell for cell in known_cells([*lone, *pairs])}
    near = cells[2, 1]
    assert (near.n, near.right, near.share, near.small) == (4, 1, 0.25, True)
    # Wilson by hand, z² = 3.8415: (.25 + .4802) / 1.9604 = .3725, and 1.96 √(.0469 + .0600) / 1.9604 = .3269.
    assert near.interval is not None
    assert (near.interval.low, near.interval.high) == pytest.approx((0.0456, 0.6994), abs=1e-4)
    wilson = binomtest(1, 4).proportion_ci(method="wilson")
    assert (near.interval.low, near.interval.high) == pytest.approx((wilson.low, wilson.high))
    far, clustered = cells[2, 4], cluster_interval([True, True, True, False], ["b0", "b0", "b1", "b1"])
    assert (far.n, far.right) == (4, 3)
    assert far.interval is not None
    assert clustered is not None
    assert (far.interval.low, far.interval.high) == pytest.approx((clustered.low, clustered.high))
    assert (cells[2, None].right, cells[None, 1].right, cells[None, None].right) == (4, 1, 4)
    assert (cells[3, 1].share, cells[3, 1].interval) == (None, None)
    assert len(cells) == 25


def test_only_runs_that_read_nothing_tell_what_is_known(graph: Graph, corpus: str) -> None:
    plant(graph, corpus, [Planted("a"), Planted("b", start=3, bin=4)])
    answer(graph, corpus, "reader", [Given("a", right=True), Given("b", right=True)])
    answer(graph, corpus, "memory", [Given("a", right=True), Given("b")], evidence="none", generator="one")
    (found,) = closed_book(graph, corpus)
    assert (found.run, found.generator, found.judge) == ("memory", "one", "exact match")
    assert [(cell.bin, cell.right) for cell in found.cells[:5]] == [(1, 1), (2, 0), (3, 0), (4, 0), (None, 1)]
    told = read_contamination(graph, corpus, Settings(), date(2031, 1, 1), (), Silent())
    assert told.closed_book == (found,)
    assert told.age == Age(date(2031, 1, 1), dated=0, undated=9, read=0)
