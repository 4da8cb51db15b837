"""Which process serves a home: recorded in a file, recognised again later, stopped.

Facts about the managed server, found without starting anything.
"""

import json
import time
from collections.abc import Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path

import psutil

from kg.errors import ServerError, StoreError
from kg.files import PRIVATE, write_whole
from kg.queries import query
from kg.server.configuration import USERNAME, guide_url, read_password
from kg.server.layout import ServerHome, server_home
from kg.server.ports import HOST, browser_address, listens, speaks_bolt
from kg.settings import Settings
from kg.store.graph import Graph

STOP_SECONDS = 120
"""How long a server may take to write its pages out and end."""
POLL_SECONDS = 0.5
"""How often it is seen whether a server that was asked to stop has ended."""

_CLOCK_SECONDS = 1.0


@dataclass(frozen=True, slots=True)
class RunningServer:
    """A managed server's process and how to reach it. It may still be starting."""

    pid: int
    bolt_port: int
    http_port: int
    username: str
    password: str = field(repr=False)
    gds: bool
    home: Path
    version: str

    @property
    def uri(self) -> str:
        """The address for a driver."""
        return f"bolt://{HOST}:{self.bolt_port}"

    @property
    def browser_url(self) -> str:
        """The address of Neo4j Browser."""
        return browser_address(self.http_port)

    @property
    def guide_url(self) -> str:
        """The address of the guide that Browser plays."""
        return guide_url(self.browser_url)


@dataclass(frozen=True, slots=True)
class ServerState:
    """What run/server.json holds. `created` is the process' start in seconds since 1970.

    It stays after a stop, so that the next start prefers the same ports.
    """

    pid: int
    created: float
    bolt_port: int
    http_port: int
    gds: bool
    version: str


def read_state(home: ServerHome) -> ServerState | None:
    """The last known process and ports of a home, None where nothing usable is recorded."""
    try:
        return ServerState(**json.loads(home.state_file.read_text(encoding="utf-8")))
    except (OSError, ValueError, TypeError):
        return None


def write_state(home: ServerHome, state: ServerState) -> None:
    """Record a process and its ports."""
    write_whole(home.state_file, json.dumps(asdict(state)) + "\n", PRIVATE)


def living_state(home: ServerHome) -> ServerState | None:
    """What is recorded of a home's server if its process lives, else None."""
    state = read_state(home)
    return state if state is not None and is_ours(home, state.pid, state.created) else None


def describe(home: ServerHome, state: ServerState) -> RunningServer:
    """A recorded process with what a client needs.

    Raises:
        ServerError: the file with its password is gone.
    """
    return RunningServer(
        pid=state.pid,
        bolt_port=state.bolt_port,
        http_port=state.http_port,
        username=USERNAME,
        password=read_password(home),
        gds=state.gds,
        home=home.folder,
        version=state.version,
    )


def answers_clients(server: RunningServer) -> bool:
    """Whether a server can be talked to: it, and nobody else, listens on its ports, and speaks Bolt.

    Browser's port counts too: a server that does not get it ends when it could be used already.
    """
    return speaks_bolt(server.bolt_port) and listens(server.pid, (server.bolt_port, server.http_port))


def is_ours(home: ServerHome, pid: int, created: float) -> bool:
    """Whether a living process is the server of this home and not another one with a recycled pid."""
    try:
        process = psutil.Process(pid)
        if process.status() == psutil.STATUS_ZOMBIE:
            return False
        # The clock may have been set since, which shifts the start time that the system reports.
        same_start = abs(process.create_time() - created) < _CLOCK_SECONDS
        return same_start or _serves(process.cmdline(), home)
    except psutil.Error:
        return False


def unrecorded_process(home: ServerHome) -> psutil.Process | None:
    """A server of this home that its state file does not know, for example after the file was deleted."""
    for process in psutil.process_iter():
        try:
            if _serves(process.cmdline(), home) and process.status() != psutil.STATUS_ZOMBIE:
                return process
        except psutil.Error:
            continue
    return None


def end_process(pid: int, timeout_seconds: float = STOP_SECONDS) -> None:
    """Ask a server to stop and wait until it has.

    Raises:
        ServerError: it still runs when the time is up, or may not be stopped by this user.
    """
    try:
        process = psutil.Process(pid)
        process.terminate()
        _wait_for_end(process, timeout_seconds)
    except psutil.NoSuchProcess:
        return
    except psutil.TimeoutExpired as error:
        raise ServerError(
            f"the server (pid {pid}) did not stop in {timeout_seconds:.0f} s.",
            f"Wait and try again, or end it with `kill -9 {pid}`: committed data stays.",
        ) from error
    except psutil.AccessDenied as error:
        raise ServerError(
            f"the server (pid {pid}) may not be stopped by this user.", "Stop it as the user who started it."
        ) from error


def _wait_for_end(process: psutil.Process, timeout_seconds: float) -> None:
    """Wait until a process has ended; one that its parent has not waited for yet, as in a container whose
    first process waits for nobody, has ended too.

    Raises:
        psutil.TimeoutExpired, psutil.NoSuchProcess: as psutil has it.
    """
    until = time.monotonic() + timeout_seconds
    while True:
        try:
            process.wait(min(POLL_SECONDS, timeout_seconds))
        except psutil.TimeoutExpired:
            if process.status() == psutil.STATUS_ZOMBIE:
                return
            if time.monotonic() >= until:
                raise
        else:
            return


def _serves(command: Sequence[str], home: ServerHome) -> bool:
    return f"--home-dir={home.folder}" in command


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """A living server; sizes are in bytes, uptime in seconds.

    It is `ready` once it answers clients and its database can be written. `failure` and `remedy` say why not,
    where it answers and yet can't be used.
    """

    pid: int
    ready: bool
    failure: str
    remedy: str
    version: str
    uri: str
    browser_url: str
    guide_url: str
    bolt_port: int
    http_port: int
    gds: bool
    memory_bytes: int
    store_bytes: int
    uptime_seconds: float
    home: Path


def server_status(settings: Settings) -> ServerStatus | None:
    """The managed server's facts, None if none runs.

    Raises:
        ServerError: it runs but the file with its password is gone.
    """
    home = server_home(settings)
    state = living_state(home)
    if state is None:
        return None
    server = describe(home, state)
    try:
        process = psutil.Process(state.pid)
        memory_bytes, created = process.memory_info().rss, process.create_time()
    except psutil.Error:
        return None
    answers = answers_clients(server)
    failure = failure_of(server) if answers else None
    return ServerStatus(
        pid=server.pid,
        ready=answers and failure is None,
        failure=failure.message if failure else "",
        remedy=failure.remedy if failure else "",
        version=server.version,
        uri=server.uri,
        browser_url=server.browser_url,
        guide_url=server.guide_url,
        bolt_port=server.bolt_port,
        http_port=server.http_port,
        gds=server.gds,
        memory_bytes=memory_bytes,
        store_bytes=folder_bytes(home.data),
        uptime_seconds=time.time() - created,
        home=home.folder,
    )


def failure_of(server: RunningServer) -> StoreError | None:
    """Why a server that speaks Bolt can't be used: a database that gave up shows it to statements only."""
    try:
        with Graph.connect(server.uri, server.username, server.password, patience_seconds=0) as graph:
            graph.try_writing(query("store/try_writing"))
    except StoreError as error:
        return error
    return None


def folder_bytes(folder: Path) -> int:
    """The sizes of all files below a folder together, 0 where it doesn't exist."""
    total = 0
    for path in folder.rglob("*"):
        # A running server deletes files while we look.
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            continue
    return total
