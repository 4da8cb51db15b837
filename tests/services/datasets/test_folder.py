"""An export's folder is there whole or not at all."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest

from kg.errors import InputError, SettingsError
from services.datasets.folder import MANIFEST, MOST_MANIFEST_BYTES, export_folder, file_facts, read_manifest

KILLED = """
import os, signal, sys
from pathlib import Path
from services.datasets.folder import export_folder
with export_folder(Path(sys.argv[1]), force=True) as writer, writer.text("half.txt") as file:
    file.write("half")
    os.kill(os.getpid(), signal.SIGKILL)
"""


def _write(out: Path, text: str, force: bool = False) -> None:
    with export_folder(out, force) as writer:
        with writer.text("parts/one.txt") as file:
            file.write(text)
        with writer.binary("two.bin") as data:
            data.write(b"\x00\x01")
        writer.describe({"format": "trial"})


def _names_here(folder: Path) -> list[str]:
    return sorted(path.name for path in folder.iterdir())


def _names(folder: Path) -> list[str]:
    return sorted(str(path.relative_to(folder)) for path in folder.rglob("*"))


def test_the_manifest_names_every_file_with_its_checksum(tmp_path: Path) -> None:
    _write(tmp_path / "out", "line\n")
    manifest = read_manifest(tmp_path / "out")
    assert manifest["format"] == "trial"
    assert manifest["files"] == [
        {
            "name": "parts/one.txt",
            "bytes": 5,
            # printf 'line\n' | sha256sum
            "sha256": "c73b73af8851e9e91bc6b4dc12e7dace0a2bfb931c1d0b8b36ef367319f58cd1",
        },
        {
            "name": "two.bin",
            "bytes": 2,
            "sha256": "b413f47d13ee2fe6c845b2ee141af81de858df4ec549a58b7970bb96645bc8d2",
        },
    ]
    assert _names(tmp_path) == ["out", f"out/{MANIFEST}", "out/parts", "out/parts/one.txt", "out/two.bin"]
    assert file_facts(tmp_path / "out", "two.bin").bytes == 2


def test_an_error_on_the_way_leaves_nothing(tmp_path: Path) -> None:
    with (
        pytest.raises(ZeroDivisionError),
        export_folder(tmp_path / "out") as writer,
        writer.text("one.txt") as file,
    ):
        file.write(str(1 // 0))
    assert _names(tmp_path) == []


def test_a_killed_export_leaves_the_old_one_and_the_next_cleans_up(tmp_path: Path) -> None:
    out = tmp_path / "out"
    _write(out, "old")
    killed = subprocess.run([sys.executable, "-c", KILLED, str(out)], check=False, timeout=600)
    assert killed.returncode == -signal.SIGKILL
    assert (out / "parts/one.txt").read_text() == "old"
    assert len(_names_here(tmp_path)) == 2
    _write(out, "new", force=True)
    assert _names_here(tmp_path) == ["out"]
    assert (out / "parts/one.txt").read_text() == "new"


def test_of_two_exports_to_one_place_the_first_that_ends_stays(tmp_path: Path) -> None:
    with (
        pytest.raises(SettingsError, match="there already"),
        export_folder(tmp_path / "out") as first,
        first.text("one.txt") as file,
    ):
        file.write("first")
        with export_folder(tmp_path / "out") as second, second.text("one.txt") as other:
            other.write("second")
        file.write(" and last")
    assert _names(tmp_path) == ["out", f"out/{MANIFEST}", "out/one.txt"]
    assert (tmp_path / "out/one.txt").read_text() == "second"


def test_a_replacement_that_was_cut_off_is_undone(tmp_path: Path) -> None:
    _write(tmp_path / "out", "old")
    (tmp_path / "out").rename(tmp_path / ".out.before")
    with pytest.raises(SettingsError, match="there already"):
        _write(tmp_path / "out", "new")
    assert _names_here(tmp_path) == ["out"]


def test_force_replaces_exports_only(tmp_path: Path) -> None:
    _write(tmp_path / "out", "old")
    with pytest.raises(SettingsError, match="--force"):
        _write(tmp_path / "out", "new")
    _write(tmp_path / "out", "new", force=True)
    assert (tmp_path / "out/parts/one.txt").read_text() == "new"
    mine = tmp_path / "mine"
    mine.mkdir()
    _write(mine, "into an empty folder")
    (mine / MANIFEST).unlink()
    with pytest.raises(SettingsError, match="not an export"):
        _write(mine, "new", force=True)
    (tmp_path / "file").write_text("x")
    with pytest.raises(SettingsError, match="is a file"):
        _write(tmp_path / "file", "new", force=True)


def test_a_link_stays_and_the_root_is_refused(tmp_path: Path) -> None:
    _write(tmp_path / "real", "old")
    (tmp_path / "link").symlink_to("real")
    _write(tmp_path / "link", "new", force=True)
    assert _names_here(tmp_path) == ["link", "real"]
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "real/parts/one.txt").read_text() == "new"
    with pytest.raises(SettingsError, match="can't be an export"):
        _write(Path("/"), "new", force=True)


@pytest.mark.parametrize("text", ["[" * 200_000, '{"made_by":' * 100_000, " " * (MOST_MANIFEST_BYTES + 1)])
def test_a_manifest_that_is_none_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / MANIFEST).write_text(text, encoding="utf-8")
    with pytest.raises(InputError, match=r"manifest\.json (can't be read|has more than)"):
        read_manifest(tmp_path)
