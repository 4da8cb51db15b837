"""`kg benchmark resolution`, where no graph is needed, and its refusals."""

import json
from pathlib import Path

import pytest

from tests.kg_command import run_kg

ROWS = [
    {
        "canonical_name": "Ana Brel",
        "type": "PERSON",
        "aliases": [
            {"surface": "Ana Brel", "count": 2, "chunks": ["c1"]},
            {"surface": "Dr. Ana Brel", "count": 1, "chunks": ["c2"]},
            {"surface": "The Owl", "count": 1, "chunks": ["c2"]},
        ],
    }
]


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
