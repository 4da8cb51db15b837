"""`kg dataset` from the command line."""

import json
from pathlib import Path

from tests.cli.conftest import Built, Kg


def test_a_dataset_is_exported_verified_and_imported(
    kg: Kg, built: Built, corpus: str, tmp_path: Path
) -> None:
    out = str(tmp_path / "out")
    ended = kg("dataset", "export", "hopgrade", "--out", out, "--verify", "--corpus", built.corpus)
    assert ended.code == 0, ended.err
    assert "questions equal" in ended.out
    again = kg("dataset", "export", "hopgrade", "--out", out, "--corpus", built.corpus)
    assert again.code == 2
    assert "--force" in again.err
    assert kg("dataset", "export", "csv", "--out", out, "--corpus", built.corpus, "--force").code == 0
    assert "csv, 5 of 5 files" in kg("dataset", "verify", out).out
    kg("dataset", "export", "hopgrade", "--out", out, "--corpus", built.corpus, "--force")
    brought = kg("dataset", "import", out, "--corpus", corpus, "--new-ids")
    assert brought.code == 0, brought.err
    assert "kg run start" in brought.out


def test_a_changed_export_is_told_and_ends_with_1(kg: Kg, built: Built, tmp_path: Path) -> None:
    out = tmp_path / "out"
    told = kg("dataset", "export", "beir", "--out", str(out), "--corpus", built.corpus, "--json")
    assert json.loads(told.out)["format"] == "beir"
    (out / "queries.jsonl").write_text("")
    (out / "notes.txt").write_text("mine")
    ended = kg("dataset", "verify", str(out))
    assert ended.code == 1
    assert "changed: queries.jsonl" in ended.err
    assert "notes.txt is not part" in ended.err
    assert not json.loads(kg("dataset", "verify", str(out), "--json").out)["sound"]


def test_the_statistics_of_a_corpus_are_shown(kg: Kg, built: Built) -> None:
    shown = kg("dataset", "statistics", "--corpus", built.corpus)
    assert shown.code == 0, shown.err
    for title in ("mean tokens", "Questions by type", "Questions by evidence", "First words"):
        assert title in shown.out
    told = json.loads(kg("dataset", "statistics", "--corpus", built.corpus, "--json").out)
    assert told["total"]["articles"] == sum(row["articles"] for row in told["categories"])


def test_what_a_model_could_have_known_is_told(kg: Kg, built: Built) -> None:
    by_heart = ("run", "start", "single-step", "--evidence", "none", "--name", "memory")
    assert "run start single-step" in kg("dataset", "contamination", "--corpus", built.corpus).out
    assert kg(*by_heart, "--corpus", built.corpus).code == 0
    try:
        shown = kg("dataset", "contamination", "--cutoff", "2030-01-01", "--corpus", built.corpus)
        assert shown.code == 0, shown.err
        assert "Right without any evidence: run 'memory'" in shown.out
        assert "2 hops" in shown.out
    finally:
        kg("run", "drop", "memory", "--yes", "--corpus", built.corpus)


def test_formats_are_listed(kg: Kg) -> None:
    assert "musique" in kg("dataset", "formats").out
    assert {"name", "summary", "extra"} == json.loads(kg("dataset", "formats", "--json").out)[0].keys()


def test_a_wrong_option_is_told_in_one_sentence(kg: Kg, tmp_path: Path) -> None:
    for arguments in (
        ("export", "excel", "--out", "x"),
        ("export", "csv", "--out", "x", "--splits", "train=2"),
        ("verify", str(tmp_path)),
    ):
        ended = kg("dataset", *arguments)
        assert ended.code == 2
        assert ended.err.count("\n") == 1
