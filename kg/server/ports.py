"""Free ports on loopback, held for a server while it starts, and who has a port that is not free."""

import os
import socket
import stat
import tempfile
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import psutil
from filelock import FileLock, Timeout
from platformdirs import user_cache_path

from kg.errors import PortInUseError, ServerError

HOST = "127.0.0.1"
BOLT_PORT = 7687
HTTP_PORT = 7474
_TRIED = 200
_PROPOSED_MAJORS = (4, 5)


def browser_address(port: int) -> str:
    """The address of Neo4j Browser on a port."""
    return f"http://{HOST}:{port}/browser/"


def choose_port(purpose: str, asked: int | None, preferred: int, setting: str, avoid: int = 0) -> int:
    """The port that was asked for, or the first free one from `preferred` on, never `avoid`.

    For whoever listens at once; a server that takes seconds to listen needs `claimed_port`.

    Raises:
        PortInUseError: the port that was asked for is taken; names the process where that is permitted.
        ServerError: far and wide no port is free.
    """
    with claimed_port(purpose, asked, preferred, setting, avoid) as port:
        return port


@contextmanager
def claimed_port(
    purpose: str, asked: int | None, preferred: int, setting: str, avoid: int = 0
) -> Iterator[int]:
    """A port as `choose_port` finds it, that no other start of this user gets as long as this lasts.

    Raises:
        PortInUseError: the port that was asked for is taken, or another server is being started on it.
        ServerError: far and wide no port is free.
    """
    if asked is not None:
        claim = _claim(asked)
        try:
            _refuse_port_in_use(purpose, asked, setting, avoid, claimed=claim is not None)
            yield asked
        finally:
            if claim is not None:
                claim.release()
        return
    for port in range(preferred, min(preferred + _TRIED, 65536)):
        claim = _claim(port) if port != avoid and is_free(port) else None
        if claim is None:
            continue
        try:
            # Its last holder may have begun to listen just before we got the claim.
            if is_free(port):
                yield port
                return
        finally:
            claim.release()
    raise ServerError(
        f"no port from {preferred} to {preferred + _TRIED - 1} is free for {purpose}.",
        f"Name a free one with {setting}.",
    )


def _refuse_port_in_use(purpose: str, port: int, setting: str, avoid: int, claimed: bool) -> None:
    another = f"name another port with {setting}, or leave it out."
    if port == avoid:
        raise PortInUseError(f"port {port} can't serve both Bolt and Neo4j Browser.", f"Please {another}")
    try:
        taken = not _can_bind(port) or answers(port)
    except PermissionError as error:
        raise PortInUseError(
            f"this user may not listen on port {port}.", f"Take one above 1023: {another}"
        ) from error
    if taken:
        raise PortInUseError(
            f"port {port} for {purpose} is taken by {owner_of(port)}.", f"Stop that process, or {another}"
        )
    if not claimed:
        raise PortInUseError(
            f"port {port} for {purpose} is about to be taken by another server that we start.",
            f"Stop that server, or {another}",
        )


def _claim(port: int) -> FileLock | None:
    """A lock on a port against other starts of this user, held already; None if one of them holds it."""
    folder = _claims_folder()
    lock = FileLock(folder / f"{port}.lock", timeout=0)
    try:
        folder.mkdir(mode=0o700, parents=True, exist_ok=True)
        lock.acquire()
    except Timeout:
        return None
    except OSError:
        # Without such a file the port is not claimed: who loses it then, learns it from his server's log.
        pass
    return lock


def _claims_folder() -> Path:
    """Where claims lie: for all homes of this user the same folder, in which nobody else can hold one.

    Not in the home or the cache, which settings move: all servers of a machine share its ports.
    """
    own = os.getuid() if hasattr(os, "getuid") else None
    folder = Path(tempfile.gettempdir()) / f"hopgrade-ports-{'user' if own is None else own}"
    with suppress(OSError):
        folder.mkdir(mode=0o700, exist_ok=True)
        # Anybody can make a folder of that name, or a link, before this user does.
        found = folder.lstat()
        if stat.S_ISDIR(found.st_mode) and own in (None, found.st_uid) and not found.st_mode & 0o022:
            return folder
    return user_cache_path("hopgrade") / "ports"


def is_free(port: int) -> bool:
    """Whether a server of this user could listen on the port now."""
    try:
        # On some systems a bind to 127.0.0.1 succeeds beside a server on all addresses.
        return _can_bind(port) and not answers(port)
    except PermissionError:
        return False


def _can_bind(port: int) -> bool:
    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        # As Java does: a port whose last connections are only fading away is free.
        probe.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        try:
            probe.bind((HOST, port))
        except PermissionError:
            raise
        except OSError:
            return False
        return True


def answers(port: int, host: str = HOST, timeout_seconds: float = 0.2) -> bool:
    """Whether anything accepts a connection there."""
    try:
        with socket.create_connection((host, port), timeout_seconds):
            return True
    except OSError:
        return False


def owner_of(port: int) -> str:
    """The process that listens on a port, as "name (pid 123)" or, where not permitted, "another process"."""
    try:
        connections = psutil.net_connections(kind="tcp")
    except (psutil.AccessDenied, OSError):
        return "another process"
    for connection in connections:
        if connection.laddr and connection.laddr.port == port and connection.status == psutil.CONN_LISTEN:
            if connection.pid is None:
                return "a process of another user"
            try:
                return f"{psutil.Process(connection.pid).name()} (pid {connection.pid})"
            except psutil.Error:
                return f"pid {connection.pid}"
    return "another process"


def speaks_bolt(port: int, timeout_seconds: float = 1.0) -> bool:
    """Whether the other end answers Bolt's handshake (magic, four versions) with one of those proposed."""
    try:
        with socket.create_connection((HOST, port), timeout_seconds) as connection:
            connection.sendall(bytes.fromhex("6060b017 00080805 00000404 00000000 00000000"))
            answer = connection.recv(4)
    except OSError:
        return False
    return len(answer) == 4 and answer[:2] == b"\0\0" and answer[3] in _PROPOSED_MAJORS


def listens(pid: int, ports: Collection[int]) -> bool:
    """Whether it is this process that listens on all these ports, and on none of them a stranger.

    Where the system shows nobody who listens on a port, whoever answers there passes.
    """
    try:
        missing = set(ports) - _listened_on(pid)
    except psutil.NoSuchProcess:
        return False
    except (psutil.AccessDenied, OSError):
        return all(answers(port) for port in ports)
    if not missing:
        return True
    try:
        shown = _listened_on(None)
    except (psutil.AccessDenied, OSError):
        return False
    return not missing & shown and all(answers(port) for port in missing)


def _listened_on(pid: int | None) -> set[int]:
    """The ports on which a process listens, or anybody where it is None."""
    # One of our own may always be asked; what all others hold, some systems tell to root only.
    asked = psutil if pid is None else psutil.Process(pid)
    return {one.laddr.port for one in asked.net_connections(kind="tcp") if one.status == psutil.CONN_LISTEN}
