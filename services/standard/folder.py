"""The files in the folder of a judged comparison."""

from pathlib import Path

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
