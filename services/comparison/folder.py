"""The files in the folder of a judged comparison.

What a check of a protocol finds.

breach     a run would be refused, or not begin
warning    it can run, and may show less than is hoped, or be refused later
note       what there is to know
"""

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kg.errors import SettingsError, command

FindingKind = Literal["breach", "warning", "note"]


@dataclass(frozen=True, slots=True)
class Finding:
    """What was found at a place of the protocol ("pool.hash"), as a sentence."""

    kind: FindingKind
    place: str
    text: str


def breach(place: str, text: str) -> Finding:
    """What a run would be refused for."""
    return Finding("breach", place, text)


def warning(place: str, text: str) -> Finding:
    """What may be had less of than is hoped."""
    return Finding("warning", place, text)


def in_a_line(findings: Iterable[Finding]) -> str:
    """Findings with their places, as the middle of a sentence."""
    return "; ".join(f"{one.place}: {one.text.rstrip('.')}" for one in findings)


def note(place: str, text: str) -> Finding:
    """What there is to know."""
    return Finding("note", place, text)


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
        raise SettingsError(
            f"{folder} holds a comparison already.",
            f"Go on with it: {command('standard check', str(folder))}. Or give another folder: {call}",
        )


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
