"""Reading files into a corpus: what is kept, merged and set aside, and that a repetition changes nothing.

A handful of poison from files to a finished build: what can be read is read, the rest is named.
"""

import json
import os
import random
import string
from collections.abc import Callable, Sequence
from datetime import date
from pathlib import Path

import pytest

from kg.corpus import fingerprint, list_corpora
from kg.errors import InputError, NothingToDoError, SettingsError
from kg.ingest.rows import path_text
from kg.ledger import Counts, read_stage
from kg.progress import Silent
from kg.stages.articles import ARTICLES_A_BATCH, ArticleLimits, ingest_articles, rejects
from kg.stages.build import build_graph
from kg.store.graph import Graph
from kg.text.tokens import count_tokens
from services.pipeline import open_for_job
from tests.examples import examples
from tests.graph_reading import read, value
from tests.small_world import OPTIONS, tools

Row = dict[str, str]
Ingest = Callable[[Sequence[Row]], Counts]
TITLES = "MATCH (a:Article {corpus: $corpus}) RETURN a.title AS title ORDER BY title"


def row(title: str, body: str = "", **more: str) -> Row:
    return {"title": title, "body": body or f"The {title} leans a little to the west.", **more}


@pytest.fixture
def ingest(graph: Graph, corpus: str, tmp_path: Path) -> Ingest:
    """Ingest rows as a file of their own, keeping 5 to 50 tokens."""
    files: list[Path] = []

    def run(rows: Sequence[Row]) -> Counts:
        files.append(tmp_path / f"part-{len(files)}.jsonl")
        files[-1].write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
        return ingest_articles(graph, corpus, [files[-1]], {}, ArticleLimits(5, 50), Silent())

    return run


def titles(graph: Graph, corpus: str) -> list[str]:
    return [found["title"] for found in read(graph, TITLES, corpus=corpus)]


def test_an_article_is_kept_as_it_came(graph: Graph, corpus: str, ingest: Ingest) -> None:
    given = row("tower", source="Valley Post", author="Ana Brel", published_at="2031-01-09", category="news")
    ingest([given])
    kept = value(graph, "MATCH (a:Article {corpus: $corpus}) RETURN a", corpus=corpus)
    assert {name: kept[name] for name in ("title", "body", "source", "author", "category")} == {
        name: given[name] for name in ("title", "body", "source", "author", "category")
    }
    assert kept["published_at"].to_native().date().isoformat() == "2031-01-09"
    assert kept["tokens"] == count_tokens(given["body"])


def test_articles_with_the_same_words_are_merged(graph: Graph, corpus: str, ingest: Ingest) -> None:
    body = "Pigeons like the ledge below the clock."
    counts = ingest([row("one", body), row("two", f"  {body.replace(' ', '  ')}"), row("three")])
    assert (counts["articles"], counts["duplicates"]) == (2, 1)
    assert titles(graph, corpus) == ["one", "three"]


def test_a_repeated_file_adds_nothing(graph: Graph, corpus: str, ingest: Ingest) -> None:
    ingest([row("one"), row("two")])
    before = fingerprint(graph, corpus)
    ingest([row("two"), row("one")])
    assert fingerprint(graph, corpus) == before


def test_the_first_articles_that_fit_are_taken_and_a_larger_number_adds_the_rest(
    graph: Graph, corpus: str, tmp_path: Path
) -> None:
    file = tmp_path / "many.jsonl"
    rows = [row("short", "Too short."), *(row(str(n)) for n in range(ARTICLES_A_BATCH + 5))]
    file.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    taken = []
    for most in (2, 2, ARTICLES_A_BATCH + 1, None):
        counts = ingest_articles(graph, corpus, [file], {}, ArticleLimits(5, 50, most), Silent())
        taken.append((counts["articles"], counts["set_aside"]))
    assert taken == [(2, 1), (2, 1), (ARTICLES_A_BATCH + 1, 1), (ARTICLES_A_BATCH + 5, 1)]


def test_lengths_are_bounds_that_are_allowed(graph: Graph, corpus: str, ingest: Ingest) -> None:
    words = "one two three four five six"
    assert [count_tokens(" ".join(["one"] * n)) for n in (4, 5, 50, 51)] == [4, 5, 50, 51]
    counts = ingest([row(str(n), " ".join(["one"] * n)) for n in (4, 5, 50, 51)] + [row("x", words)])
    assert (counts["articles"], counts["set_aside"]) == (3, 2)
    assert titles(graph, corpus) == ["5", "50", "x"]
    short, long = rejects(graph, corpus)
    assert short["place"].endswith("part-0.jsonl:1")
    assert "4 tokens" in short["reason"]
    assert long["place"].endswith("part-0.jsonl:4")
    assert "51 tokens" in long["reason"]


@examples("since, until, kept")
def test_only_articles_of_the_days_asked_for_are_taken(
    graph: Graph, corpus: str, tmp_path: Path, since: date | None, until: date | None, kept: list[str]
) -> None:
    """Days are of UTC, the first and the last included; without a day nothing can be told."""
    rows = [
        row("old", published_at="2031-01-08T23:59:59Z"),
        row("eve", published_at="2031-01-10T00:30:00+02:00"),
        row("young", published_at="2031-01-10"),
        row("none"),
    ]
    file = tmp_path / "dated.jsonl"
    file.write_text("".join(json.dumps(one) + "\n" for one in rows), encoding="utf-8")
    ingest_articles(graph, corpus, [file], {}, ArticleLimits(5, 50, since=since, until=until), Silent())
    assert titles(graph, corpus) == kept
    reasons = [found["reason"] for found in rejects(graph, corpus)]
    assert len(reasons) == 4 - len(kept)
    assert any("no day of publication" in reason for reason in reasons) == (len(kept) < 4)


def test_days_that_leave_nothing_are_told(graph: Graph, corpus: str, tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="no day"):
        ArticleLimits(since=date(2031, 1, 2), until=date(2031, 1, 1))
    file = tmp_path / "dated.jsonl"
    file.write_text(json.dumps(row("old", published_at="2031-01-08")) + "\n", encoding="utf-8")
    with pytest.raises(NothingToDoError, match="all of other days"):
        ingest_articles(graph, corpus, [file], {}, ArticleLimits(5, 50, since=date(2032, 1, 1)), Silent())


def test_two_texts_under_one_id_are_both_kept_and_noted(graph: Graph, corpus: str, ingest: Ingest) -> None:
    counts = ingest([row("other", id="a1"), row("one", id="a1"), row("two", id="a2")])
    assert (counts["articles"], counts["set_aside"]) == (3, 0)
    (found,) = rejects(graph, corpus)
    assert found["kind"] == "note"
    assert "'a1'" in found["reason"]


def test_many_articles_take_several_batches(graph: Graph, corpus: str, ingest: Ingest) -> None:
    many = 2 * ARTICLES_A_BATCH + 1
    counts = ingest([row(f"tower {i}") for i in range(many)])
    assert counts["articles"] == many == len(titles(graph, corpus))


def test_when_nothing_is_left_the_reason_and_the_way_out_are_told(
    graph: Graph, corpus: str, ingest: Ingest
) -> None:
    with pytest.raises(NothingToDoError, match="too short") as caught:
        ingest([row("one", "Too short."), row("two", "Short as well.")])
    assert "--min-tokens" in caught.value.remedy
    # Nothing is left of the corpus either, so that the next command doesn't find an empty one.
    assert list(rejects(graph, corpus)) == []
    assert corpus not in {row["name"] for row in list_corpora(graph)}
    assert read_stage(graph, corpus, "articles") is None


def test_a_file_that_is_missing_writes_nothing(graph: Graph, corpus: str, tmp_path: Path) -> None:
    with pytest.raises(InputError):
        ingest_articles(graph, corpus, [tmp_path / "none.jsonl"], {}, ArticleLimits(), Silent())
    assert titles(graph, corpus) == []


@pytest.mark.parametrize("limits", [(0, 5), (6, 5), (-1, -1)])
def test_bounds_that_hold_nothing_are_refused(limits: tuple[int, int]) -> None:
    with pytest.raises(SettingsError, match="no article has"):
        ArticleLimits(*limits)


GOOD = "Mara Solberg founded Kestrel Shipping in Bergen. "
LETTERS = string.ascii_letters + string.digits
PICTURE = "".join(random.Random(1).choices(LETTERS, k=100_000))
POISON = {
    "hyphens": "The ex-vice-president of Nova Labs met the co-vice-chair of an anti-re-election campaign. ",
    "picture": f"![map](data:image/png;base64,{PICTURE}) ",
    "name": f"She met {'Abcd' * 2_250} in Oslo. ",
    "emoji": "Flags: \U0001f3c6" * 600 + " ",
    "bidi": "\u202eMara\u202c \u2066said\u2069 so. \x07 ",
    "table": "| a | b |\n|---|---|\n" * 50,
    "quotes": '"She said "we go. ',
}


def test_no_article_ends_a_build(graph: Graph, corpus: str, tmp_path: Path) -> None:
    rows = [{"id": name, "title": name, "body": text + GOOD} for name, text in POISON.items()]
    rows.append({"id": "x" * 9_000, "title": "T" * 9_000, "source": "S" * 9_000, "category": "C" * 9_000,
                 "author": "A" * 9_000, "url": "u" * 9_000, "body": "Long fields. " + GOOD})  # fmt: skip
    rows.append({"id": "blank", "title": "", "body": GOOD + "\u200b " * 200_000})
    path = Path(os.fsdecode(os.fsencode(tmp_path) + b"/caf\xe9.jsonl"))
    path.write_text("".join(json.dumps(row) + "\n" for row in rows), encoding="utf-8")
    open_for_job(graph, corpus, OPTIONS, tools())
    counts = ingest_articles(graph, corpus, [path], {}, ArticleLimits(1, 8_192), Silent())
    assert counts["articles"] == len(rows) - 1
    told = {(row["place"], row["kind"]): row["reason"] for row in rejects(graph, corpus)}
    assert told[f"{path_text(path)}:{len(rows)}", "set aside"] == "400,049 characters, more than 327,680"
    assert path_text(path).endswith("caf\\xe9.jsonl")
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent())
    assert "failed" not in {row["kind"] for row in rejects(graph, corpus)}
    founders = read(
        graph,
        "MATCH (c:Claim {corpus: $corpus}) WHERE c.text CONTAINS 'founded Kestrel Shipping' "
        "RETURN count(DISTINCT c.article) AS articles",
        corpus=corpus,
    )
    # A quotation that is never closed may take the sentence behind it for its own.
    assert founders[0]["articles"] >= len(rows) - 2
