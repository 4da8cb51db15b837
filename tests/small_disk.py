"""A small file system for one test, which it may fill: mounted where that is allowed, skipped elsewhere."""

import shutil
import subprocess
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

_PIECE_BYTES = 1 << 20


@contextmanager
def small_disk(folder: Path, size: str) -> Iterator[Path]:
    """A file system in memory of `size`, such as "300m", at a folder that is made for it."""
    folder.mkdir(parents=True, exist_ok=True)
    command = ["mount", "-t", "tmpfs", "-o", f"size={size},mode=700", "tmpfs", str(folder)]
    with _mounted(command, folder):
        yield folder


@contextmanager
def small_ext4(folder: Path, image: Path, megabytes: int) -> Iterator[Path]:
    """An ext4 file system in the file `image`, at a folder that is made for it."""
    with image.open("wb") as file:
        file.truncate(megabytes << 20)
    _run(["mkfs.ext4", "-q", "-m0", "-F", str(image)])
    with ext4_of(image, folder):
        yield folder


@contextmanager
def ext4_of(image: Path, folder: Path) -> Iterator[None]:
    """The file system in an image, at a folder that is made for it; an error turns it read-only."""
    folder.mkdir(parents=True, exist_ok=True)
    with _mounted(["mount", "-o", "loop,errors=remount-ro", str(image), str(folder)], folder):
        yield


def fail_ext4(folder: Path) -> None:
    """Let a mounted ext4 meet an error: nothing can be written to it until it is mounted anew."""
    found = subprocess.run(
        ["findmnt", "-no", "SOURCE", str(folder)], check=True, capture_output=True, text=True
    )
    device = Path(found.stdout.strip()).name
    Path("/sys/fs/ext4", device, "trigger_fs_error").write_text("1", encoding="ascii")


def fill(folder: Path, spared: int = 0) -> Path:
    """Write until `spared` bytes are free, or not one byte more is taken; the file that took the room."""
    ballast = folder / "ballast"
    with ballast.open("ab", buffering=0) as file:
        size = _PIECE_BYTES
        while size and (not spared or shutil.disk_usage(folder).free > spared):
            try:
                file.write(bytes(size))
            except OSError:
                size //= 2
    return ballast


@contextmanager
def _mounted(command: list[str], folder: Path) -> Iterator[None]:
    _run(command)
    try:
        yield
    finally:
        # Lazily: a server that a failed test left would keep it, and the rest of the session with it.
        subprocess.run(["umount", "--lazy", str(folder)], check=True)


def _run(command: list[str]) -> None:
    try:
        subprocess.run(command, check=True, capture_output=True, text=True)
    except (OSError, subprocess.CalledProcessError) as error:
        pytest.skip(f"no file system can be mounted here ({command[0]}: {error})")
