"""Rows of an archive: one JSON object a line, read one by one as often as wanted, written as they come."""

import hashlib
import struct
import zlib
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Generic, Protocol, TypeVar
from zipfile import ZIP_DEFLATED, ZIP_STORED, BadZipFile, ZipFile, ZipInfo

from pydantic import Field, TypeAdapter, ValidationError

from kg.errors import InputError, command

T = TypeVar("T")
T_co = TypeVar("T_co", covariant=True)

MOST_TEXT_BYTES = 32 << 20
"""A file that is read whole may be so large; the report of ten systems takes a hundredth of it."""

MOST_LINE_BYTES = 16 << 20
"""A row may be so large; the largest pool takes a hundredth of it."""

SMALL_BYTES = 64 << 20
MOST_PACKED = 250
"""A file of more than `SMALL_BYTES` that is packed to less than one in so many of its bytes is no rows of a
comparison, which pack to one in a hundred at the most: it is there to fill up memory."""

LEAST_ROW_BYTES = 16
"""No row is smaller, whatever its kind."""

MOST_FILES = 4_096
"""An archive may hold so many files; a comparison of a thousand systems has fewer."""

MOST_BYTES = 4 << 30
"""All files of an archive together may unpack to so much; 20,000 questions, ten systems and their pools take
a third of it."""

MOST_HELD_BYTES = 256 << 20
MOST_HELD_ROWS = 1_000_000
"""A table that is read whole into memory may be so large; one of 20,000 questions takes a tenth of it."""

MOST_LOOKED_UP_BYTES = 2 << 30
"""Chunks and pools, which are looked up by their ids while an archive is verified, may together be so large;
those of 20,000 questions take half of it."""

MOST_ROWS = 20_000_000
"""All tables of an archive together may have so many rows."""

_Number = Annotated[int, Field(ge=0, lt=1 << 48)]
_Hash = Annotated[str, Field(pattern=r"^[0-9a-f]{64}$")]

_BLOCK_BYTES = 1 << 20
_UNIX = 3
_ENCRYPTED = 1

_CHANGED = "The archive was changed or cut; get it again from whoever made it."


class Rows(Protocol[T_co]):
    """Rows that can be gone through more than once; a tuple is some, and so is a file in an archive."""

    def __iter__(self) -> Iterator[T_co]:
        """Begin at the first row."""
        ...

    def __len__(self) -> int:
        """How many there are."""
        ...


@dataclass(frozen=True, slots=True)
class Member:
    """A file of an archive as its manifest has it; `rows` is None where it is no file of rows."""

    sha256: _Hash
    size: _Number
    rows: _Number | None = None


@dataclass(frozen=True, slots=True)
class ArchivedRows(Generic[T]):
    """The rows of one file in an archive; only one is in memory at a time."""

    archive: Path
    name: str
    kind: type[T]
    count: int

    def __len__(self) -> int:
        return self.count

    def __iter__(self) -> Iterator[T]:
        adapter = TypeAdapter(self.kind)
        for number, line in enumerate(_lines(self.archive, self.name), start=1):
            if number > self.count:
                raise InputError(
                    f"{self.name} in {self.archive.name} has more rows than the manifest's {self.count:,}.",
                    _CHANGED,
                )
            try:
                yield adapter.validate_json(line)
            except ValidationError as error:
                raise InputError(
                    f"line {number:,} of {self.name} in {self.archive.name} is no "
                    f"{self.kind.__name__}: {error.errors()[0]['msg']}.",
                    _CHANGED,
                ) from error


def write_rows(bundle: ZipFile, name: str, kind: type[T], rows: Iterable[T]) -> Member:
    """Write rows into a new file of an archive as they come; what the manifest is to say of it."""
    adapter = TypeAdapter(kind)
    digest, size, count = hashlib.sha256(), 0, 0
    with bundle.open(_entry(name), "w", force_zip64=True) as out:
        for row in rows:
            line = adapter.dump_json(row) + b"\n"
            digest.update(line)
            size, count = size + len(line), count + 1
            out.write(line)
    return Member(digest.hexdigest(), size, count)


def write_text(bundle: ZipFile, name: str, text: str) -> Member:
    """Write a text into a new file of an archive; what the manifest is to say of it."""
    data = text.encode()
    bundle.writestr(_entry(name), data)
    return Member(hashlib.sha256(data).hexdigest(), len(data))


def read_text(archive: Path, name: str) -> str:
    """The text of one file in an archive.

    Raises:
        InputError: there is no such file, it is damaged, too large, or no text.
    """
    blocks: list[bytes] = []
    size = 0
    for block in _blocks(archive, name):
        size += len(block)
        if size > MOST_TEXT_BYTES:
            raise InputError(f"{name} in {archive.name} is larger than {MOST_TEXT_BYTES:,} bytes.", _CHANGED)
        blocks.append(block)
    try:
        return b"".join(blocks).decode()
    except UnicodeDecodeError as error:
        raise InputError(f"{name} in {archive.name} is no text in UTF-8.", _CHANGED) from error


def member_of(archive: Path, name: str, of_rows: bool) -> Member:
    """One file in an archive as a manifest has to name it; it need not fit into memory.

    Raises:
        InputError: there is no such file, or it is damaged.
    """
    digest, size, lines = hashlib.sha256(), 0, 0
    for block in _blocks(archive, name):
        digest.update(block)
        size, lines = size + len(block), lines + block.count(b"\n")
    return Member(digest.hexdigest(), size, lines if of_rows else None)


def names_in(archive: Path) -> list[str]:
    """The names of the files in an archive, in order.

    Raises:
        InputError: there is no such archive, or it is none.
    """
    with _opened(archive) as bundle:
        return bundle.namelist()


def sizes_in(archive: Path) -> dict[str, int]:
    """How many bytes each file in an archive has at most once it is unpacked, by name.

    The archive says it itself, and is believed no further than it could be true of one of its own size.

    Raises:
        InputError: there is no such archive, or it is none.
    """
    with _opened(archive) as bundle:
        most = max(SMALL_BYTES, MOST_PACKED * archive.stat().st_size)
        return {entry.filename: min(entry.file_size, most) for entry in bundle.infolist()}


def _lines(archive: Path, name: str) -> Iterator[bytes]:
    rest = b""
    for block in _blocks(archive, name):
        *whole, rest = (rest + block).split(b"\n")
        if len(rest) > MOST_LINE_BYTES:
            raise InputError(
                f"a line of {name} in {archive.name} is longer than {MOST_LINE_BYTES:,} bytes.", _CHANGED
            )
        yield from whole
    if rest:
        yield rest


def _blocks(archive: Path, name: str) -> Iterator[bytes]:
    with _opened(archive) as bundle:
        try:
            entry = bundle.getinfo(name)
        except KeyError as error:
            raise InputError(
                f"{archive.name} holds no {name}.",
                f"Give an archive that {command('standard run')} wrote, whole.",
            ) from error
        _refuse_foreign(archive, entry)
        try:
            with bundle.open(entry) as file:
                while block := file.read(_BLOCK_BYTES):
                    yield block
        except (BadZipFile, NotImplementedError, zlib.error, EOFError, OSError) as error:
            raise InputError(f"{name} in {archive.name} is damaged ({error}).", _CHANGED) from error


def _refuse_foreign(archive: Path, entry: ZipInfo) -> None:
    """Refuse a file that is packed as no archive of ours is."""
    if entry.flag_bits & _ENCRYPTED or entry.compress_type not in {ZIP_STORED, ZIP_DEFLATED}:
        raise InputError(
            f"{entry.filename} in {archive.name} is encrypted, or packed otherwise than by deflate.", _CHANGED
        )
    if entry.file_size > max(SMALL_BYTES, MOST_PACKED * entry.compress_size):
        raise InputError(
            f"{entry.filename} in {archive.name} unpacks to {entry.file_size:,} bytes from "
            f"{entry.compress_size:,}, which no rows of a comparison do.",
            _CHANGED,
        )


def _opened(archive: Path) -> ZipFile:
    try:
        bundle = ZipFile(archive)
    except (OSError, BadZipFile, NotImplementedError, ValueError, struct.error) as error:
        why = getattr(error, "strerror", None) or error
        where = " in it" if archive.is_dir() else ""
        raise InputError(
            f"{archive} can't be read as an archive ({why}).",
            f"Give the NAME.zip{where} that {command('standard run')} wrote.",
        ) from error
    if len(bundle.filelist) > MOST_FILES:
        bundle.close()
        raise InputError(f"{archive.name} holds more than {MOST_FILES:,} files.", _CHANGED)
    # What a file unpacks to is read as far as the archive says here, and no further.
    size = sum(entry.file_size for entry in bundle.filelist)
    if size > MOST_BYTES:
        bundle.close()
        raise InputError(
            f"{archive.name} unpacks to {size:,} bytes, more than {MOST_BYTES:,} for all files together.",
            _CHANGED,
        )
    return bundle


def _entry(name: str) -> ZipInfo:
    """An entry that is the same whenever and wherever it is written."""
    entry = ZipInfo(name)
    entry.compress_type = ZIP_DEFLATED
    entry.create_system = _UNIX
    entry.external_attr = 0o644 << 16
    return entry
