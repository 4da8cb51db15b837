"""Files that are whole at their names; what reaches the disk, and in which order."""

import os
import stat
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import pytest

from cli.console import write_whole as write_for_option
from kg.files import PRIVATE, is_shared_by, take_name, whole_file, working_folder, write_whole
from kg.server.configuration import ensure_password
from kg.server.layout import ServerHome
from kg.server.process import ServerState, write_state
from services.comparison.folder import LOCK_FILE
from services.comparison.locking import Lock, Locked, _write_lock
from services.datasets.folder import export_folder


class Disk:
    """What was brought to the disk, in order: inodes at the moment of each fsync, and renames."""

    def __init__(self, patch: pytest.MonkeyPatch) -> None:
        self.synced: list[int] = []
        real = os.fsync

        def fsync(number: int) -> None:
            real(number)
            self.synced.append(os.fstat(number).st_ino)

        patch.setattr(os, "fsync", fsync)

    def has(self, path: Path) -> bool:
        """Whether a file, and after it the folder that holds its name, were brought to the disk."""
        file, folder = path.stat().st_ino, path.parent.stat().st_ino
        return file in self.synced and folder in self.synced[self.synced.index(file) + 1 :]


@pytest.fixture
def disk(monkeypatch: pytest.MonkeyPatch) -> Disk:
    return Disk(monkeypatch)


def state_file(folder: Path) -> Path:
    home = ServerHome(folder / "home")
    home.make_folders()
    write_state(home, ServerState(1, 1.0, 7687, 7474, gds=False, version="1"))
    return home.state_file


def password_file(folder: Path) -> Path:
    home = ServerHome(folder / "home")
    home.make_folders()
    ensure_password(home)
    return home.password_file


def option_file(folder: Path) -> Path:
    write_for_option(folder / "report.html", "<p>", "--html")
    return folder / "report.html"


def lock_file(folder: Path) -> Path:
    _write_lock(folder, Locked(Lock("0" * 64, "2026-01-01", "1"), {}))
    return folder / LOCK_FILE


def export(folder: Path) -> Path:
    with export_folder(folder / "out") as writer, writer.text("a.txt") as file:
        file.write("a")
    return folder / "out" / "a.txt"


@pytest.mark.parametrize("write", [state_file, password_file, option_file, lock_file])
def test_file_and_name_are_on_the_disk(tmp_path: Path, disk: Disk, write: Callable[[Path], Path]) -> None:
    assert disk.has(write(tmp_path))


def test_the_name_of_an_export_is_on_the_disk(tmp_path: Path, disk: Disk) -> None:
    made = export(tmp_path)
    assert made.stat().st_ino in disk.synced
    assert disk.synced[-1] == tmp_path.stat().st_ino


def test_a_file_is_the_old_one_until_the_new_one_is_whole(tmp_path: Path) -> None:
    path = tmp_path / "file"
    write_whole(path, "old")
    with pytest.raises(OSError, match="no room"), whole_file(path) as stream:
        stream.write(b"ne")
        assert path.read_text() == "old"
        raise OSError("no room")
    assert path.read_text() == "old"
    assert list(tmp_path.iterdir()) == [path]


def test_a_private_file_is_private_from_its_first_byte_on(tmp_path: Path) -> None:
    path = tmp_path / "secret"
    with whole_file(path, PRIVATE):
        modes = {stat.S_IMODE(one.stat().st_mode) for one in tmp_path.iterdir()}
    assert modes == {PRIVATE} == {stat.S_IMODE(path.stat().st_mode)}


def test_another_file_is_as_open_as_any_new_one(tmp_path: Path) -> None:
    (tmp_path / "usual").touch()
    write_whole(tmp_path / "file", "text")
    assert (tmp_path / "file").stat().st_mode == (tmp_path / "usual").stat().st_mode


def test_a_folder_takes_a_name(tmp_path: Path, disk: Disk) -> None:
    (tmp_path / "part").mkdir()
    take_name(tmp_path / "part", tmp_path / "whole")
    assert disk.synced == [tmp_path.stat().st_ino]


HOLD = """
import os, sys
from pathlib import Path
from kg.files import working_folder
with working_folder(Path(sys.argv[1]), "jobs-") as folder:
    (folder / "texts.zip").write_bytes(b"texts")
    print(folder, flush=True)
    sys.stdin.read()
"""


def test_what_a_killed_process_left_goes_and_what_is_in_use_stays(tmp_path: Path) -> None:
    command = [sys.executable, "-c", HOLD, str(tmp_path)]
    with (
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as killed,
        subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as living,
    ):
        assert killed.stdout is not None
        assert living.stdout is not None
        left, used = Path(killed.stdout.readline().strip()), Path(living.stdout.readline().strip())
        killed.kill()
        killed.wait()
        assert (left / "texts.zip").is_file()
        with working_folder(tmp_path, "jobs-") as own:
            assert not left.exists()
            assert (used / "texts.zip").is_file()
            assert stat.S_IMODE(own.stat().st_mode) == 0o700
        living.communicate("")
    assert not list(tmp_path.glob("jobs-*/*"))


@pytest.mark.parametrize(
    ("folder", "shared"),
    [
        ("/home/me", False),
        ("/srv/far/me", True),
        ("/srv/far/near", False),
        ("/mnt/ssh/x", True),
        ("/win", True),
    ],
)
def test_what_other_machines_may_change_is_told_by_the_nearest_mount(folder: str, shared: bool) -> None:
    mounts = [
        (Path("/"), "ext4", "rw"),
        (Path("/srv/far"), "ext4", "rw"),
        (Path("/srv/far"), "nfs4", "rw"),
        (Path("/srv/far/near"), "xfs", "rw"),
        (Path("/mnt/ssh"), "fuse.sshfs", "rw"),
        (Path("/win"), "NTFS", "rw,remote"),
    ]
    assert is_shared_by(mounts, Path(folder)) is shared
