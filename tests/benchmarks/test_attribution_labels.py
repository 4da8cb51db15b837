"""Traces are drawn evenly, survive their file, and are compared with what readers said."""

import json
from dataclasses import asdict, replace
from pathlib import Path

import pytest

from benchmarks.attribution_labels import (
    Label,
    SampledTrace,
    draw,
    print_agreement,
    read_labels,
    read_sample,
    rule_labels,
    sheet,
)
from services.evaluate.diagnose import diagnose
from tests.services.evaluate.made_traces import QUESTION, made, search

RETRIEVAL = made(search(QUESTION, "x"), given="Otto Pelham")
REASONING = made(search(QUESTION, "c1", "c2", "c3"), given="Otto Pelham", prefixes=(True, False))
FORM = replace(RETRIEVAL, answer_text="Greta Lindqvist, I think")
FOUND = [
    SampledTrace("one", replace(trace, answer=f"{name}{number}"))
    for name, trace, times in (("r", RETRIEVAL, 9), ("s", REASONING, 3), ("f", FORM, 1))
    for number in range(times)
]


def test_each_cause_has_its_share_and_the_seed_decides() -> None:
    drawn = draw(FOUND, 6, seed=1)
    causes = [label.cause for label in rule_labels(drawn).values()]
    assert sorted(causes) == ["answer form", *["reasoning"] * 3, *["retrieval"] * 2]
    assert draw(list(reversed(FOUND)), 6, seed=1) == drawn
    assert len(draw(FOUND, 60, seed=1)) == len(FOUND)


def test_right_answers_are_not_drawn_and_the_sheet_tells_no_verdict() -> None:
    right = SampledTrace("one", replace(RETRIEVAL, correct=True))
    drawn = draw([right, *FOUND], 60, seed=1)
    assert right not in drawn
    told = sheet(drawn).split("\n## ", 1)[1]
    found = diagnose(RETRIEVAL).failure
    assert found is not None
    assert found.why not in told
    assert "retrieval" not in told
    assert "Saw: hop 1, 2, 3." in told


def test_what_is_drawn_can_be_read_again(tmp_path: Path) -> None:
    drawn = draw(FOUND, 6, seed=1)
    (tmp_path / "traces.json").write_text(json.dumps([asdict(one) for one in drawn]), encoding="utf-8")
    assert read_sample(tmp_path) == drawn
    assert read_labels(tmp_path) == {}


def test_the_agreement_is_printed_with_what_differs(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    drawn = draw(FOUND, 6, seed=1)
    said = {number: asdict(label) for number, label in rule_labels(drawn).items()}
    other = next(number for number, label in said.items() if label["cause"] == "retrieval")
    said[other] = asdict(Label("planning", 1))
    (tmp_path / "labels.json").write_text(json.dumps({"a reader": said}), encoding="utf-8")
    print_agreement(drawn, read_labels(tmp_path))
    printed = capsys.readouterr().out
    assert "the rules, a reader" in printed
    assert " 0.83" in printed
    assert "5/5" in printed
    assert f"trace {other}: the rules: retrieval, hop 1; a reader: planning, hop 1" in printed


def test_a_cause_that_is_none_is_refused(tmp_path: Path) -> None:
    (tmp_path / "labels.json").write_text('{"a reader": {"1": {"cause": "luck", "hop": 1}}}')
    with pytest.raises(SystemExit, match="luck"):
        read_labels(tmp_path)
