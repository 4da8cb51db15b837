"""What was judged so far, in a file that only grows: a killed command loses no verdict that was given.

    0123456789abcdef0123456789abcdef {"judge": "exact", ...}

Each line is a key and a row. The key is a hash of all that the row depends on, so that a row is used again
where nothing changed, and only there. The last line of a key counts. A line that a kill cut off is dropped
when the file is opened. Only one command at a time has it open: another one would cut off and write over what
the first is writing.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from types import TracebackType
from typing import Generic, Self, TypeVar

from filelock import FileLock, Timeout
from pydantic import TypeAdapter, ValidationError

from kg.errors import InputError

KEY_DIGITS = 32

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
        self._end = self._read_places()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
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
            InputError: its line can't be read.
        """
        self._file.seek(self._places[key] + KEY_DIGITS + 1)
        try:
            return self._adapter.validate_json(self._file.readline())
        except ValidationError as error:
            raise InputError(
                f"{self.path} holds a line that can't be read, of key {key}.",
                "Delete the file; what was judged is judged again.",
            ) from error

    def add(self, key: str, row: T) -> None:
        """Write a row; after that, no kill of this process loses it."""
        line = key.encode("ascii") + b" " + self._adapter.dump_json(row) + b"\n"
        self._file.write(line)
        self._file.flush()
        self._places[key] = self._end
        self._end += len(line)

    def _read_places(self) -> int:
        """Note where each row stands, and cut off what has no end; where the next line begins."""
        self._file.seek(0)
        end = 0
        for line in self._file:
            if not line.endswith(b"\n"):
                self._file.truncate(end)
                break
            if line[KEY_DIGITS : KEY_DIGITS + 1] == b" ":
                self._places[line[:KEY_DIGITS].decode("ascii", "replace")] = end
            end += len(line)
        return end


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
            f"another kg command is working in {path.parent}: it has {path.name} open.",
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
