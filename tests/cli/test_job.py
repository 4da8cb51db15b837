"""The main job as a user meets it: `kg run-all`, and the commands that read what it made."""

import json
from pathlib import Path

import pytest

from tests.cli.conftest import JOB, Built, Kg
from tests.small_world import ARTICLES, write_articles


def matrix_lines(out: str) -> list[str]:
    """The printed matrix, from its heading on."""
    return out[out.index("Run '") :].splitlines()


def test_articles_become_a_matrix(built: Built) -> None:
    assert built.ended.code == 0, built.ended.err
    assert f"articles: {len(ARTICLES)} articles, 0 duplicates merged, 0 set aside" in built.ended.err
    shown = "\n".join(matrix_lines(built.ended.out))
    for depth in ("2 hops", "3 hops", "4 hops", "5 hops", "all"):
        assert f"\n{depth} " in shown
    assert "Wilson 95 % interval" in shown


def test_progress_goes_to_standard_error(built: Built) -> None:
    for stage in ("articles", "chunks", "claims", "resolution", "paths", "questions"):
        assert f"  {stage}: " in built.ended.err
    assert " s)" not in built.ended.out


def test_the_second_time_nothing_is_done_and_the_same_matrix_shown(built: Built, kg: Kg) -> None:
    again = kg("run-all", str(built.articles), "--corpus", built.corpus, *JOB)
    assert again.code == 0
    assert matrix_lines(again.out) == matrix_lines(built.ended.out)
    for stage in ("chunks", "claims", "resolution", "paths", "questions", "run", "matrix"):
        lines = [line for line in again.err.splitlines() if line.startswith(f"  {stage}")]
        assert all("done before" in line for line in lines), lines
    grid, borders = kg("run", "matrix", "--corpus", built.corpus).out.split("\nError rate by borders", 1)
    assert matrix_lines(grid) == matrix_lines(built.ended.out)
    assert "\narticles " in borders


def test_run_all_as_json(built: Built, kg: Kg) -> None:
    ended = kg("run-all", str(built.articles), "--corpus", built.corpus, *JOB, "--json")
    assert ended.json["corpus"] == built.corpus
    assert ended.json["stages"]["articles"]["articles"] == len(ARTICLES)
    cells = ended.json["matrix"]["cells"]
    assert {(cell["hops"], cell["bin"]) for cell in cells} == {
        (h, b) for h in (2, 3, 4, 5) for b in (1, 2, 3, 4)
    }
    assert sum(cell["n"] for cell in cells) == ended.json["matrix"]["total"]["n"] > 0
    assert kg("run", "matrix", "--corpus", built.corpus, "--json").json["matrix"] == ended.json["matrix"]


def test_status_shows_every_stage(built: Built, kg: Kg) -> None:
    stages = kg("corpus", "status", "--corpus", built.corpus, "--json").json["stages"]
    assert {stage["state"] for stage in stages} == {"done"}
    shown = kg("corpus", "status", "--corpus", built.corpus).out
    for stage in stages:
        assert stage["name"] in shown


def test_questions_are_listed_by_depth_and_shown_with_their_path(built: Built, kg: Kg) -> None:
    listed = kg("questions", "list", "--corpus", built.corpus, "--hops", "2,3", "--json").json
    assert {question["hops"] for question in listed} == {2, 3}
    shown = kg("questions", "list", "--corpus", built.corpus, "--hops", "2,3").out
    for question in listed:
        assert question["text"] in shown
        assert question["id"] in shown
    last = listed[-1]
    one = kg("questions", "show", last["id"], "--json").json
    assert len(one["hops"]) == last["hops"]
    assert one["answers"]
    plain = kg("questions", "show", last["id"]).out
    assert plain.startswith(last["text"])
    assert " > ".join(one["entities"]) in plain
    assert all(hop["sentence"] in plain for hop in one["hops"])


def test_a_limit_limits(built: Built, kg: Kg) -> None:
    assert len(kg("questions", "list", "--corpus", built.corpus, "--limit", "3", "--json").json) == 3


@pytest.mark.campaign
def test_ask_shows_answer_chunks_and_path(built: Built, kg: Kg) -> None:
    asked = ("ask", "Mira Tolland plays for which organisation?", "--corpus", built.corpus)
    found = kg(*asked, "--json").json
    assert "Rovers" in found["reading"]["answer"]
    assert [step["subject"] for step in found["path"]][:1] == ["Mira Tolland"]
    shown = kg(*asked).out
    assert shown.startswith(found["reading"]["answer"])
    assert "Mira Tolland -> plays for -> " in shown
    for passage in found["passages"]:
        assert passage["title"] in shown


def test_the_only_corpus_need_not_be_named(built: Built, kg: Kg) -> None:
    names = [row["name"] for row in kg("corpus", "list", "--json").json]
    assert built.corpus in names
    ended = kg("corpus", "status", "--json")
    if names == [built.corpus]:
        assert ended.json["corpus"] == built.corpus
    else:
        assert ended.code == 2
        assert repr(built.corpus) in ended.err
        assert "--corpus" in ended.err


def test_no_corpus_of_that_name(built: Built, kg: Kg) -> None:
    for command in (
        ("corpus", "status"),
        ("run", "matrix"),
        ("questions", "list"),
        ("corpus", "rejects"),
        ("corpus", "build"),
    ):
        ended = kg(*command, "--corpus", "nowhere")
        assert ended.code == 2
        assert "'nowhere'" in ended.err
        assert repr(built.corpus) in ended.err
    assert kg("questions", "show", "question-nowhere").code == 2
    assert kg("run", "matrix", "nowhere", "--corpus", built.corpus).code == 2


@pytest.mark.campaign
def test_a_corpus_without_long_paths_says_so(corpus: str, kg: Kg, tmp_path: Path) -> None:
    articles = write_articles(tmp_path, ("rovers", "owner"))
    ended = kg("run-all", str(articles), "--corpus", corpus, *JOB)
    assert ended.code == 0, ended.err
    assert "No questions of 3 or 4 or 5 hops" in ended.out


@pytest.mark.campaign
def test_a_corpus_without_any_path_ends_with_the_reason(corpus: str, kg: Kg, tmp_path: Path) -> None:
    articles = tmp_path / "one.jsonl"
    articles.write_text(
        json.dumps({"title": "One", "body": "Mara Solberg founded Kestrel Shipping."}) + "\n" * 2
    )
    for _ in range(2):
        ended = kg("run-all", str(articles), "--corpus", corpus, *JOB)
        assert ended.code == 2
        assert "Error rate" not in ended.out
        error = ended.err.splitlines()[-1]
        assert "no path of 2 to 5 hops" in error
        assert "facts 1" in error
        assert f"kg corpus ingest FILE --corpus {corpus}" in error
    assert {row["state"] for row in kg("corpus", "status", "--corpus", corpus, "--json").json["stages"]} == {
        "done"
    }
