"""Whether an export is still what was written: its files' checksums, and the records that a reader finds."""

from dataclasses import dataclass
from itertools import islice
from pathlib import Path, PurePosixPath

from kg.errors import InputError, command
from services.datasets.choose import FORMATS
from services.datasets.folder import (
    MANIFEST,
    Comparison,
    Json,
    compare,
    file_facts,
    read_account,
    read_manifest,
    records_told,
)
from services.datasets.graph_write import GRAPH, GRAPH_FORMATS, compare_graph

MOST_FILES = 10_000
MOST_BYTES = 64 << 30
"""An export has a file or two for each table and split; a graph of a million articles takes some 40 GB."""


MOST_RECORDS = 20_000_000
"""All tables of a dataset together may have so many records; of each some bytes stay in memory."""


@dataclass(frozen=True, slots=True)
class Verified:
    """What a check found: files as the manifest says, files that are not, files beside it, and the tables."""

    folder: Path
    format: str
    whole: int
    changed: tuple[str, ...]
    missing: tuple[str, ...]
    unknown: tuple[str, ...]
    compared: tuple[Comparison, ...]

    @property
    def sound(self) -> bool:
        """Whether everything that was written is there and is read back as it was."""
        return not self.changed and not self.missing and all(one.equal for one in self.compared)


def verify_export(folder: Path) -> Verified:
    """Check an exported dataset or graph; its tables are read only where its files are as they were.

    Raises:
        InputError: the folder holds no export of a known format.
        SettingsError: a library that the format takes is missing.
    """
    manifest = read_manifest(folder)
    name = manifest.get("format")
    known = {"dataset": FORMATS.keys(), GRAPH: GRAPH_FORMATS.keys()}.get(str(manifest.get("kind")), ())
    if not isinstance(name, str) or name not in known:
        raise InputError(
            f"{folder} is an export, but not of a dataset or a graph of a known format.",
            f"Export it anew with this version: {command('dataset export')}, or {command('graph export')}.",
        )
    files = _files(folder, manifest)
    missing = tuple(one for one in files if not (folder / one).is_file())
    changed = tuple(
        one
        for one, (size, sha256) in files.items()
        if one not in missing and not _is(folder, one, size, sha256)
    )
    there = {path.relative_to(folder).as_posix() for path in folder.rglob("*") if path.is_file()}
    return Verified(
        folder=folder,
        format=name,
        whole=len(files) - len(missing) - len(changed),
        changed=changed,
        missing=missing,
        unknown=tuple(sorted(there - files.keys() - {MANIFEST})),
        compared=() if missing or changed else _compared(folder, name, manifest),
    )


def _compared(folder: Path, name: str, manifest: dict[str, Json]) -> tuple[Comparison, ...]:
    tables = manifest.get("tables")
    if not isinstance(tables, dict):
        raise _broken(folder)
    if manifest.get("kind") == GRAPH:
        return compare_graph(GRAPH_FORMATS[name], folder, tables)
    splits = manifest.get("splits")
    if not isinstance(splits, list):
        raise _broken(folder)
    records = records_told(tables)
    if records > MOST_RECORDS:
        raise InputError(
            f"{folder / MANIFEST} speaks of {records:,} records, and at most {MOST_RECORDS:,} are read.",
            "Export the dataset anew, in parts.",
        )
    names = [str(split.get("name", "")) for split in splits if isinstance(split, dict)]
    # The first record too many makes its table another than the manifest's; what follows is not read.
    found = islice(FORMATS[name].read(folder, names), records + 1)
    return tuple(compare(tables, read_account(found).sums()))


def _files(folder: Path, manifest: dict[str, Json]) -> dict[str, tuple[int, str]]:
    """Size and checksum of each file that the manifest names."""
    found: dict[str, tuple[int, str]] = {}
    listed = manifest.get("files")
    for one in listed if isinstance(listed, list) else ():
        match one:
            case {"name": str(name), "bytes": int(size), "sha256": str(sha256)} if _stays_inside(name):
                found[name] = (size, sha256)
            case _:
                raise _broken(folder)
    if not found:
        raise _broken(folder)
    total = sum(size for size, _ in found.values())
    if total > MOST_BYTES or len(found) > MOST_FILES:
        raise InputError(
            f"{folder / MANIFEST} lists {len(found):,} files of {total:,} bytes; "
            f"at most {MOST_FILES:,} files and {MOST_BYTES:,} bytes are read.",
            "Export the dataset anew.",
        )
    return found


def _stays_inside(name: str) -> bool:
    path = PurePosixPath(name)
    return not path.is_absolute() and ".." not in path.parts


def _is(folder: Path, name: str, size: int, sha256: str) -> bool:
    # A file of another size is not read at all: what is read is bounded by what the manifest says.
    return (folder / name).stat().st_size == size and file_facts(folder, name).sha256 == sha256


def _broken(folder: Path) -> InputError:
    return InputError(
        f"{folder / MANIFEST} does not list the files of an export.", "Export the dataset anew."
    )
