"""The committed lists of files that the managed server is made of, with their checksums."""

import json
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from typing import Literal

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
