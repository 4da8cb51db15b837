"""Where everything of the managed server lies on disk.

The committed lists of files that the managed server is made of, with their checksums.
"""

import json
import mmap
import shutil
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from tempfile import TemporaryFile
from typing import IO, Literal

import psutil

from kg.errors import ServerError
from kg.settings import Settings, size_in_bytes
from kg.store.faults import StoreDisk

LockName = Literal["server", "gds"]


@dataclass(frozen=True, slots=True)
class LockedFile:
    """One jar: its Maven coordinates, size in bytes and SHA-256 in hexadecimal."""

    group: str
    artifact: str
    version: str
    classifier: str
    size: int
    sha256: str

    @property
    def name(self) -> str:
        """The file name that Maven repositories give it."""
        return "-".join(filter(None, (self.artifact, self.version, self.classifier))) + ".jar"


@dataclass(frozen=True, slots=True)
class Lock:
    """A product as a list of exact files, sorted by name."""

    product: str
    version: str
    files: tuple[LockedFile, ...]

    @property
    def size(self) -> int:
        """Bytes of all files together."""
        return sum(file.size for file in self.files)


@cache
def read_lock(name: LockName) -> Lock:
    """The lock of the server itself, or of the graph data science plugin."""
    return parse_lock((Path(__file__).parent / f"{name}.lock.json").read_text(encoding="utf-8"))


def parse_lock(text: str) -> Lock:
    """A lock from its JSON; coordinates are "group:artifact:version" with ":classifier" where there is one.

    Raises:
        ValueError: a file lacks a field, or its coordinates have too few or too many parts.
    """
    raw = json.loads(text)
    files = sorted((_parse_file(entry) for entry in raw["files"]), key=lambda file: file.name)
    return Lock(product=raw["product"], version=raw["version"], files=tuple(files))


def _parse_file(entry: dict[str, str | int]) -> LockedFile:
    parts = str(entry["coordinates"]).split(":")
    if len(parts) not in (3, 4):
        raise ValueError(f"{entry['coordinates']!r} is not group:artifact:version[:classifier].")
    group, artifact, version, *classifier = parts
    return LockedFile(
        group=group,
        artifact=artifact,
        version=version,
        classifier="".join(classifier),
        size=int(entry["size"]),
        sha256=str(entry["sha256"]),
    )


@dataclass(frozen=True, slots=True)
class ServerHome:
    """One server's own folder: its store, password, logs and state. Nobody else can read it."""

    folder: Path

    @property
    def data(self) -> Path:
        """The store with its transaction logs."""
        return self.folder / "data"

    @property
    def restoring(self) -> Path:
        """A backup that is being unpacked; worth nothing if it stays."""
        return self.folder / "restoring"

    @property
    def restore_folder(self) -> Path:
        """A backup that is unpacked and checked: it is to take the place of the store."""
        return self.folder / "restored"

    @property
    def deletion_folder(self) -> Path:
        """A store on its way out."""
        return self.folder / "deleted"

    @property
    def transactions(self) -> Path:
        """The transaction logs, a folder for each database."""
        return self.data / "transactions"

    @property
    def torn_logs(self) -> Path:
        """The last transaction logs whose end was cut off, as they were before."""
        return self.folder / "torn-logs"

    @property
    def system_store(self) -> Path:
        """Exists as soon as Neo4j has made its users, so that a password file comes too late."""
        return self.data / "databases" / "system"

    @property
    def auth_file(self) -> Path:
        """Neo4j reads the first password from here."""
        return self.data / "dbms" / "auth.ini"

    @property
    def password_file(self) -> Path:
        """The generated password as plain text, readable by its owner only."""
        return self.folder / "password"

    @property
    def configuration(self) -> Path:
        """The folder of neo4j.conf; written anew at each start."""
        return self.folder / "conf"

    @property
    def gds_plugins(self) -> Path:
        """A link to the graph data science jars while the server runs with them."""
        return self.folder / "gds"

    @property
    def state_file(self) -> Path:
        """Which process serves this folder, and on which ports."""
        return self.folder / "run" / "server.json"

    @property
    def lock_file(self) -> Path:
        """Held while the server is started, stopped or reset."""
        return self.folder / "run" / "server.lock"

    @property
    def failure_note(self) -> Path:
        """One byte: "1" once the database gave up, "0" from the next start that succeeds on."""
        return self.folder / "run" / "gave-up"

    @property
    def java_arguments(self) -> Path:
        """The class path, too long for a command line."""
        return self.folder / "run" / "java.arguments"

    @property
    def browser_archive(self) -> Path:
        """Neo4j Browser with our guide in it; Neo4j serves it in place of its own."""
        return self.folder / "web" / "neo4j-browser.zip"

    @property
    def browser_record(self) -> Path:
        """What the archive was made of, and its checksum."""
        return self.folder / "run" / "browser.json"

    @property
    def temporary(self) -> Path:
        """What the server unpacks while it runs, 45 MiB of Browser above all; emptied at each start."""
        return self.folder / "run" / "tmp"

    @property
    def logs(self) -> Path:
        """The log files since the last start; those of the start before lie in `previous`."""
        return self.folder / "logs"

    @property
    def console_log(self) -> Path:
        """What Java printed, and Neo4j's last words where it could not start."""
        return self.logs / "console.log"

    @property
    def neo4j_log(self) -> Path:
        """Neo4j's log for people."""
        return self.logs / "neo4j.log"

    @property
    def debug_log(self) -> Path:
        """Neo4j's detailed log, a JSON object a line."""
        return self.logs / "debug.log"

    def make_folders(self) -> None:
        """Make the folders that Neo4j expects, closed to other users.

        Raises:
            ServerError: the home can't be made or written.
        """
        try:
            self.folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            for name in ("data", "logs", "run", "import", "plugins", "conf", "web"):
                # A home that was there before may hold more than ours: only our folders are closed.
                (self.folder / name).mkdir(exist_ok=True)
                (self.folder / name).chmod(0o700)
        except OSError as error:
            raise ServerError(
                f"the server's folder {self.folder} can't be made: {error.strerror or error}.",
                "Set HOPGRADE_HOME to a folder that you may write to.",
            ) from error

    def require_mapped_files(self) -> None:
        """Refuse a home whose file system maps no file into memory, which Neo4j's indexes need.

        Raises:
            ServerError: it doesn't, or no file can be written.
        """
        try:
            with TemporaryFile(dir=self.folder / "run") as probe:
                probe.write(bytes(mmap.PAGESIZE))
                probe.flush()
                mapped = can_be_mapped(probe)
        except OSError as error:
            raise ServerError(
                f"the server's folder {self.folder} can't be written: {error.strerror or error}.",
                "Set HOPGRADE_HOME to a folder that you may write to.",
            ) from error
        if not mapped:
            kind = file_system(self.folder)
            raise ServerError(
                f"{self.folder} lies on a file system that maps no files into memory"
                f"{f' ({kind})' if kind else ''}: Neo4j's indexes need that.",
                "Set HOPGRADE_HOME to a folder on a disk of this machine, "
                "or NEO4J_URI to a Neo4j of your own.",
            )

    def empty_temporary(self) -> None:
        """Remove what a server that was killed left unpacked; no server of this home may run."""
        shutil.rmtree(self.temporary, ignore_errors=True)
        self.temporary.mkdir(exist_ok=True)

    def put_logs_aside(self) -> None:
        """Keep the last start's logs in `previous`, so that what lies in `logs` is of this start."""
        previous = self.logs / "previous"
        shutil.rmtree(previous, ignore_errors=True)
        previous.mkdir()
        for log in self.logs.glob("*.log*"):
            log.replace(previous / log.name)


@dataclass(frozen=True, slots=True)
class ServerCache:
    """Fetched files, shared by all homes of a user; safe to delete."""

    folder: Path

    def jars(self, name: LockName) -> Path:
        """The folder of one product's jars."""
        lock = read_lock(name)
        return self.folder / f"{name}-{lock.version}"

    @property
    def staging(self) -> Path:
        """Downloads before they are checked."""
        return self.folder / "fetching"

    @property
    def fetch_lock(self) -> Path:
        """Held while files are fetched."""
        return self.folder / "fetch.lock"

    @property
    def aot(self) -> Path:
        """Java's ahead-of-time caches."""
        return self.folder / "aot"


def server_home(settings: Settings) -> ServerHome:
    """The home that the settings name, as an absolute path."""
    return ServerHome(settings.hopgrade_home.expanduser().absolute())


_SHARED_BY_MACHINES = frozenset({"nfs", "nfs4", "afs", "ceph", "lustre", "gpfs", "beegfs", "glusterfs"})
_FETCHED = frozenset({"cifs", "smb2", "smb3", "smbfs", "sshfs", "davfs", "s3fs", "gcsfuse"})
NETWORK_FILE_SYSTEMS = _SHARED_BY_MACHINES | _FETCHED


def can_be_mapped(file: IO[bytes]) -> bool:
    """Whether its file system lets an open file, which must not be empty, be mapped into memory."""
    try:
        mmap.mmap(file.fileno(), 1, access=mmap.ACCESS_READ).close()
    except OSError:
        return False
    return True


def file_system(folder: Path) -> str:
    """The kind of file system that a folder lies on, such as ext4 or nfs4; empty where nobody knows."""
    place = folder.absolute()
    mounts = [one for one in psutil.disk_partitions(all=True) if place.is_relative_to(one.mountpoint)]
    return max(mounts, key=lambda one: len(one.mountpoint)).fstype if mounts else ""


def is_network(kind: str) -> bool:
    """Whether a kind of file system is reached over a network."""
    return kind.removeprefix("fuse.") in NETWORK_FILE_SYSTEMS


def store_disk(settings: Settings) -> StoreDisk:
    """The disk of the managed server's store, and what is to stay free on it."""
    home = server_home(settings)
    return StoreDisk(home.folder, size_in_bytes(settings.hopgrade_least_free_disk), home.failure_note)


def server_cache(settings: Settings) -> ServerCache:
    """The cache that the settings name, as an absolute path."""
    return ServerCache(settings.hopgrade_cache.expanduser().absolute())
