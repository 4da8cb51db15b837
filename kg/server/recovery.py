"""A store whose last commits failed on a full disk is opened again, and what that costs is kept."""

import shutil
from dataclasses import replace
from errno import ENOSPC
from pathlib import Path

import psutil

from kg.errors import DiskFullError, command
from kg.server.launch import DiagnosedStartError, Launch, launch_on_free_ports
from kg.server.layout import ServerHome
from kg.server.process import RunningServer, end_process

_BLOCK_BYTES = 4096


def launch_with_recovery(
    home: ServerHome, plan: Launch, bolt_port: int | None, http_port: int | None
) -> RunningServer:
    """`launch_on_free_ports`, after a recovery where the database gave up in the session before.

    A commit that failed on a full disk leaves part of itself at the end of the log. What stands there may be
    read as the length of a value that needs more memory than the server has, or as of a version that is still
    to come, or not at all. Whatever else tore a log is not for us to decide.

    Raises:
        DiagnosedStartError: it ended, can't open its store, or did not answer in time.
        DiskFullError: there is no room to keep the logs while their end is cut off.
        ServerError: as of `launch_on_free_ports`.
    """
    try:
        server = launch_on_free_ports(home, plan, bolt_port, http_port)
    except DiagnosedStartError as error:
        if error.cause not in {"torn log", "newer store", "memory"} or not _gave_up(home):
            raise
        _recover(home, plan, torn=error.cause != "memory")
        server = launch_on_free_ports(home, plan, bolt_port, http_port)
    home.failure_note.write_bytes(b"0")
    return server


def _gave_up(home: ServerHome) -> bool:
    """Whether the database gave up in the session before."""
    return home.failure_note.is_file() and home.failure_note.read_bytes() == b"1"


def _recover(home: ServerHome, plan: Launch, *, torn: bool) -> None:
    """Have the store recovered with more memory, and the end of its logs cut off where that is not enough.

    Nobody was told that what stands there was done. The server is down afterwards.
    """
    # Without the ahead-of-time cache, which was made for the usual heap.
    roomy = replace(plan, heap=_recovery_heap(), java_options=())
    if not torn:
        try:
            end_process(launch_on_free_ports(home, roomy).pid)
        except DiagnosedStartError as error:
            if error.cause != "torn log":
                raise
        else:
            return
    _keep_logs(home)
    end_process(launch_on_free_ports(home, replace(roomy, cut_logs=True)).pid)
    _keep_what_was_cut(home)


def _recovery_heap() -> str:
    """The largest array that Java may be asked for, twice; at most three quarters of the memory."""
    return f"{min(4096, psutil.virtual_memory().total * 3 // 4 >> 20)}m"


def _keep_logs(home: ServerHome) -> None:
    """Copy all logs, without the zeros that Neo4j fills them up with.

    Raises:
        DiskFullError: there is no room for them.
    """
    shutil.rmtree(home.torn_logs, ignore_errors=True)
    try:
        for log in _files(home.transactions):
            _copy_sparsely(log, home.torn_logs / log.relative_to(home.transactions))
    except OSError as error:
        shutil.rmtree(home.torn_logs, ignore_errors=True)
        if error.errno != ENOSPC:
            raise
        raise DiskFullError(
            f"the disk of {home.folder} has no room for a copy of the transaction logs, whose torn end is to "
            "be cut off.",
            f"Free some space, then {command('server start')}.",
        ) from error


def _keep_what_was_cut(home: ServerHome) -> None:
    """Leave of the copies what the logs don't hold any more: the user has freed the room for other things."""
    for kept in _files(home.torn_logs):
        log = home.transactions / kept.relative_to(home.torn_logs)
        rest = kept.with_name(f"{kept.name}.cut")
        if log.exists() and not _copy_sparsely(kept, rest, log):
            rest.unlink()
            kept.unlink()
        elif log.exists():
            rest.replace(kept)


def _copy_sparsely(source: Path, target: Path, other: Path | None = None) -> int:
    """Copy the blocks that aren't all zeros, and differ from `other` at the same place; how many they are.

    The copy is as long as its source, with holes for the rest, which take no room.
    """
    target.parent.mkdir(parents=True, exist_ok=True)
    nothing, copied = bytes(_BLOCK_BYTES), 0
    with source.open("rb") as read, target.open("wb") as written, (other or source).open("rb") as beside:
        while block := read.read(_BLOCK_BYTES):
            same = other is not None and beside.read(_BLOCK_BYTES) == block
            if same or block == nothing[: len(block)]:
                written.seek(len(block), 1)
                continue
            written.write(block)
            copied += 1
        written.truncate()
    return copied


def _files(folder: Path) -> list[Path]:
    return [path for path in sorted(folder.rglob("*")) if path.is_file()]
