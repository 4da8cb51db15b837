"""A comparison begins again from its archive: the same protocol, and the same frozen pools."""

from pathlib import Path
from shlex import quote

from kg.errors import InputError
from services.standard.archive import read_archive
from services.standard.folder import POOL_FILE, PROTOCOL_FILE, refuse_taken, writing
from services.standard.frozen_pools import drawn_by
from services.standard.pool import pool_hash, write_pool
from services.standard.protocol import Protocol
from services.standard.template import protocol_text

REPEAT = "kg standard repeat ARCHIVE FOLDER"


def repeat_standard(archive: Path, folder: Path) -> Protocol:
    """Write what an archive was made by into a folder, to be checked and run where its corpus is.

    Raises:
        InputError: it is no archive, or its pools are not those of its protocol.
        SettingsError: the folder holds a comparison already, or can't be written.
    """
    comparison = read_archive(archive)
    protocol = comparison.protocol
    drawn, pools = drawn_by(protocol.pool), list(comparison.pool)
    if pool_hash(drawn, pools) != protocol.pool.hash:
        raise InputError(
            f"the pools in {archive.name} are not those of its protocol.",
            f"See what was changed: kg standard verify {quote(str(archive))}",
        )
    refuse_taken(folder, REPEAT)
    with writing(folder, REPEAT):
        folder.mkdir(parents=True, exist_ok=True)
        write_pool(folder / POOL_FILE, drawn, pools)
        # The protocol comes last: a folder without one was cut off, and can be filled again.
        (folder / PROTOCOL_FILE).write_text(protocol_text(protocol), encoding="utf-8")
    return protocol
