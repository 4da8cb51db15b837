"""The folder that an export writes: there whole or not at all, with a manifest of its files.

Files are written into a hidden sibling folder, which takes the wanted name at the end. An export that is
killed leaves that hidden folder; the next one to the same place removes it.

What an export has written, kept so that it can be compared with what is read back.

Of each record a digest of what a reader must find is kept, so that memory grows by 16 bytes a record.

What an export of a graph holds, kept so that it can be compared with what is read back.

Of each kind only the number and a sum of digests are kept: memory stays the same however large the graph is,
and the order in which a format has its rows is no part of the comparison.
"""

import hashlib
import json
import secrets
import shutil
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import BinaryIO, TextIO

from filelock import FileLock

from kg import __version__
from kg.errors import InputError, SettingsError
from kg.files import FOLDER_LOCK, remove_abandoned, sha256_of, take_name, to_disk

MANIFEST = "manifest.json"
MADE_BY = "hopgrade"
MOST_MANIFEST_BYTES = 16 << 20
_REMEDY = "Give the folder that an export wrote."

Json = str | int | float | bool | None | list["Json"] | dict[str, "Json"]
"""What a manifest may hold."""


@dataclass(frozen=True, slots=True)
class ExportedFile:
    """A file of an export: its path in the folder, with "/", its size and its SHA-256 in hexadecimal."""

    name: str
    bytes: int
    sha256: str


@dataclass(slots=True)
class ExportWriter:
    """Opens the files of an export, each once, and gathers what the manifest says of them."""

    folder: Path
    description: dict[str, Json] = field(default_factory=dict)
    files: dict[str, ExportedFile] = field(default_factory=dict)

    def describe(self, facts: Mapping[str, Json]) -> None:
        """Add to what the manifest says, such as settings and counts; no times: bytes stay the same."""
        self.description.update(facts)

    @contextmanager
    def text(self, name: str) -> Iterator[TextIO]:
        """A new UTF-8 file with "\\n" at its lines' ends; `name` may have folders, "qrels/test.tsv"."""
        with self._place(name).open("x", encoding="utf-8", newline="") as file:
            yield file
            to_disk(file)
        self._record(name)

    @contextmanager
    def binary(self, name: str) -> Iterator[BinaryIO]:
        """A new file for bytes."""
        with self._place(name).open("xb") as file:
            yield file
            to_disk(file)
        self._record(name)

    def finish(self) -> None:
        """Write the manifest: who made it, what was described, and the files by name."""
        files: list[Json] = [
            {"name": one.name, "bytes": one.bytes, "sha256": one.sha256}
            for _, one in sorted(self.files.items())
        ]
        manifest = {"made_by": MADE_BY, "version": __version__, **self.description, "files": files}
        with (self.folder / MANIFEST).open("x", encoding="utf-8", newline="\n") as file:
            json.dump(manifest, file, ensure_ascii=False, indent=2)
            file.write("\n")
            to_disk(file)

    def _place(self, name: str) -> Path:
        path = self.folder / name
        path.parent.mkdir(parents=True, exist_ok=True)
        return path

    def _record(self, name: str) -> None:
        self.files[name] = file_facts(self.folder, name)


def file_facts(folder: Path, name: str) -> ExportedFile:
    """Size and checksum of a file of a folder."""
    path = folder / name
    return ExportedFile(name, path.stat().st_size, sha256_of(path))


def read_manifest(folder: Path) -> dict[str, Json]:
    """The manifest of an export.

    Raises:
        InputError: there is none, or it is not one of ours.
    """
    path = folder / MANIFEST
    try:
        if path.stat().st_size > MOST_MANIFEST_BYTES:
            raise InputError(f"{path} has more than {MOST_MANIFEST_BYTES:,} bytes.", _REMEDY)
        found = json.loads(path.read_text(encoding="utf-8"))
    except (OSError, ValueError, RecursionError) as error:
        raise InputError(f"{path} can't be read as the manifest of an export.", _REMEDY) from error
    if not isinstance(found, dict) or found.get("made_by") != MADE_BY:
        raise InputError(f"{path} is not a manifest that Hopgrade wrote.", _REMEDY)
    return found


@contextmanager
def export_folder(out: Path, force: bool = False) -> Iterator[ExportWriter]:
    """Write a folder that appears whole when the block ends, or not at all; `force` replaces an older export.

    Raises:
        SettingsError: the place is taken, or can't be written.
    """
    # A link stays, and what it leads to is written.
    out = out.resolve()
    if not out.name:
        raise SettingsError(f"{out} can't be an export.", "Give a folder that is not there yet: --out DIR.")
    try:
        out.parent.mkdir(parents=True, exist_ok=True)
        _put_back(out)
        _check_free(out, force)
        remove_abandoned(out.parent, f"{_part_name(out)}-")
        part = out.with_name(f"{_part_name(out)}-{secrets.token_hex(4)}")
        part.mkdir()
        with FileLock(part / FOLDER_LOCK):
            try:
                writer = ExportWriter(part)
                yield writer
                writer.finish()
                _check_free(out, force)
                (part / FOLDER_LOCK).unlink()
                _take_place(part, out)
            finally:
                shutil.rmtree(part, ignore_errors=True)
    except OSError as error:
        raise SettingsError(
            f"{out} can't be written: {error.strerror or error}.",
            "Give a place that has room and can be written: --out DIR.",
        ) from error


def _check_free(out: Path, force: bool) -> None:
    if not out.exists() or (out.is_dir() and not any(out.iterdir())):
        return
    if not out.is_dir():
        raise SettingsError(f"{out} is a file.", "Give a folder that is not there yet: --out DIR.")
    if not force:
        raise SettingsError(f"{out} is there already.", "Give another --out, or replace it with --force.")
    try:
        read_manifest(out)
    except InputError as error:
        raise SettingsError(
            f"{out} is not an export, so it is not replaced.",
            "Give a folder that is not there yet: --out DIR.",
        ) from error


def _take_place(part: Path, out: Path) -> None:
    """Rename the finished folder; what it replaces stands beside it until it has the name."""
    if not out.exists() or not any(out.iterdir()):
        take_name(part, out)
        return
    before = _before(out)
    out.rename(before)
    try:
        take_name(part, out)
    except OSError:
        before.rename(out)
        raise
    shutil.rmtree(before)


def _put_back(out: Path) -> None:
    """End a replacement that was cut off: the old folder where there is no new one."""
    before = _before(out)
    if before.is_dir():
        if out.exists():
            shutil.rmtree(before)
        else:
            before.rename(out)


def _part_name(out: Path) -> str:
    return f".{out.name}.unfinished"


def _before(out: Path) -> Path:
    return out.with_name(f".{out.name}.before")


_DIGEST_BYTES = 16


@dataclass(frozen=True, slots=True)
class FoundRecord:
    """A record as a reader finds it: its table, its id, and the texts that it holds.

    White space is no part of the comparison, since most formats' readers trim it.
    """

    table: str
    id: str
    texts: tuple[str, ...]

    @property
    def digest(self) -> bytes:
        """A hash of all of it."""
        digest = hashlib.sha256()
        for text in (self.id, *self.texts):
            digest.update(" ".join(text.split()).encode("utf-8", "surrogatepass"))
            digest.update(b"\x00")
        return digest.digest()[:_DIGEST_BYTES]


@dataclass(slots=True)
class Account:
    """The records that a format wrote, in their order, and the questions that it has no place for."""

    digests: defaultdict[str, list[bytes]] = field(default_factory=lambda: defaultdict(list))
    left_out: defaultdict[str, Counter[str]] = field(default_factory=lambda: defaultdict(Counter))

    def expect(self, table: str, id_: str, *texts: str) -> None:
        """Note a record as its reader must find it."""
        self.add(FoundRecord(table, id_, texts))

    def add(self, found: FoundRecord) -> None:
        """Note a record."""
        self.digests[found.table].append(found.digest)

    def leave_out(self, split: str, reason: str) -> None:
        """Note a question that the format can't hold."""
        self.left_out[split][reason] += 1

    def sums(self) -> dict[str, Json]:
        """For each table the number of its records and a checksum over them, for the manifest."""
        return {
            table: {"records": len(digests), "sha256": hashlib.sha256(b"".join(digests)).hexdigest()}
            for table, digests in sorted(self.digests.items())
        }


@dataclass(frozen=True, slots=True)
class Comparison:
    """How many records of a table were written, were read back, and were equal in their order."""

    table: str
    written: int
    found: int
    equal: bool


def read_account(found: Iterable[FoundRecord]) -> Account:
    """The account of what a reader finds."""
    account = Account()
    for one in found:
        account.add(one)
    return account


def compare(written: Mapping[str, Json], sums: Mapping[str, Json]) -> list[Comparison]:
    """What a manifest says of its tables beside the sums of what was found in them."""
    rows = []
    for table in sorted({*written, *sums}):
        told, read = written.get(table), sums.get(table)
        rows.append(Comparison(table, _records(told), _records(read), told == read))
    return rows


def count_records(written: Mapping[str, Json]) -> int:
    """How many records a manifest says that its tables have together."""
    return sum(max(_records(told), 0) for told in written.values())


def _records(told: Json) -> int:
    records = told.get("records") if isinstance(told, dict) else 0
    return records if isinstance(records, int) else 0


_SIZE = 1 << 256


@dataclass(frozen=True, slots=True)
class Item:
    """A node, an edge or what stands for one in a format, as its reader must find it.

    `table` says of which kind it is, `key` which one, and `properties` what it holds, each as a text in which
    the format's reader tells values apart.
    """

    table: str
    key: tuple[str, ...]
    properties: Mapping[str, str] = field(default_factory=dict)

    @property
    def digest(self) -> int:
        """A hash of all of it, as a number below 2^256."""
        told = json.dumps((self.table, self.key, sorted(self.properties.items())))
        return int.from_bytes(hashlib.sha256(told.encode("ascii")).digest())


@dataclass(slots=True)
class GraphAccount:
    """How many items there are of each table, and the sum of their digests."""

    records: Counter[str] = field(default_factory=Counter)
    totals: Counter[str] = field(default_factory=Counter)

    def add(self, item: Item) -> None:
        """Note an item."""
        self.records[item.table] += 1
        self.totals[item.table] = (self.totals[item.table] + item.digest) % _SIZE

    def sums(self) -> dict[str, Json]:
        """For each table the number of its records and their checksum, for the manifest."""
        return {
            table: {"records": number, "sum": f"{self.totals[table]:064x}"}
            for table, number in sorted(self.records.items())
        }


def read_graph_account(found: Iterable[Item]) -> GraphAccount:
    """The account of what a reader finds."""
    account = GraphAccount()
    for one in found:
        account.add(one)
    return account


def nodes_table(kind: str) -> str:
    """What an account calls the nodes of a kind."""
    return f"{kind} nodes"


def edges_table(type_: str) -> str:
    """What an account calls the edges of a type."""
    return f"{type_} edges"
