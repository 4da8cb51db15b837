"""The files in the folder of a judged comparison."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from kg.errors import SettingsError

PROTOCOL_FILE = "standard.yaml"
POOL_FILE = "pool.jsonl.gz"
DRAWN_FILE = ".pools-drawn"
"""Pools while they are being drawn; gone once they are frozen."""
LOCK_FILE = "lock.json"


def archive_name(name: str, look: int, looks: int) -> str:
    """The file name of the archive of a look: NAME.zip of the last one."""
    return f"{name}.zip" if look == looks else f"{name}-look-{look}.zip"


def folder_of(given: Path) -> Path:
    """The folder of a comparison, which may be given by its protocol's file too."""
    return given.parent if given.is_file() else given


def refuse_taken(folder: Path, call: str) -> None:
    """Make sure that a comparison can begin in a folder; `call` is the command that was to begin it.

    Raises:
        SettingsError: it is a file, or holds a comparison already.
    """
    if folder.exists() and not folder.is_dir():
        raise SettingsError(f"{folder} is a file.", f"Give a folder: {call}")
    if any((folder / taken).exists() for taken in (PROTOCOL_FILE, LOCK_FILE)):
        raise SettingsError(f"{folder} holds a comparison already.", f"Give another folder: {call}")


@contextmanager
def writing(folder: Path, call: str) -> Iterator[None]:
    """Tell that a folder can't be written as the mistake of whoever gave it.

    Raises:
        SettingsError: it can't.
    """
    try:
        yield
    except OSError as error:
        raise SettingsError(
            f"{folder} can't be written: {error.strerror}.", f"Give a folder that can: {call}"
        ) from error
