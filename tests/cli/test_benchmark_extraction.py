"""`kg benchmark extraction | opinions` as a user meets them: gold read now or against a corpus, mistakes.

`kg benchmark resolution`, where no graph is needed, and its refusals.
"""

import json
from pathlib import Path
from typing import Any

import pytest

from tests.cli.conftest import Kg
from tests.examples import read_examples
from tests.kg_command import run_kg

SEED = Path(__file__).parents[2] / "seed" / "gold"
TRIPLES, OPINIONS = str(SEED / "triples.jsonl"), str(SEED / "opinions.jsonl")


def test_it_scores_what_the_rules_read_now(kg: Kg) -> None:
    shown = kg("benchmark", "extraction", "--gold", TRIPLES, "--sample", "6", "--json").json
    assert shown["format"] == "seed"
    assert shown["extractor"].startswith("rules-")
    assert (shown["documents"], shown["of_documents"], shown["seed"]) == (6, 51, 7)
    score = shown["score"]
    assert score["pairs"]["value"] > 0.7
    assert score["pairs"]["low"] < score["pairs"]["value"] < score["pairs"]["high"]
    assert score["names_fuzzy"]["value"] >= score["names_exact"]["value"]
    assert score["right"] is None
    gate = shown["gate"]
    (chosen,) = (one for one in gate["measures"] if one["least"] == gate["default"])
    assert chosen["precision"] > 0.9
    assert [one["recall"] for one in gate["measures"]] == sorted(
        (one["recall"] for one in gate["measures"]), reverse=True
    )


@pytest.mark.campaign
def test_the_table_says_what_it_rests_on(kg: Kg) -> None:
    shown = kg("benchmark", "extraction", "--gold", TRIPLES, "--sample", "48", "--seed", "3", "--held-out")
    text = " ".join(shown.out.split())
    assert "3 of 51 documents: all but 48 drawn with seed 3" in text
    assert "related pairs found" in text
    assert "Extracted by rules-" in text


@pytest.mark.campaign
@pytest.mark.usefixtures("kg_environment")
def test_it_scores_what_a_corpus_holds(kg: Kg, seed_corpus: str) -> None:
    held = kg("benchmark", "extraction", "--gold", TRIPLES, "--corpus", seed_corpus, "--json").json
    now = kg("benchmark", "extraction", "--gold", TRIPLES, "--json").json
    assert held["documents"] == 51
    assert held["extractor"] == now["extractor"]
    assert held["score"]["pairs"] == now["score"]["pairs"]
    assert held["score"]["pairs_kept"] == now["score"]["pairs_kept"]
    assert held["score"]["triples"] == now["score"]["triples"]
    assert held["score"]["names_exact"] == now["score"]["names_exact"]


@pytest.mark.usefixtures("kg_environment")
def test_a_corpus_without_the_articles_is_told(kg: Kg, seed_corpus: str, tmp_path: Path) -> None:
    chunk = '{"chunk_id": "c1", "source_title": "Elsewhere", "text": "Ana Brel left."}\n'
    (tmp_path / "data__processed__corpus.jsonl").write_text(chunk, encoding="utf-8")
    gold = tmp_path / "gold.jsonl"
    gold.write_text('{"chunk_id": "c1", "subject": "Ana Brel", "object": "Rome"}\n', encoding="utf-8")
    ended = kg("benchmark", "extraction", "--gold", str(gold), "--corpus", seed_corpus)
    assert ended.code == 2
    assert "holds none of the 1 annotated documents" in ended.err


def test_opinions_are_scored_by_halves(kg: Kg) -> None:
    shown = kg("benchmark", "opinions", "--gold", OPINIONS, "--json").json
    assert set(shown["parts"]) == {"tuning", "held-out"}
    assert shown["parts"]["held-out"]["accuracy"]["value"] > shown["parts"]["held-out"]["baseline"]["value"]
    table = kg("benchmark", "opinions", "--gold", OPINIONS)
    assert "192 sentences (held-out)" in table.out


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("extraction", "--gold", "nowhere.jsonl"), "nowhere.jsonl can't be read: there is no such file"),
        (("opinions", "--gold", "nowhere.jsonl"), "nowhere.jsonl can't be read: there is no such file"),
        (("extraction", "--gold", OPINIONS), "no gold that we know"),
        (("extraction", "--gold", TRIPLES, "--format", "xml"), "xml"),
        (("extraction", "--gold", TRIPLES, "--held-out"), "--held-out"),
        (("extraction", "--gold", TRIPLES, "--sample", "99"), "99 documents"),
        (("extraction", "--gold", TRIPLES, "--articles", "nowhere"), "nowhere"),
        (("opinions", "--gold", TRIPLES), "no labelled sentence"),
    ],
)
def test_mistakes_are_told_in_a_sentence(kg: Kg, arguments: tuple[str, ...], named: str) -> None:
    ended = kg("benchmark", *arguments)
    assert ended.code == 2
    assert ended.err.startswith("error: ")
    assert ended.err.count("\n") == 1
    assert named in ended.err


ROWS: list[Any] = list(read_examples("cli/benchmark_extraction")["rows"])


@pytest.fixture
def gold(tmp_path: Path) -> Path:
    path = tmp_path / "gold.jsonl"
    path.write_text("".join(json.dumps(row) + "\n" for row in ROWS), encoding="utf-8")
    return path


def test_it_prints_scores_and_the_worst_errors(
    gold: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = run_kg(capsys, monkeypatch, "benchmark", "resolution", "--gold", str(gold), "--errors", "1")
    assert ended.code == 0
    assert "merges, recall" in ended.out
    assert "B-cubed over 3 names: precision 1.000" in ended.out
    assert "apart: Ana Brel: Ana Brel, Dr. Ana Brel | The Owl" in ended.out
    silent = run_kg(capsys, monkeypatch, "benchmark", "resolution", "--gold", str(gold))
    assert "See what went wrong: --errors 1" in silent.out
    assert "apart:" not in silent.out


def test_it_prints_json(
    gold: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    options = ("--gold", str(gold), "--format", "kg_rag", "--json")
    document = run_kg(capsys, monkeypatch, "benchmark", "resolution", *options).json
    assert (document["exact_recall"]["right"], document["exact_recall"]["n"]) == (1, 3)
    assert document["format"] == "kg_rag"
    assert document["errors"] == []


def test_a_file_of_no_known_format_is_refused(
    tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path = tmp_path / "other.jsonl"
    path.write_text('{"a": 1}\n', encoding="utf-8")
    ended = run_kg(capsys, monkeypatch, "benchmark", "resolution", "--gold", str(path))
    assert ended.code == 2
    assert "no format that is known" in ended.err
