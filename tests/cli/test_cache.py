"""`kg server cache`: what is kept, and how it is deleted."""

from datetime import timedelta
from pathlib import Path

import pytest

from kg.llm.cache import ResponseCache
from kg.llm.protocol import Usage
from tests.kg_command import Ended, run_kg

DAY = 86_400.0


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("HOPGRADE_HOME", str(tmp_path / "home"))
    monkeypatch.setenv("COLUMNS", "200")
    monkeypatch.chdir(tmp_path)
    return tmp_path / "home" / "responses.sqlite"


@pytest.fixture
def filled(path: Path) -> Path:
    """Two answers of 1970 and one of now."""
    with ResponseCache(path, clock=lambda: DAY) as cache:
        cache.store("a", "x", Usage(100, 10, 20, 5), "m1", "write-claims@1")
        cache.store("b", "x", Usage(200, 20, 30), "m1", "write-claims@1")
    with ResponseCache(path) as cache:
        cache.store("c", "x", Usage(300, 30), "m2", "find-triples@2")
    return path


def left(path: Path) -> str:
    with ResponseCache(path) as cache:
        return "".join(key for key in "abc" if cache.get(key))


def kg(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *arguments: str, answer: str = ""
) -> Ended:
    def confirm(_: str, err: bool = False) -> bool:
        assert err
        assert answer, "nothing was to be asked"
        return answer == "y"

    monkeypatch.setattr("typer.confirm", confirm)
    return run_kg(capsys, monkeypatch, "server", "cache", *arguments)


def test_an_empty_cache(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    assert kg(capsys, monkeypatch, "stats").out == f"0 answers, 0.0 MiB in {path}\n"
    assert kg(capsys, monkeypatch, "stats", "--json").json == {
        "path": str(path),
        "replies": 0,
        "bytes": 0,
        "groups": [],
    }
    cleared = kg(capsys, monkeypatch, "clear")
    assert (cleared.code, cleared.err) == (0, "there was nothing to delete.\n")
    assert kg(capsys, monkeypatch, "clear", "--json").json == {"deleted": 0}


def test_stats_as_table_and_as_json(
    filled: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    shown = kg(capsys, monkeypatch, "stats")
    row = next(line.split() for line in shown.out.splitlines() if "write-claims@1" in line)
    assert row == ["write-claims@1", "2", "300", "50", "30", "5"]
    assert "Answers of m1, from 1970-01-02 to 1970-01-02" in shown.out
    assert "3 answers, " in shown.out
    found = kg(capsys, monkeypatch, "stats", "--json").json
    assert found["path"] == str(filled)
    assert [group["replies"] for group in found["groups"]] == [2, 1]
    assert found["groups"][0]["oldest"].startswith("1970-01-02")


def test_no_number_is_folded_at_80_columns(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("COLUMNS", "80")
    names = ("accounts/some-provider/models/some-model-120b", "answer-from-evidence-alone@12")
    with ResponseCache(path, clock=lambda: DAY) as cache:
        cache.store("a", "x", Usage(92_345_678, 11_234_567, 90_000_000, 10_000_000), *names)
    shown = kg(capsys, monkeypatch, "stats").out
    numbers = ["1", "92345678", "90000000", "11234567", "10000000"]
    assert [names[1], *numbers] in [line.split() for line in shown.splitlines()]


@pytest.mark.parametrize(
    ("options", "kept"),
    [(("--yes",), ""), (("--model", "m2", "--yes"), "ab"), (("--older-than", "7", "-y"), "c")],
)
def test_clear_deletes_what_was_named(
    filled: Path,
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    options: tuple[str, ...],
    kept: str,
) -> None:
    ended = kg(capsys, monkeypatch, "clear", *options)
    number = 3 - len(kept)
    assert (ended.code, ended.err) == (0, f"deleted {number} answer{'s' * (number != 1)}.\n")
    assert left(filled) == kept


def test_clear_asks_and_keeps_all_without_a_yes(
    filled: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    refused = kg(capsys, monkeypatch, "clear", answer="n")
    assert (refused.code, refused.err) == (1, "kept.\n")
    assert left(filled) == "abc"
    assert kg(capsys, monkeypatch, "clear", answer="y").code == 0
    assert left(filled) == ""


def test_a_damaged_file_is_told_in_one_sentence(
    path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    path.parent.mkdir()
    path.write_bytes(b"no database at all, but long enough to be read as one" * 100)
    ended = kg(capsys, monkeypatch, "stats")
    assert ended.code == 2
    assert ended.err.count("\n") == 1
    assert "move it away" in ended.err


def test_an_age_of_years_beyond_counting_is_refused_or_finds_nothing(
    filled: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    ended = kg(capsys, monkeypatch, "clear", "--older-than", str(timedelta.max.days + 1), "--yes")
    assert ended.code == 2
    assert left(filled) == "abc"
