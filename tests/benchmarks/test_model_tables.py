"""Results and labels become tables; the page holds what the command prints."""

import json
from pathlib import Path

import pytest

from benchmarks.model_results import requests_by_prompt, stage_of
from benchmarks.model_run import PAGE, RUNS
from benchmarks.model_sheets import FIELDS, by_model
from benchmarks.model_tables import tables, written_into
from kg.llm.prompts import all_prompts
from tests.recorded_replies import Recording

CELL = {"hops": 2, "bin": 1, "n": 4, "errors": 1, "interval": [0.05, 0.7]}
EMPTY = {"hops": 2, "bin": 2, "n": 0, "errors": 0, "interval": None}
RUN = {
    "name": "walk", "system": "graph-agent", "generator": "m", "judge": "j", "scale": "binary",
    "retriever": "vector", "answers": 4, "right": 3, "errors": 0,
    "cells": [CELL, *({**EMPTY, "bin": number} for number in (2, 3, 4))],
    "by_depth": [CELL | {"bin": None}], "by_bin": [CELL, EMPTY, EMPTY, EMPTY], "total": CELL,
}  # fmt: skip
FELL = {"no shortcut": 2, "model: retrieval necessary": 3}
FUNNEL = {"kind": "chain", "hops": 2, "drawn": 9, "fell": FELL, "dropped": 0, "kept": 4}
GIVEN = ("Oda Wexler", "It is Oda Wexler.", "I don't know.", "Ida Brandvold owns it.")
RECORDED = [
    Recording("a", "write-claims@2", "", "x", (), 10, 5, 100, 50),
    Recording("b", "write-claims@2", "", "x", (), 30, 5, 100, 100),
    Recording("c", "judge-binary@2", "", "x", (), 7, 1, 10, 0),
]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    results = {
        "requests": requests_by_prompt(RECORDED),
        "counts": {"articles": 1},
        "funnel": [FUNNEL],
        "kept": [],
        "runs": [RUN],
    }
    (tmp_path / "results.json").write_text(json.dumps(results), encoding="utf-8")
    sheet = [
        {"number": number, "question": "Who owns the pier?", "accepted": ["Oda Wexler"], "given": given}
        for number, given in enumerate(GIVEN, start=1)
    ]
    (tmp_path / "answers.jsonl").write_text(
        "".join(f"{json.dumps(row)}\n" for row in sheet), encoding="utf-8"
    )
    rows = [{"cluster": f"article {number}", "judge": number < 3} for number in range(4)]
    key = {"seed": 1} | dict.fromkeys(FIELDS, rows)
    (tmp_path / "key.json").write_text(json.dumps(key), encoding="utf-8")
    return tmp_path


def label(folder: Path, reader: str, sheet: str, *said: str) -> None:
    path = folder / "labels" / reader / f"{sheet}.jsonl"
    path.parent.mkdir(parents=True, exist_ok=True)
    lines = [
        {"number": number} | dict.fromkeys(FIELDS[sheet], one) for number, one in enumerate(said, start=1)
    ]
    path.write_text("".join(json.dumps(line) + "\n" for line in lines), encoding="utf-8")


def test_requests_the_funnel_and_the_matrix_are_told(folder: Path) -> None:
    told = tables(folder)
    assert "| extraction | `write-claims@2` | 2 | 40 | 10 | 20 | 75% |" in told
    assert "| all |  | 3 | 47 | 11 | 16 | 71% |" in told
    assert "| model: retrieval necessary (known by heart) | 3 | 3 |" in told
    assert "| **kept** | 4 | 4 |" in told
    assert "| 2 hops | 1 of 4: 0.25 (0.05 to 0.70) | - | - | - | 1 of 4: 0.25 (0.05 to 0.70) |" in told
    assert "reader" not in told


def test_readers_are_counted_compared_and_held_against_the_judge(folder: Path) -> None:
    label(folder, "one", "answers", "yes", "yes", "no", "no")
    label(folder, "two", "answers", "yes", "yes", "yes", "no")
    label(folder, "one", "questions", "yes", "no", "", "yes")
    told = tables(folder)
    assert "| given answer: right | one | 2 of 4 | 0.50 | " in told
    assert "| question: allegation | one | 2 of 3 | 0.67 | " in told
    assert "| given answer: right | one, two | 4 | 0.75 | 0.50 | " in told
    assert "| given answer: right | the judge, one | 4 | 0.75 | 0.50 | " in told
    assert "| given answer: right | the judge, two | 4 | 1.00 | 1.00 | " in told
    assert "| given answer: right | answer match, one | 4 | 1.00 | 1.00 | " in told
    assert "| given answer: right | exact match, one | 4 | 0.75 | 0.50 | " in told


@pytest.mark.parametrize("line", ['{"number": 1, "right": "maybe"}', '{"number": 9, "right": "yes"}'])
def test_a_label_that_is_none_is_refused(folder: Path, line: str) -> None:
    label(folder, "one", "triples", "yes")
    (folder / "labels" / "one" / "triples.jsonl").write_text(line, encoding="utf-8")
    with pytest.raises(SystemExit, match="triples"):
        tables(folder)


def test_every_prompt_of_the_path_has_a_stage() -> None:
    assert stage_of("judge-score@3") == "judging"
    assert stage_of("walk-step@1") == "answering"
    # Those of composed questions and of judged comparisons are no part of it.
    apart = ("check-parallel", "check-sequential", "join-", "write-atomic", "standard-", "reword-")
    other = [one.id for one in all_prompts() if stage_of(one.id) == "other" and not one.id.startswith(apart)]
    assert other == []


def test_a_link_is_the_models_by_its_evidence() -> None:
    assert by_model("relay: both are the fair of Tarn", "relay")
    assert by_model("relay", "relay")
    assert not by_model('same normal form "tarn"', "relay")


def test_tables_go_between_their_lines() -> None:
    page = "a\n<!-- tables of x -->\nold\n<!-- end of x -->\nb\n"
    once = written_into(page, "x", "new\n")
    assert "old" not in once
    assert written_into(once, "x", "new\n") == once
    with pytest.raises(SystemExit, match="no place for y"):
        written_into(page, "y", "new")


def test_the_page_holds_what_the_command_prints() -> None:
    folders = sorted(path.parent for path in RUNS.glob("*/results.json"))
    assert folders
    page = PAGE.read_text(encoding="utf-8")
    for folder in folders:
        assert written_into(page, folder.name, tables(folder)) == page
