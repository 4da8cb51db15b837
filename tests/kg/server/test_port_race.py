"""Servers that are started at one moment, and strangers that are quicker to a port than Neo4j."""

import socket
import socketserver
import threading
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from pathlib import Path

import pytest

from kg.errors import PortInUseError
from kg.progress import Silent
from kg.server import RunningServer, ensure_running
from kg.server.layout import ServerHome
from kg.server.ports import HOST, choose_port, speaks_bolt
from kg.server.process import ServerState, answers_clients, read_state, server_status, write_state
from kg.store.graph import Graph
from tests.kg.server.conftest import StartedAtOnce, settings_for


class SpeaksBolt(socketserver.BaseRequestHandler):
    """The first words of any Neo4j, and no more."""

    def handle(self) -> None:
        with suppress(OSError):
            self.request.recv(20)
            self.request.sendall(b"\0\0\x04\x04")
            self.request.recv(1)


class Stranger(socketserver.ThreadingTCPServer):
    """A server of somebody else."""

    allow_reuse_address = True
    daemon_threads = True


@contextmanager
def stranger_on(port: int) -> Iterator[None]:
    with Stranger((HOST, port), SpeaksBolt) as server:
        serving = threading.Thread(target=server.serve_forever, args=(0.01,))
        serving.start()
        try:
            yield
        finally:
            server.shutdown()
            serving.join()


@contextmanager
def stranger_as_soon_as_java_runs(home: Path, purpose: str) -> Iterator[list[int]]:
    """Takes a port that was chosen for a home's server before Neo4j, which needs seconds, asks for it."""
    before, ended, taken = read_state(ServerHome(home)), threading.Event(), list[int]()

    def take() -> None:
        while (state := read_state(ServerHome(home))) == before or state is None:
            if ended.wait(0.01):
                return
        port = state.bolt_port if purpose == "Bolt" else state.http_port
        with stranger_on(port):
            taken.append(port)
            ended.wait()

    taking = threading.Thread(target=take)
    taking.start()
    try:
        yield taken
    finally:
        ended.set()
        taking.join()


@pytest.mark.campaign
def test_servers_that_start_at_once_get_ports_of_their_own(
    started_at_once: list[StartedAtOnce], running: RunningServer
) -> None:
    servers = [one.found[0] for one in started_at_once]
    assert len({server["pid"] for server in servers}) == 2
    ports = [port for server in servers for port in server["ports"]]  # type: ignore[attr-defined]
    assert len({*ports, running.bolt_port, running.http_port}) == 6


@pytest.mark.campaign
def test_of_two_processes_one_starts_the_server_and_the_other_finds_it(
    started_at_once: list[StartedAtOnce],
) -> None:
    one, other = started_at_once[0].found
    assert one == other


@pytest.mark.campaign
def test_a_start_that_lost_its_port_goes_on_with_the_next(copied_home: Path) -> None:
    with stranger_as_soon_as_java_runs(copied_home, "Bolt") as taken:
        server = ensure_running(settings_for(copied_home), Silent())
        assert taken and server.bolt_port not in taken
        assert speaks_bolt(taken[0]), "it did not stay away"
        Graph.connect(server.uri, server.username, server.password).close()


@pytest.mark.campaign
def test_a_port_that_was_asked_for_and_lost_is_told(copied_home: Path) -> None:
    """Neo4j opens Bolt before Browser's port: it answers for a moment, and then it ends."""
    port = choose_port("Browser", None, 28_900, "")
    with (
        stranger_as_soon_as_java_runs(copied_home, "Browser") as taken,
        pytest.raises(PortInUseError, match=rf"port {port} for Neo4j Browser is taken by .*--http-port"),
    ):
        ensure_running(settings_for(copied_home), Silent(), http_port=port)
    assert taken == [port]
    assert server_status(settings_for(copied_home)) is None


def test_a_stranger_on_its_port_is_not_taken_for_the_server(running: RunningServer) -> None:
    home = ServerHome(running.home)
    own = read_state(home)
    assert own is not None
    assert answers_clients(running)
    with socket.create_server((HOST, 0)) as free:
        port = free.getsockname()[1]
    with stranger_on(port):
        assert speaks_bolt(port)
        try:
            write_state(home, ServerState(own.pid, own.created, port, own.http_port, own.gds, own.version))
            status = server_status(settings_for(running.home))
        finally:
            write_state(home, own)
    assert status is not None
    assert status.pid == running.pid
    assert not status.ready
