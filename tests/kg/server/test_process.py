import os
import subprocess
import sys
import time
from pathlib import Path

import psutil
import pytest

from kg.errors import ServerError
from kg.server.layout import ServerHome
from kg.server.process import ServerState, end_process, is_ours, living_state, read_state, write_state

SLEEP = "import time; print('up', flush=True); time.sleep(60)"


@pytest.fixture
def home(tmp_path: Path) -> ServerHome:
    made = ServerHome(tmp_path / "home")
    made.make_folders()
    return made


def state_of(pid: int, created: float) -> ServerState:
    return ServerState(pid, created, bolt_port=7687, http_port=7474, gds=False, version="1")


def test_a_living_process_is_recognised_and_its_state_read_back(home: ServerHome) -> None:
    state = state_of(os.getpid(), psutil.Process().create_time())
    write_state(home, state)
    assert living_state(home) == state


def test_a_recycled_pid_is_not_taken_for_ours(home: ServerHome) -> None:
    write_state(home, state_of(os.getpid(), psutil.Process().create_time() - 3600))
    assert living_state(home) is None
    assert read_state(home) is not None


def test_a_server_is_recognised_after_the_clock_was_set(home: ServerHome) -> None:
    command = [sys.executable, "-c", SLEEP, f"--home-dir={home.folder}"]
    with subprocess.Popen(command, stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        assert is_ours(home, process.pid, time.time() - 3600)
        assert not is_ours(ServerHome(home.folder / "other"), process.pid, time.time() - 3600)
        end_process(process.pid)
    assert not is_ours(home, process.pid, time.time() - 3600)


def test_a_dead_process_that_nobody_waited_for_is_not_running(home: ServerHome) -> None:
    with subprocess.Popen([sys.executable, "-c", ""]) as process:
        while psutil.Process(process.pid).status() != psutil.STATUS_ZOMBIE:
            time.sleep(0.01)
        assert not is_ours(home, process.pid, psutil.Process(process.pid).create_time())


def test_a_process_whose_parent_waits_for_nobody_ends_all_the_same() -> None:
    """As in a container whose first process collects no children: there what has ended stays a zombie."""
    command = f"{sys.executable} -c 'import time; time.sleep(600)' >&- & echo $!; exec sleep 600"
    with subprocess.Popen(["sh", "-c", command], stdout=subprocess.PIPE, text=True) as parent:
        assert parent.stdout is not None
        child = psutil.Process(int(parent.stdout.readline()))
        while psutil.Process(parent.pid).name() != "sleep":
            time.sleep(0.01)
        end_process(child.pid)
        assert child.status() == psutil.STATUS_ZOMBIE
        parent.kill()


@pytest.mark.parametrize("text", ["", "{", "[]", '{"pid": 1}', "null", "\0"])
def test_a_broken_state_file_counts_as_none(home: ServerHome, text: str) -> None:
    home.state_file.write_text(text)
    assert read_state(home) is None


def test_a_process_that_ignores_the_request_is_not_killed(tmp_path: Path) -> None:
    code = f"import signal; signal.signal(signal.SIGTERM, signal.SIG_IGN); {SLEEP}"
    with subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE) as process:
        assert process.stdout is not None
        process.stdout.readline()
        with pytest.raises(ServerError, match=f"kill -9 {process.pid}"):
            end_process(process.pid, timeout_seconds=0.3)
        assert psutil.pid_exists(process.pid)
        process.kill()
