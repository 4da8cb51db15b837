"""Start one server process and wait until it answers."""

import os
import subprocess
import time
from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import psutil

from kg.errors import StoreUnavailableError
from kg.server.browser_archive import put_guide_into_browser
from kg.server.configuration import USERNAME, ensure_password, write_configuration
from kg.server.failure import DiagnosedStartError, database_failed, start_error
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
_KEPT_VARIABLES = ("PATH", "HOME", "TMPDIR", "TZ", "SYSTEMROOT", "TEMP")


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
        created=_created(process.pid),
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
                    raise _refused(home, error) from error
                pause = _REFUSED_POLL_SECONDS
        if now - started > timeout_seconds:
            raise start_error(
                home, f"the server (pid {server.pid}) was not ready after {timeout_seconds:.0f} s."
            )
        time.sleep(pause)


def _refused(home: ServerHome, error: StoreUnavailableError) -> DiagnosedStartError:
    failure = start_error(home, f"the server runs but can't be used: {error.message}")
    if failure.cause is None:
        failure.remedy = (
            f"If you changed the password of user {USERNAME}, write the new one to {home.password_file}. "
            f"Otherwise look into {home.debug_log}."
        )
    return failure


def _created(pid: int) -> float:
    try:
        return psutil.Process(pid).create_time()
    except psutil.NoSuchProcess:
        return time.time()


def _environment() -> dict[str, str]:
    # API keys have no place in a long-lived process, and JAVA_TOOL_OPTIONS or NEO4J_* would change it.
    kept = {name: os.environ[name] for name in _KEPT_VARIABLES if name in os.environ}
    # Java opens paths in the locale's encoding; under the plain C locale that is ASCII.
    return {**kept, "LC_ALL": "C.UTF-8"}
