import json
import os
import signal
import subprocess
import sys
import urllib.request
from pathlib import Path

import psutil
import pytest

from benchmarks.campaign.disks import two_clients
from kg.errors import PortInUseError, ServerError, UserError
from kg.progress import Silent
from kg.queries import parse_query
from kg.server import RunningServer, ensure_running, reset, stop
from kg.server.configuration import is_served
from kg.server.layout import can_be_mapped, file_system, is_network, server_home
from kg.server.process import server_status
from kg.settings import Settings
from kg.store.graph import Graph, Row
from tests.kg.server.conftest import ROOT, runs, settings_for

WRITE_ON = """
import itertools, sys
from kg.store.graph import Graph
from tests.kg.server.test_startup import WRITE
with Graph.connect(sys.argv[1], "neo4j", sys.argv[2]) as graph:
    for batch in itertools.count():
        graph.rows(WRITE, batch=batch)
        print(batch, flush=True)
"""
WRITE = parse_query(
    "write",
    """// Write one batch of ten nodes.
// params: batch: INTEGER
// returns: none
// mode: write
UNWIND range(1, 10) AS i CREATE (:Kept {batch: $batch, i: i})""",
)
COUNT = parse_query(
    "count",
    """// How many nodes each batch has.
// params: none
// returns: batch: INTEGER, nodes: INTEGER
// mode: read
MATCH (n:Kept) RETURN n.batch AS batch, count(*) AS nodes""",
)


def connect(server: RunningServer) -> Graph:
    return Graph.connect(server.uri, server.username, server.password)


def rows_of(server: RunningServer) -> list[Row]:
    with connect(server) as graph:
        return graph.rows(COUNT)


UNMAPPED = Path("/sys/kernel/uevent_seqnum")
"""A file of a system that maps none into memory, which every Linux has."""


@pytest.mark.skipif(not UNMAPPED.exists(), reason="no file here that can't be mapped")
def test_a_file_that_cannot_be_mapped_is_known(tmp_path: Path) -> None:
    ordinary = tmp_path / "file"
    ordinary.write_bytes(b"a")
    with ordinary.open("rb") as mapped, UNMAPPED.open("rb") as unmapped:
        assert can_be_mapped(mapped)
        assert not can_be_mapped(unmapped)


def test_what_lies_on_a_network_is_known() -> None:
    kinds = ("nfs4", "cifs", "fuse.sshfs", "fuse.glusterfs", "ext4", "tmpfs", "fuse.overlayfs", "")
    assert [is_network(kind) for kind in kinds] == [True] * 4 + [False] * 4
    assert not is_network(file_system(Path("/proc/self")))


@pytest.mark.campaign
def test_a_home_on_a_network_file_system_is_refused_with_the_remedy(tmp_path: Path) -> None:
    with two_clients(tmp_path / "network") as clients:
        if clients is None:
            pytest.skip("no GlusterFS volume can be mounted here")
        with pytest.raises(ServerError, match=r"maps no files into memory \(fuse\.glusterfs\)") as caught:
            ensure_running(settings_for(clients[0] / "home"), Silent())
    assert "HOPGRADE_HOME" in caught.value.remedy
    assert "NEO4J_URI" in caught.value.remedy


def test_a_running_server_is_found_and_not_started_again(settings: Settings, running: RunningServer) -> None:
    assert ensure_running(settings, Silent()) == running
    assert rows_of(running) == []


def test_the_password_is_not_shown(running: RunningServer) -> None:
    assert running.password not in repr(running)


def test_only_loopback_is_listened_on(running: RunningServer) -> None:
    sockets = psutil.Process(running.pid).net_connections(kind="inet")
    listening = {one.laddr for one in sockets if one.status == psutil.CONN_LISTEN}
    assert {address.port for address in listening} == {running.bolt_port, running.http_port}
    assert {address.ip.removeprefix("::ffff:") for address in listening} == {"127.0.0.1"}
    assert not [one for one in sockets if one.status == psutil.CONN_NONE], "no UDP"


def test_the_browser_and_the_version_are_served(running: RunningServer) -> None:
    assert is_served(running.browser_url)
    with urllib.request.urlopen(running.browser_url) as answer:
        assert b"<title>Neo4j Browser" in answer.read()
    with urllib.request.urlopen(f"http://127.0.0.1:{running.http_port}/") as answer:
        facts = json.load(answer)
    assert (facts["neo4j_version"], facts["neo4j_edition"]) == ("2026.08.1", "community")
    assert running.version == "2026.08.1"


def test_the_server_outlives_a_ctrl_c_and_knows_no_secrets(running: RunningServer) -> None:
    assert os.getsid(running.pid) != os.getsid(0)
    assert set(psutil.Process(running.pid).environ()) <= {"PATH", "HOME", "TMPDIR", "TZ", "LC_ALL"}
    assert running.password not in " ".join(psutil.Process(running.pid).cmdline())


def test_status_tells_what_runs(settings: Settings, running: RunningServer) -> None:
    status = server_status(settings)
    assert status is not None
    assert (status.pid, status.bolt_port, status.http_port) == (
        running.pid,
        running.bolt_port,
        running.http_port,
    )
    assert status.ready
    assert not status.gds
    assert status.memory_bytes > 100 << 20
    assert status.store_bytes > 0


@pytest.mark.usefixtures("running")
@pytest.mark.parametrize(
    ("setting", "said"), [("hopgrade_bolt_port", "Bolt port"), ("hopgrade_http_port", "Browser")]
)
def test_other_ports_than_those_of_the_running_server(settings: Settings, setting: str, said: str) -> None:
    with pytest.raises(UserError, match=rf"{said}.*28999.*kg server stop"):
        ensure_running(settings.model_copy(update={setting: 28999}), Silent())


@pytest.mark.usefixtures("running")
def test_a_running_server_without_the_plugin_is_not_taken_for_one_with_it(settings: Settings) -> None:
    with pytest.raises(UserError, match="graph data science"):
        ensure_running(settings, Silent(), gds=True)


def test_a_taken_port_is_refused_when_asked_for(own_settings: Settings, running: RunningServer) -> None:
    with pytest.raises(
        PortInUseError, match=rf"{running.bolt_port} for Bolt is taken by java \(pid {running.pid}"
    ):
        ensure_running(own_settings, Silent(), bolt_port=running.bolt_port)
    assert server_status(own_settings) is None


def test_with_a_server_of_the_users_own_none_is_started(own_settings: Settings) -> None:
    with pytest.raises(UserError, match="NEO4J_URI"):
        ensure_running(own_settings.model_copy(update={"neo4j_uri": "bolt://db:7687"}), Silent())
    assert not own_settings.hopgrade_home.exists()


def test_stop_and_status_where_nothing_ever_ran(own_settings: Settings) -> None:
    assert stop(own_settings) is False
    assert server_status(own_settings) is None
    reset(own_settings)
    assert not own_settings.hopgrade_home.exists()


@pytest.mark.campaign
def test_a_life_with_crash_lost_state_stop_and_reset(another: Settings) -> None:
    """One home through everything, because each start takes seconds."""
    home = server_home(another)
    first = ensure_running(another, Silent())
    assert is_served(first.guide_url)
    unpacked = set(home.temporary.glob("decompressed-browser*"))
    assert len(unpacked) == 1
    acknowledged = write_until_killed(first)
    assert acknowledged
    assert server_status(another) is None

    second = ensure_running(another, Silent())
    assert (second.bolt_port, second.password) == (first.bolt_port, first.password)
    batches = {row["batch"]: row["nodes"] for row in rows_of(second)}
    assert acknowledged <= batches.keys(), "a committed transaction is lost"
    assert set(batches.values()) == {10}, "a transaction is half there"
    assert is_served(second.guide_url)
    assert not unpacked & set(home.temporary.glob("decompressed-browser*")), "45 MiB stay for ever"

    home.state_file.unlink()
    third = ensure_running(another, Silent())
    assert not runs(second), "the store can have one server only"
    assert len(rows_of(third)) == len(batches)

    assert stop(another) is True
    assert not runs(third)
    assert stop(another) is False
    reset(another)
    assert not home.data.exists()
    assert not home.password_file.exists()


def write_until_killed(server: RunningServer) -> set[int]:
    """The batches whose commit was acknowledged before the server was killed in the midst of writing."""
    command = [sys.executable, "-W", "ignore", "-c", WRITE_ON, server.uri, server.password]
    with subprocess.Popen(
        command, cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True
    ) as writer:
        assert writer.stdout is not None
        acknowledged = {int(next(writer.stdout)) for _ in range(100)}
        os.kill(server.pid, signal.SIGKILL)
        psutil.Process(server.pid).wait(600)
        # The driver would try again for half a minute.
        writer.kill()
        return acknowledged | {int(line) for line in writer.stdout if line.endswith("\n")}


def test_a_relative_home_is_made_absolute(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    assert server_home(settings_for(Path("here"))).folder == tmp_path / "here"
