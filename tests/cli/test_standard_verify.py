"""`kg standard verify` needs an archive and nothing else; its exit code says whether all is equal."""

from pathlib import Path
from zipfile import ZipFile

import pytest

from services.comparison.archive import write_archive
from services.comparison.judged import render_outcome
from tests.kg_command import run_kg
from tests.services.comparison.made_comparison import made_comparison


@pytest.fixture(scope="module")
def archive(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """An archive that was written by nobody's graph."""
    path = tmp_path_factory.mktemp("verify") / "small.zip"
    write_archive(path, made_comparison(), render_outcome)
    return path


@pytest.fixture(autouse=True)
def nowhere(monkeypatch: pytest.MonkeyPatch) -> None:
    """No graph answers here."""
    monkeypatch.setenv("NEO4J_URI", "bolt://127.0.0.1:1")
    monkeypatch.setenv("COLUMNS", "200")


def test_equal_ends_with_0(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, archive: Path
) -> None:
    ended = run_kg(capsys, monkeypatch, "standard", "verify", str(archive))
    assert (ended.code, "Verify: equal" in ended.out) == (0, True)
    told = run_kg(capsys, monkeypatch, "standard", "verify", str(archive), "--json").json
    assert told["equal"]
    assert [check["differences"] for check in told["checks"]] == [[]] * 10


def test_not_equal_ends_with_1_and_says_where(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, archive: Path, tmp_path: Path
) -> None:
    changed = tmp_path / "changed.zip"
    with ZipFile(archive) as old, ZipFile(changed, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            new.writestr(name, data.replace(b'"n": 12', b'"n": 13', 1) if name == "results.json" else data)
    ended = run_kg(capsys, monkeypatch, "standard", "verify", str(changed))
    assert ended.code == 1
    assert "Verify: NOT EQUAL" in ended.out
    assert "differs: results.json: " in ended.err
    assert "archived 13, computed 12" in ended.err
    told = run_kg(capsys, monkeypatch, "standard", "verify", str(changed), "--json")
    assert (told.code, told.json["equal"]) == (1, False)


def test_an_archive_of_another_version_is_told_to_be_one(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, archive: Path, tmp_path: Path
) -> None:
    changed = tmp_path / "changed.zip"
    with ZipFile(archive) as old, ZipFile(changed, "w") as new:
        for name in old.namelist():
            data = old.read(name)
            if name == "manifest.json":
                data = data.replace(b'"hopgrade": "', b'"hopgrade": "99.')
            new.writestr(name, data + b"\n" if name == "report.md" else data)
    ended = run_kg(capsys, monkeypatch, "standard", "verify", str(changed))
    assert ended.code == 1
    assert "It was written by hopgrade 99." in ended.err


def test_what_is_no_archive_ends_with_2(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    ended = run_kg(capsys, monkeypatch, "standard", "verify", str(tmp_path / "none.zip"))
    assert ended.code == 2
    assert "can't be read as an archive (No such file or directory)" in ended.err
    assert "Traceback" not in ended.err
    ended = run_kg(capsys, monkeypatch, "standard", "verify", str(tmp_path))
    assert ended.code == 2
    told = " ".join(ended.err.split())
    assert "can't be read as an archive (Is a directory). Give the NAME.zip in it" in told
