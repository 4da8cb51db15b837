"""The managed server's store in one file, and back.

The file is a zip of the home's data folder and password, with a manifest of versions, sizes and checksums. A
store is restored beside the one that is there, checked, and only then takes its place: from the rename to
`restored` on, whoever next takes the server ends what a kill cut off.
"""

import hashlib
import json
import shutil
import zipfile
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from pathlib import Path, PurePosixPath
from typing import IO

from pydantic import TypeAdapter, ValidationError

from kg import __version__
from kg.errors import DiskFullError, InputError, ServerError, SettingsError, UserError, command
from kg.files import PRIVATE, folder_to_disk, free_bytes, take_name, to_disk, whole_file
from kg.progress import Progress
from kg.server.layout import ServerHome, read_lock
from kg.server.process import read_state

FORMAT = 1
MANIFEST = "manifest.json"
MOST_FILES = 100_000
MOST_MANIFEST_BYTES = 64 << 20

_PIECE_BYTES = 1 << 20
_LEVEL = 1
_MADE_AT = (1980, 1, 1, 0, 0, 0)
_LOCKS = ("store_lock", "database_lock")
"""Files by which Neo4j holds a store: they say nothing about it."""


@dataclass(frozen=True, slots=True)
class StoredFile:
    """A file of a backup: its path below the home, with "/", its size, and its SHA-256 in hexadecimal."""

    name: str
    bytes: int
    sha256: str


@dataclass(frozen=True, slots=True)
class BackupManifest:
    """What a backup holds; `neo4j` is the version that last had the store open."""

    format: int
    hopgrade: str
    neo4j: str
    files: tuple[StoredFile, ...]

    @property
    def bytes(self) -> int:
        """The size of all files together, unpacked."""
        return sum(file.bytes for file in self.files)


def write_backup(home: ServerHome, path: Path, progress: Progress) -> BackupManifest:
    """Write the store of a home whose server is down; the file is there whole or not at all.

    Raises:
        ServerError: it can't be read or written.
    """
    state = read_state(home)
    names = sorted(_names(home))
    progress.begin("Backup", len(names))
    try:
        # It holds the password: nobody else may read it.
        with whole_file(path, PRIVATE) as stream, zipfile.ZipFile(stream, "w") as archive:
            files = []
            for name in names:
                files.append(_store_file(archive, home.folder / name, name))
                progress.advance()
            version = state.version if state else read_lock("server").version
            manifest = BackupManifest(FORMAT, __version__, version, tuple(files))
            archive.writestr(_entry(MANIFEST), json.dumps(asdict(manifest), indent=1), zipfile.ZIP_DEFLATED)
    except OSError as error:
        raise ServerError(
            f"the backup {path} can't be written: {error.strerror or error}.",
            "Give a file in a folder that exists, may be written and has room.",
        ) from error
    progress.end(f"{len(names)} files, {manifest.bytes / 2**20:.0f} MiB")
    return manifest


def read_backup_manifest(path: Path) -> BackupManifest:
    """What a backup says that it holds, once it is one that this version can restore.

    Raises:
        InputError: it is no backup, or not a whole one.
        UserError: a newer Neo4j wrote the store in it.
    """
    try:
        with zipfile.ZipFile(path) as archive:
            if archive.getinfo(MANIFEST).file_size > MOST_MANIFEST_BYTES:
                raise ValueError("its manifest is too long")
            manifest = TypeAdapter(BackupManifest).validate_json(archive.read(MANIFEST))
    except (OSError, ValueError, KeyError, EOFError, zipfile.BadZipFile, ValidationError) as error:
        raise _no_backup(path) from error
    ours = read_lock("server").version
    if manifest.format > FORMAT or _parts(manifest.neo4j) > _parts(ours):
        raise UserError(
            f"{path} holds a store of Neo4j {manifest.neo4j} (hopgrade {manifest.hopgrade}), and this "
            f"version runs Neo4j {ours}.",
            "Update Hopgrade first: git pull in its folder, then make setup.",
        )
    names = [file.name for file in manifest.files]
    if len(names) > MOST_FILES or len({*names}) < len(names) or not all(map(_belongs, names)):
        raise _no_backup(path)
    return manifest


def unpack_backup(home: ServerHome, path: Path, manifest: BackupManifest, progress: Progress) -> None:
    """Unpack a backup beside the store of a home and check it; from the end of this on it is to be restored.

    Raises:
        InputError: it does not hold what it says.
        DiskFullError: there is no room for it.
        ServerError: the home can't be written.
    """
    _discard(home.restoring)
    if free_bytes(home.folder) < manifest.bytes:
        raise DiskFullError(
            f"the store in {path} takes {manifest.bytes >> 20:,} MiB, and "
            f"{free_bytes(home.folder) >> 20:,} MiB are free on the disk of {home.folder}.",
            "Free some space, or set HOPGRADE_HOME to a folder on another disk.",
        )
    progress.begin("Restore", len(manifest.files))
    try:
        home.restoring.mkdir(mode=0o700)
        with zipfile.ZipFile(path) as archive:
            for file in manifest.files:
                _unpack(archive, file, home.restoring / file.name)
                progress.advance()
        for folder in (home.restoring, *(one for one in home.restoring.rglob("*") if one.is_dir())):
            folder_to_disk(folder)
        take_name(home.restoring, home.restore_folder)
    except (KeyError, EOFError, ValueError, zipfile.BadZipFile, NotImplementedError) as error:
        raise _no_backup(path) from error
    except OSError as error:
        raise ServerError(
            f"the store can't be restored to {home.folder}: {error.strerror or error}.",
            "Set HOPGRADE_HOME to a folder that has room and may be written; what was there is as it was.",
        ) from error
    finally:
        _discard(home.restoring)
    progress.end(f"{len(manifest.files)} files, {manifest.bytes / 2**20:.0f} MiB")


def finish_restore(home: ServerHome) -> None:
    """Let a store that was unpacked and checked take its place; does nothing where there is none.

    Each step may be cut off, and is done by the next call. No server of this home may run.

    Raises:
        ServerError: a folder can't be renamed.
    """
    if not home.restore_folder.is_dir():
        _discard(home.restoring)
        return
    try:
        data, password = home.restore_folder / "data", home.restore_folder / "password"
        if data.is_dir():
            if home.data.exists():
                # Renamed first: a store of which half is deleted must never be opened.
                shutil.rmtree(home.deletion_folder, ignore_errors=True)
                take_name(home.data, home.deletion_folder)
            take_name(data, home.data)
        if password.is_file():
            take_name(password, home.password_file)
        shutil.rmtree(home.restore_folder)
        shutil.rmtree(home.deletion_folder, ignore_errors=True)
    except OSError as error:
        raise ServerError(
            f"the restored store can't take its place in {home.folder}: {error.strerror or error}.",
            "Mend that and run the same command again.",
        ) from error


def _names(home: ServerHome) -> Iterator[str]:
    for path in home.data.rglob("*"):
        if path.is_file() and path.name not in _LOCKS:
            yield path.relative_to(home.folder).as_posix()
    if home.password_file.is_file():
        yield home.password_file.name


def _entry(name: str) -> zipfile.ZipInfo:
    entry = zipfile.ZipInfo(name, _MADE_AT)
    entry.compress_type = zipfile.ZIP_DEFLATED
    entry.external_attr = PRIVATE << 16
    return entry


def _store_file(archive: zipfile.ZipFile, path: Path, name: str) -> StoredFile:
    entry = _entry(name)
    with path.open("rb") as source, archive.open(entry, "w", force_zip64=True) as target:
        size, digest = _copy(source, target, None)
    return StoredFile(name, size, digest)


def _unpack(archive: zipfile.ZipFile, file: StoredFile, path: Path) -> None:
    path.parent.mkdir(mode=0o700, parents=True, exist_ok=True)
    with archive.open(file.name) as source, path.open("xb") as target:
        path.chmod(PRIVATE)
        found = _copy(source, target, file.bytes)
        to_disk(target)
    if found != (file.bytes, file.sha256):
        raise ValueError(f"{file.name} is not what the manifest says")


def _copy(source: IO[bytes], target: IO[bytes], most: int | None) -> tuple[int, str]:
    """Copy a stream; its size and SHA-256. More than `most` bytes are a ValueError."""
    digest, size = hashlib.sha256(), 0
    while piece := source.read(_PIECE_BYTES):
        size += len(piece)
        if most is not None and size > most:
            raise ValueError("a file is longer than the manifest says")
        digest.update(piece)
        target.write(piece)
    return size, digest.hexdigest()


def _belongs(name: str) -> bool:
    """Whether a name of a manifest is one that a backup of ours may hold."""
    parts = PurePosixPath(name).parts
    inside = name == "/".join(parts) and ".." not in parts and "\\" not in name and "\0" not in name
    return inside and (parts == ("password",) or (len(parts) > 1 and parts[0] == "data"))


def _parts(version: str) -> tuple[int, ...]:
    return tuple(int(part) if part.isdecimal() else 0 for part in version.split("."))


def _discard(folder: Path) -> None:
    shutil.rmtree(folder, ignore_errors=True)


def _no_backup(path: Path) -> InputError:
    return InputError(
        f"{path} can't be read as a whole backup of a store.",
        f"Give a file that {command('server backup')} wrote.",
    )


def refuse_existing(path: Path) -> None:
    """Refuse to write a backup over what is there.

    Raises:
        SettingsError: there is something.
    """
    if path.exists() or not path.absolute().parent.is_dir():
        raise SettingsError(
            f"no backup can be written at {path}: "
            f"{'something is there' if path.exists() else 'its folder is missing'}.",
            "Give a file that is not there yet, in a folder that exists.",
        )
