"""`kg questions import` and `kg run export` as a user meets them."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import ir_measures
import pytest

from kg.corpus import drop_corpus
from kg.progress import Silent
from kg.stages.articles import chunk_articles
from kg.stages.vectors import embed_missing
from kg.store.graph import Graph
from tests.cli.conftest import Kg
from tests.examples import read_examples
from tests.names import unique_name
from tests.services.benchmarks import sets
from tests.services.benchmarks.test_import_questions import LOST, NULL, OWNER
from tests.small_world import ARTICLES, OPTIONS, ingest, tools

CLUB: dict[str, Any] = read_examples("cli/questions_import")["club"]


@pytest.fixture(scope="module")
def chunked(graph: Graph) -> Iterator[str]:
    """The small world up to the vectors of its chunks, without a question."""
    name = unique_name("chunked", "module")
    ingest(graph, name, ARTICLES)
    chunk_articles(graph, name, OPTIONS.build.chunk_size, Silent())
    embed_missing(graph, name, "chunks", tools().embedder, Silent())
    yield name
    drop_corpus(graph, name)


def test_a_set_goes_from_its_file_to_its_own_scorer(kg: Kg, chunked: str, tmp_path: Path) -> None:
    path = sets.write_lines(tmp_path / "set.jsonl", OWNER, NULL, LOST, CLUB, {"question": ""})
    ended = kg("questions", "import", str(path), "--corpus", chunked)
    assert ended.code == 0
    assert "4 questions imported as jsonl (bridge 2, null 1, single 1)" in ended.out
    assert "2 of 3 questions whole, 1 without any of theirs; 1 questions name none" in ended.out
    assert "no cell for imported questions" in ended.out
    assert f"{path}:5: there is no question" in ended.err
    assert f"{path}:3: question 'o2': its evidence is not in the corpus" in ended.err

    listed = kg("questions", "list", "--kind", "imported", "--json", "--corpus", chunked).json
    assert {row["text"] for row in listed} == {row["question"] for row in (OWNER, NULL, LOST, CLUB)}
    (owner,) = [row for row in listed if row["text"] == OWNER["question"]]
    shown = kg("questions", "show", owner["id"]).out
    for part in (
        "id of its set: o 1, type bridge",
        "imported, 2 hops, kept",
        "imported from jsonl",
        "Founder",
    ):
        assert part in shown
    assert "hops not told" in kg("questions", "list", "--corpus", chunked).out

    # No question was made in this corpus, and the imported ones are asked all the same.
    started = kg("run", "start", "single-step", "--corpus", chunked, "--json")
    assert (started.code, started.json["answers"]) == (0, 4)
    report = kg("run", "report", "--corpus", chunked, "--json")
    kinds = {(row["kind"], row["query_type"]): row for row in report.json["runs"][0]["kinds"]}
    assert {("imported", "bridge"), ("imported", "single"), ("null", "null")} <= kinds.keys()
    assert kinds["imported", "bridge"]["accuracy"]["n"] == 2
    # Its answer stands nowhere, so to say so is right.
    assert kinds["null", "null"]["abstained"] == kinds["null", "null"]["accuracy"]["hits"] == 1
    assert kg("run", "report", "--corpus", chunked).code == 0

    folder, predictions = tmp_path / "out", tmp_path / "predictions.json"
    exported = kg(
        "run",
        "export",
        "single-step",
        "--corpus",
        chunked,
        "--trec",
        str(folder),
        "--hotpotqa",
        str(predictions),
    )
    assert exported.code == 0
    answers = [json.loads(line) for line in (folder / "answers.jsonl").read_text().splitlines()]
    assert {row["id"] for row in answers} == {"o 1", "n1", "o2", "club"}
    judged = (folder / "articles.qrels").read_text().splitlines()
    assert sorted(judged) == [
        "club 0 owner 1",
        "o%201 0 founder 1",
        "o%201 0 owner 1",
        "o2 0 missing-1 1",
    ]
    recall = ir_measures.parse_measure("R@10")
    qrels = ir_measures.read_trec_qrels(str(folder / "articles.qrels"))  # type: ignore[no-untyped-call]
    run = ir_measures.read_trec_run(str(folder / "articles.run"))  # type: ignore[no-untyped-call]
    by_query = {one.query_id: one.value for one in ir_measures.iter_calc([recall], qrels, run)}
    assert by_query["o2"] == 0
    assert by_query["club"] == 1
    told = json.loads(predictions.read_text())
    assert told["answer"].keys() == told["sp"].keys() == {"o 1", "n1", "o2", "club"}
    assert ["Owner", 0] in told["sp"]["club"]


def test_a_form_that_does_not_fit_is_refused_with_the_forms(kg: Kg, chunked: str, tmp_path: Path) -> None:
    path = sets.write_lines(tmp_path / "a.jsonl", {"title": "An article", "body": "Words."})
    ended = kg("questions", "import", str(path), "--corpus", chunked)
    assert ended.code == 2
    assert "form of these questions is not known" in ended.err
    assert "--format multihop-rag, hotpotqa" in ended.err
    ended = kg("questions", "import", str(path), "--corpus", chunked, "--format", "trivia")
    assert (ended.code, "'trivia' is not a form" in ended.err) == (2, True)


def test_an_export_of_nothing_is_refused(kg: Kg, chunked: str, tmp_path: Path) -> None:
    ended = kg("run", "export", "single-step", "--corpus", chunked)
    assert (ended.code, "nothing is to be exported" in ended.err) == (2, True)
    ended = kg("run", "export", "no-such", "--corpus", chunked, "--trec", str(tmp_path / "x"))
    assert (ended.code, "has no run 'no-such'" in ended.err) == (2, True)
    assert not (tmp_path / "x").exists()


@pytest.mark.campaign
def test_an_import_is_told_as_json_with_every_bad_row_of_a_line(kg: Kg, chunked: str, tmp_path: Path) -> None:
    path = tmp_path / "one-line.json"
    path.write_text(json.dumps([CLUB, {"question": ""}, {"question": ""}]), encoding="utf-8")
    told = kg("questions", "import", str(path), "--corpus", chunked, "--json").json
    assert (told["questions"], told["types"]) == (1, {"single": 1})
    assert sum(told["pieces"].values()) == 1
    places = [f"{path}:1, row 2", f"{path}:1, row 3"]
    assert [one["place"] for one in told["rejects"]] == places
    listed = kg("corpus", "rejects", "--corpus", chunked).out
    assert all(place in listed for place in places)
