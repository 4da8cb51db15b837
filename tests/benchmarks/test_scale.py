"""The tables of growth and of corpora that nobody built, by hand."""

import json
from pathlib import Path
from typing import Any

import pytest

from benchmarks import real_corpus, scale
from benchmarks.made_corpus import FIRMS, made_articles
from kg.text.tokens import count_tokens


def size(articles: int, seconds: float) -> dict[str, Any]:
    """A measured size whose stages take so many processor `seconds` an article, a quarter of them Neo4j's.

    They take nine of the clock each; an article has two chunks, ten KiB, and a tenth of a MiB in memory.
    """
    parts = {"articles": articles, "chunks": 2 * articles, "claims": 4 * articles, "facts": 6 * articles,
             "entities": 3 * articles, "mirrored": 0, "paths": 100, "kept": 50}  # fmt: skip
    stages = [
        {"stage": name, "seconds": 9.0 * articles, "command_s": 0.75 * seconds * articles,
         "server_s": 0.25 * seconds * articles, "units": 2 * articles, "peak_mib": articles // 10}
        for name in scale.BUILD
    ]  # fmt: skip
    return {
        "articles": articles,
        "seconds": 60,
        "stages": stages,
        "parts": parts,
        "store_bytes": 10_240 * articles,
    }


def test_a_stage_whose_units_take_longer_misses_the_aim() -> None:
    """One second an article is half a second a chunk; half as long again is above a fifth."""
    lines = scale.growth_table([size(1_000, 1.0), size(10_000, 1.5)]).splitlines()
    assert lines[3].startswith(
        "| vectors | chunk | 375.00 + 125.00 (4500.00) | 562.50 + 187.50 (4500.00) | 1.50 "
        "**above the aim** | 100 / 1,000 |"
    )
    assert "above" not in scale.growth_table([size(1_000, 1.0), size(10_000, 1.2)])


def test_a_stage_with_too_much_in_memory_misses_the_aim() -> None:
    """A tenth of a MiB an article: 2 GiB are had at 20,480 articles."""
    lines = scale.growth_table([size(1_000, 1.0), size(20_480, 1.0)]).splitlines()
    assert all(
        line.endswith("| 1.00 | 100 / 2,048 **above the aim** |") for line in lines[2 : 2 + len(scale.BUILD)]
    )


def test_sizes_come_beside_those_of_before(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Each is written when it is measured; those told in wall seconds alone can't stand beside them."""
    monkeypatch.setattr(scale, "MEASURED", tmp_path / "scale.json")
    monkeypatch.setattr(scale, "measure", lambda number, _: size(number, 1.0))
    old = size(300, 1.0)
    for stage in old["stages"]:
        del stage["command_s"]
    scale.MEASURED.write_text(json.dumps({"cores": 2, "sizes": [old, size(1_000, 2.0)]}), "utf-8")
    found = scale.grown([30_000, 10_000], write=True, add=True)
    assert [one["articles"] for one in found] == [1_000, 10_000, 30_000]
    assert json.loads(scale.MEASURED.read_text("utf-8"))["sizes"] == found


def test_large_corpora_have_what_the_largest_measured_one_has_an_article() -> None:
    """72 ms of a core an article are 72 seconds a thousand: 20 core hours a million, a stage."""
    rows = {line.split(" | ")[0][2:]: line.split(" | ")[1:] for line in scale.paper(
        {"cores": 2, "sizes": [size(1_000, 0.072), size(10_000, 0.072)]}, price=0.05
    ).splitlines() if line.startswith("| ")}  # fmt: skip
    assert rows["chunks"] == ["2.00", "2.0 million", "200.0 million |"]
    assert rows["vectors"] == ["15.00", "15.0 million", "1.5 billion |"]
    assert rows["store on disk"] == ["10.0 KiB", "9.5 GiB", "954 GiB |"]
    assert rows["core hours of claims"] == ["grow as articles^1.00", "20", "2,000 |"]
    assert rows["core hours of these"] == ["", "80", "8,000 |"]
    assert rows["at 0.05 a core hour"] == ["", "4.0", "400 |"]


def test_made_articles_share_names_and_bring_their_own() -> None:
    articles = list(made_articles(200, seed=1))
    assert articles == list(made_articles(200, seed=1))
    assert len({article["body"] for article in articles}) == len(articles)
    words = [set(article["body"].replace(".", "").split()) - set(FIRMS) for article in articles]
    names = [{word for word in said if word[0].isupper()} for said in words]
    assert sum(bool(said & names[0]) for said in names[1:]) > 2
    assert len(set().union(*names)) > 2 * len(articles)


def test_without_the_shared_data_nothing_is_measured(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("HOPGRADE_SHARED", str(tmp_path))
    (line,) = scale.real_table(1.0).splitlines()
    assert line.startswith("The shared data is absent")


def test_passages_come_again_under_other_names(tmp_path: Path) -> None:
    """Six passages of eleven tokens are less than three articles of 50 take."""
    for file in (*real_corpus.NEWS, *real_corpus.PASSAGES):
        (tmp_path / file).parent.mkdir(exist_ok=True)
        rows = [{"title": name, "text": f"{name} is a town in the north of a land."} for name in ("Ul", "Or")]
        written = json.dumps(rows) if file.endswith("json") else "\n".join(map(json.dumps, rows))
        news = "url,date,title,text\n,2019-01-04,Fire,A house burned.\n"
        (tmp_path / file).write_text(news if file.endswith("csv") else written, "utf-8")
    fire, again, first, *others = real_corpus.real_articles(tmp_path, seed=1, number=5, tokens=158)
    assert [fire["title"], again["title"], first["title"]] == ["Fire", "Fire", "Ul"]
    assert len(others) == 2
    texts = [article["text"] for article in (first, *others)]
    assert all(50 <= count_tokens(text) < 62 for text in texts)
    assert len(texts[0].split("\n\n")) == 5
