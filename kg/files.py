"""Files that are whole at their names, or not there: after a kill, a full disk and a power cut.

A file is written beside its name, brought to the disk, and renamed; then the folder is brought to the disk
too, because a name that only memory knows is lost with the power. Folders of work in progress are held by a
lock, so that what a killed process left can be told from what another one is using.

Where the folders that travel with the code lie: beside it in a clone, inside it in a wheel.
"""

import glob
import hashlib
import os
import shutil
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import IO

import psutil
from filelock import FileLock, Timeout

_PACKAGE = Path(__file__).resolve().parent


def bundled_folder(name: str) -> Path:
    """The folder `name` ("cypher" or "seed").

    Raises:
        FileNotFoundError: the installation is incomplete.
    """
    for folder in (_PACKAGE / "bundled" / name, _PACKAGE.parent / name):
        if folder.is_dir():
            return folder
    raise FileNotFoundError(f"the folder {name}/ is missing from this installation of Hopgrade")


PRIVATE = 0o600
"""The mode of a file that only its owner can read."""

FOLDER_LOCK = ".lock"
"""The file in a folder of work in progress that its process holds."""


@contextmanager
def whole_file(path: Path, mode: int | None = None) -> Iterator[IO[bytes]]:
    """A stream whose bytes take the name `path` when the block ends; until then the old file stays there.

    `mode` is that of the file from its first byte on; by default that of any new file of this user.

    Raises:
        OSError: it can't be written; nothing is left of it.
    """
    number, name = tempfile.mkstemp(prefix=f".{path.name}.", suffix=".unfinished", dir=path.parent)
    unfinished = Path(name)
    try:
        with os.fdopen(number, "wb") as stream:
            yield stream
            to_disk(stream)
        unfinished.chmod(0o666 & ~_umask() if mode is None else mode)
        take_name(unfinished, path)
    except BaseException:
        unfinished.unlink(missing_ok=True)
        raise


def write_whole(path: Path, text: str, mode: int | None = None) -> None:
    """Write a text in UTF-8 as `whole_file` does.

    Raises:
        OSError: it can't be written.
    """
    with whole_file(path, mode) as stream:
        stream.write(text.encode("utf-8"))


def to_disk(stream: IO[bytes] | IO[str]) -> None:
    """Wait until what was written to an open file is on the disk."""
    stream.flush()
    os.fsync(stream.fileno())


def take_name(finished: Path, path: Path) -> None:
    """Rename a file or folder that is on the disk already, and wait until its new name is there as well."""
    finished.replace(path)
    folder_to_disk(path.parent)


def folder_to_disk(folder: Path) -> None:
    """Wait until the names in a folder are on the disk."""
    # Windows opens no folder, and some network file systems refuse; a name is as safe there as it can be.
    with suppress(OSError):
        number = os.open(folder, os.O_RDONLY)
        try:
            os.fsync(number)
        finally:
            os.close(number)


def sha256_of(path: Path) -> str:
    """The SHA-256 of a file in hexadecimal, read a bounded piece at a time."""
    with path.open("rb") as stream:
        return hashlib.file_digest(stream, "sha256").hexdigest()


def free_bytes(folder: Path) -> int:
    """The space that this user may still write at a folder, which need not exist yet."""
    folder = folder.absolute()
    existing = next(path for path in (folder, *folder.parents) if path.exists())
    return shutil.disk_usage(existing).free


_SHARED = {
    "9p", "acfs", "afpfs", "afs", "beegfs", "ceph", "cifs", "davfs", "gfs2", "glusterfs", "gpfs", "lustre",
    "nfs", "nfs4", "ocfs2", "osxfs", "pvfs2", "prl_fs", "smb2", "smb3", "smbfs", "vboxsf", "virtiofs",
    "webdav",
}  # fmt: skip
"""File systems whose files other machines may change."""
_ANY_PROGRAM = "fuse."
"""How the kinds of file systems begin that a program serves; what lies behind it nobody knows."""


def is_shared(folder: Path) -> bool:
    """Whether other machines may have a folder open too, as on a network file system.

    What is agreed on in memory, as the log of an SQLite file is, then holds on one machine only.
    """
    mounts = ((Path(one.mountpoint), one.fstype, one.opts) for one in psutil.disk_partitions(all=True))
    return is_shared_by(mounts, folder.resolve())


def is_shared_by(mounts: Iterable[tuple[Path, str, str]], folder: Path) -> bool:
    """`is_shared` by these mounts: place, kind of file system, options; `folder` is absolute."""
    above = [(len(at.parts), kind, options) for at, kind, options in mounts if folder.is_relative_to(at)]
    # Of two at one place the later one hides the other.
    _, kind, options = max(reversed(above), key=lambda mount: mount[0], default=(0, "", ""))
    return kind in _SHARED or kind.startswith(_ANY_PROGRAM) or "remote" in options.split(",")


@contextmanager
def working_folder(parent: Path, prefix: str) -> Iterator[Path]:
    """A new private folder in `parent`, deleted when the block ends; those of killed processes go first.

    Raises:
        OSError: it can't be made.
    """
    parent.mkdir(parents=True, exist_ok=True)
    # Together, or another process could take a folder whose lock is not held yet for one that was left.
    with FileLock(parent / f"{prefix}lock"):
        remove_abandoned(parent, prefix)
        folder = Path(tempfile.mkdtemp(prefix=prefix, dir=parent))
        lock = FileLock(folder / FOLDER_LOCK, thread_local=False)
        lock.acquire()
    try:
        yield folder
    finally:
        lock.release()
        shutil.rmtree(folder, ignore_errors=True)


def remove_abandoned(parent: Path, prefix: str) -> None:
    """Delete the folders whose names begin like this and whose lock no living process holds."""
    for left in parent.glob(f"{glob.escape(prefix)}*"):
        if not (left / FOLDER_LOCK).is_file():
            continue
        lock = FileLock(left / FOLDER_LOCK)
        try:
            lock.acquire(timeout=0)
        except Timeout:
            continue
        shutil.rmtree(left, ignore_errors=True)
        lock.release()


def _umask() -> int:
    mask = os.umask(0)
    os.umask(mask)
    return mask
