import os
import socket
import tempfile
import threading
from collections.abc import Callable, Iterator
from pathlib import Path

import psutil
import pytest
from filelock import FileLock

from kg.errors import PortInUseError
from kg.server.ports import choose_port, claimed_port, is_free, listens, speaks_bolt


@pytest.fixture
def listener() -> Iterator[socket.socket]:
    with socket.create_server(("127.0.0.1", 0)) as server:
        yield server


def port_of(listener: socket.socket) -> int:
    port: int = listener.getsockname()[1]
    return port


def test_a_taken_port_is_passed_over(listener: socket.socket) -> None:
    taken = port_of(listener)
    chosen = choose_port("Bolt", None, taken, "--bolt-port")
    assert chosen > taken
    assert is_free(chosen)


def test_a_port_to_avoid_is_passed_over() -> None:
    first = choose_port("Bolt", None, 28000, "--bolt-port")
    assert choose_port("Browser", None, first, "--http-port", avoid=first) != first


def test_a_taken_port_that_was_asked_for_is_refused_with_its_owner(listener: socket.socket) -> None:
    port = port_of(listener)
    owner = rf"{psutil.Process().name()} \(pid {os.getpid()}\)"
    with pytest.raises(PortInUseError, match=rf"port {port} for Bolt is taken by {owner}.*--bolt-port"):
        choose_port("Bolt", port, 7687, "--bolt-port")


def test_one_port_can_not_serve_two_purposes() -> None:
    with pytest.raises(PortInUseError, match="both"):
        choose_port("Browser", 28123, 7474, "--http-port", avoid=28123)


def test_a_port_is_one_start_at_a_time() -> None:
    with claimed_port("Bolt", None, 28_200, "--bolt-port") as one:
        with claimed_port("Bolt", None, one, "--bolt-port") as other:
            assert other != one
        assert choose_port("Bolt", None, one, "--bolt-port") != one
        with pytest.raises(PortInUseError, match=rf"port {one} .*about to be taken.*--bolt-port"):
            choose_port("Bolt", one, 7687, "--bolt-port")
    assert choose_port("Bolt", one, 7687, "--bolt-port") == one


def test_a_port_that_was_asked_for_is_kept_from_other_starts() -> None:
    port = choose_port("Bolt", None, 28_300, "--bolt-port")
    with claimed_port("Bolt", port, 7687, "--bolt-port"):
        assert choose_port("Bolt", None, port, "--bolt-port") != port


def test_who_listens_is_known(listener: socket.socket) -> None:
    port = port_of(listener)
    assert listens(os.getpid(), [port])
    assert not listens(os.getppid(), [port])
    with socket.create_server(("127.0.0.1", 0)) as closed:
        other = port_of(closed)
    assert not listens(os.getpid(), [port, other])
    assert not listens(2**22 + 1, [port]), "no such process"


def test_a_port_on_all_addresses_counts_as_taken() -> None:
    with socket.create_server(("0.0.0.0", 0)) as server:
        assert not is_free(port_of(server))


@pytest.mark.parametrize("answer", [b"HTTP", b"\0\0\0\0", b"", b"\0\0"], ids=repr)
def test_another_kind_of_server_does_not_pass_for_neo4j(listener: socket.socket, answer: bytes) -> None:
    def serve() -> None:
        connection, _ = listener.accept()
        with connection:
            connection.recv(64)
            connection.sendall(answer)

    thread = threading.Thread(target=serve)
    thread.start()
    assert not speaks_bolt(port_of(listener))
    thread.join()


def foreign(folder: Path) -> None:
    folder.mkdir(mode=0o777)
    os.chown(folder, 12_345, 12_345)


def linked(folder: Path) -> None:
    (folder.parent / "elsewhere").mkdir()
    folder.symlink_to(folder.parent / "elsewhere")


@pytest.mark.skipif(not hasattr(os, "getuid"), reason="files have no owner here")
@pytest.mark.parametrize("squat", [foreign, linked])
def test_another_user_holds_no_ports_of_this_one(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, squat: Callable[[Path], None]
) -> None:
    monkeypatch.setattr(tempfile, "tempdir", str(tmp_path))
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    monkeypatch.setenv("HOME", str(tmp_path / "home"))
    folder = tmp_path / f"hopgrade-ports-{os.getuid()}"
    try:
        squat(folder)
    except PermissionError:
        pytest.skip("only root makes folders of others")
    port = choose_port("Bolt", None, 28_400, "--bolt-port")
    with FileLock(folder / f"{port}.lock"):
        assert choose_port("Bolt", port, 7687, "--bolt-port") == port
        with claimed_port("Bolt", port, 7687, "--bolt-port"):
            assert choose_port("Bolt", None, port, "--bolt-port") != port
