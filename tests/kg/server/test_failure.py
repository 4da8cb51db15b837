"""Starts that fail, with the causes that the log shows."""

import fcntl
from pathlib import Path

import psutil
import pytest

from kg.errors import StartError
from kg.progress import Silent
from kg.server import ensure_running, stop
from kg.server.launch import CauseName, find_cause, start_error
from kg.server.layout import ServerHome
from tests.examples import examples, read_examples
from tests.kg.server.conftest import settings_for

LOGGED: list[tuple[CauseName, str]] = list(read_examples("kg/server/failure")["logged"])


@pytest.mark.parametrize(("cause", "line"), LOGGED)
def test_a_known_line_tells_the_cause(cause: CauseName, line: str) -> None:
    found = find_cause(f"Starting...\n{line}\nStopped.", 1)
    assert found is not None
    assert found.name == cause
    assert found.remedy.startswith("Likely cause: ")


def test_a_kill_without_a_word_is_the_system_out_of_memory() -> None:
    killed = find_cause("", -9)
    assert killed is not None
    assert killed.name == "killed"
    assert find_cause("", 1) is None


def test_the_tail_leaves_out_stack_frames(tmp_path: Path) -> None:
    home = ServerHome(tmp_path / "home")
    home.make_folders()
    home.neo4j_log.write_text("ERROR it broke\n\tat org.Some.method(Some.java:1)\n\t... 6 more\nStopped.\n")
    error = start_error(home, "it broke.")
    assert error.log_tail.splitlines() == ["ERROR it broke", "Stopped."]
    assert "kg server logs" in error.remedy


@pytest.mark.campaign
@examples("sizes")
def test_too_much_memory_is_refused_with_log_and_remedy(tmp_path: Path, sizes: dict[str, str]) -> None:
    with pytest.raises(StartError) as caught:
        ensure_running(settings_for(tmp_path / "home", **sizes), Silent())
    assert "HOPGRADE_SERVER_HEAP" in caught.value.remedy
    assert "memory" in caught.value.log_tail
    assert_no_server_of(tmp_path)


@pytest.mark.campaign
def test_a_store_that_another_process_has_open(copied_home: Path) -> None:
    chosen = settings_for(copied_home)
    with (copied_home / "data" / "databases" / "store_lock").open("r+b") as lock:
        fcntl.lockf(lock, fcntl.LOCK_EX)
        with pytest.raises(StartError, match="another process has this store open") as caught:
            ensure_running(chosen, Silent())
    assert "Lock file has been locked" in caught.value.log_tail
    ensure_running(chosen, Silent())
    assert stop(chosen)


@pytest.mark.campaign
def test_a_store_that_a_newer_version_wrote(copied_home: Path) -> None:
    log = copied_home / "data" / "transactions" / "system" / "neostore.transaction.db.0"
    # The first byte is the version of the log's format.
    log.write_bytes(b"\x63" + log.read_bytes()[1:])
    with pytest.raises(StartError, match="a newer Neo4j wrote this store"):
        ensure_running(settings_for(copied_home), Silent())
    assert_no_server_of(copied_home)


def assert_no_server_of(folder: Path) -> None:
    commands = [process.info["cmdline"] or [] for process in psutil.process_iter(["cmdline"])]
    assert not [command for command in commands if any(f"--home-dir={folder}" in part for part in command)]
