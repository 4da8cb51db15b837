"""Starts that fail, with the causes that the log shows."""

import fcntl
from pathlib import Path

import psutil
import pytest

from kg.errors import StartError
from kg.progress import Silent
from kg.server import ensure_running, stop
from kg.server.failure import CauseName, find_cause, start_error
from kg.server.layout import ServerHome
from tests.kg.server.conftest import settings_for

LOGGED: list[tuple[CauseName, str]] = [
    ("memory", "# There is insufficient memory for the Java Runtime Environment to continue."),
    ("memory", "Error: Could not reserve enough space for 8388608KB object heap"),
    ("memory", "Terminating due to java.lang.OutOfMemoryError: Java heap space"),
    ("memory", "ERROR Invalid memory configuration - exceeds physical memory. Check the configured values"),
    ("store locked", "org.neo4j.io.locker.FileLockException: Lock file has been locked by another process"),
    ("port", "PortBindException: An error occurred while trying to bind to the socket /127.0.0.1:7687"),
    ("port", "java.io.IOException: Failed to bind to /127.0.0.1:7474: java.net.BindException"),
    ("port", "Starting Neo4j failed: Address 127.0.0.1:7474 is already in use, cannot bind to it."),
    ("disk", "java.io.IOException: No space left on device"),
    ("newer store", "' is of a newer version than the current binaries. Downgrade is not supported."),
    ("newer store", "Unknown store version 'record-aligned-9.9'"),
    ("java", "Error: LinkageError: java.lang.UnsupportedClassVersionError: org/neo4j/server/Neo4jCommunity"),
    ("java", "Unrecognized VM option 'UseMagic'"),
    ("permission", "java.nio.file.AccessDeniedException: /srv/home/data/server_id"),
]


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
@pytest.mark.parametrize(
    "sizes",
    [{"hopgrade_server_heap": "900g"}, {"hopgrade_server_page_cache": "900g"}],
    ids=["heap", "page cache"],
)
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
