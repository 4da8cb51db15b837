"""The files in the folder of a judged comparison.

What a check of a protocol finds.

breach     a run would be refused, or not begin
warning    it can run, and may show less than is hoped, or be refused later
note       what there is to know

What was judged so far, in a file that only grows: a killed command loses no verdict that was given.

    0123456789abcdef0123456789abcdef {"judge": "exact", ...}

Each line is a key and a row. The key is a hash of all that the row depends on, so that a row is used again
where nothing changed, and only there. The last line of a key that can be read counts: one that a power cut or
another program harmed costs only itself, and is judged again. A line that a kill cut off is dropped when the
file is opened. Only one command at a time has it open: another one would cut off and write over what
the first is writing.
"""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from time import monotonic
from types import TracebackType
from typing import Generic, Literal, Self, TypeVar

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from kg.errors import InputError, SettingsError, command
from kg.files import to_disk

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


KEY_DIGITS = 32
SECONDS_TO_DISK = 2.0
"""How often a journal that grows is brought to the disk."""

T = TypeVar("T")


class Journal(Generic[T]):
    """An open journal of rows of one kind; where the rows stand is in memory, and they are not."""

    def __init__(self, path: Path, kind: type[T]) -> None:
        """Open a journal, or begin it.

        Raises:
            InputError: the file can't be read or written, or is open already.
        """
        self.path = path
        self._adapter = TypeAdapter(kind)
        self._places: dict[str, int] = {}
        try:
            path.parent.mkdir(parents=True, exist_ok=True)
            self._lock = _locked(path)
            try:
                self._file = path.open("a+b")
            except OSError:
                self._lock.release()
                raise
        except OSError as error:
            raise InputError(
                f"{path} can't be written: {error.strerror}.", "Give a folder that can be written."
            ) from error
        self._on_disk_at = monotonic()
        self._end = self._read_places()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            self._to_disk()
        finally:
            self._file.close()
            self._lock.release()

    def __contains__(self, key: str) -> bool:
        return key in self._places

    def __len__(self) -> int:
        return len(self._places)

    def __getitem__(self, key: str) -> T:
        """The row of a key.

        Raises:
            KeyError: there is none.
            InputError: its line was changed since the file was opened.
        """
        self._file.seek(self._places[key] + KEY_DIGITS + 1)
        try:
            return self._adapter.validate_json(self._file.readline())
        except ValidationError as error:
            raise InputError(
                f"{self.path} was changed meanwhile: the line of key {key} can't be read any more.",
                "Run the same command again; that line is judged anew.",
            ) from error

    def add(self, key: str, row: T) -> None:
        """Write a row; after that no kill loses it, nor does a power cut some seconds later."""
        line = key.encode("ascii") + b" " + self._adapter.dump_json(row) + b"\n"
        self._file.write(line)
        self._file.flush()
        if monotonic() - self._on_disk_at > SECONDS_TO_DISK:
            self._to_disk()
        self._places[key] = self._end
        self._end += len(line)

    def _to_disk(self) -> None:
        # Not after each row: that waits some milliseconds, and most judges take less.
        to_disk(self._file)
        self._on_disk_at = monotonic()

    def _read_places(self) -> int:
        """Note where each row stands that can be read, and cut off what has no end; where the next begins."""
        self._file.seek(0)
        end = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                self._file.truncate(end)
                break
            if self._can_be_read(line):
                self._places[line[:KEY_DIGITS].decode("ascii")] = end
            end += len(line)
        return end

    def _can_be_read(self, line: bytes) -> bool:
        if not line[:KEY_DIGITS].isascii() or line[KEY_DIGITS : KEY_DIGITS + 1] != b" ":
            return False
        try:
            self._adapter.validate_json(line[KEY_DIGITS + 1 :])
        except ValidationError:
            return False
        return True


def lock_of(path: Path) -> Path:
    """The file by which a journal is held; it stays, empty, and may be deleted while no command has it."""
    return path.with_name(f"{path.name}.lock")


def _locked(path: Path) -> FileLock:
    """The lock of a journal, held until it is released or its process ends."""
    lock = FileLock(lock_of(path), thread_local=False)
    try:
        lock.acquire(timeout=0)
    except Timeout as error:
        raise InputError(
            f"another command is working in {path.parent}: it has {path.name} open.",
            "Wait for it to end, or stop it with Ctrl-C.",
        ) from error
    return lock


@dataclass(frozen=True, slots=True)
class Written(Generic[T]):
    """Rows of a journal in an order of their own, read one by one as often as wanted."""

    journal: Journal[T]
    keys: Sequence[str]

    def __len__(self) -> int:
        return len(self.keys)

    def __iter__(self) -> Iterator[T]:
        return (self.journal[key] for key in self.keys)
