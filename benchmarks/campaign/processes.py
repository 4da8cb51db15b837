"""Faults of processes: killed, stopped, asleep, in one another's way; and the server's, under them."""

import json
import os
import pty
import select
import signal
import socket
import subprocess
import sys
import threading
from collections.abc import Sequence
from contextlib import ExitStack, suppress
from pathlib import Path
from tempfile import TemporaryDirectory
from time import sleep

from benchmarks.campaign.chain import (
    CHAIN,
    CORPUS,
    Bench,
    Ended,
    Place,
    Process,
    Row,
    chain_well,
    sentence,
    until_well,
    well,
    words_of,
)
from benchmarks.job import begin_in_terminal, environment_of
from kg.connect import open_graph
from kg.progress import Silent
from kg.server import ensure_running
from kg.store.leases import LEASE_SECONDS
from tests.graph_reading import change, value


def kill_command(place: Place, process: Process) -> None:
    """SIGKILL to a command with all its workers."""
    del place
    os.killpg(process.pid, signal.SIGKILL)


def kill_server(place: Place, process: Process) -> None:
    """SIGKILL to the server under a command."""
    del process
    if (server := place.server()) is not None:
        server.kill()


def port_taken(bench: Bench) -> Row:
    """Another program takes the ports of a server that was stopped."""
    place, whole = bench.place, bench.whole
    row = Row("the server's ports are taken", place.name, struck=1)
    place.clear()
    server = ensure_running(place.settings(), Silent())
    place.kg("server", "stop")
    with ExitStack() as stack:
        for port in (server.bolt_port, server.http_port):
            listener = stack.enter_context(socket.socket())
            listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
            # Where somebody else was quicker, it is taken all the same.
            with suppress(OSError):
                listener.bind(("127.0.0.1", port))
                listener.listen()
        chain_well(place, row, whole)
    row.note = "it moved to other ports"
    place.kg("server", "stop")
    return row


def _begun_build(bench: Bench) -> Process:
    """A build that is half done, of articles that were read into a store where nothing else is."""
    place = bench.place
    place.clear()
    well(place, words_of(CHAIN[0], place))
    building = place.start(words_of(CHAIN[1], place))
    sleep(bench.seconds[1] / 2)
    return building


def asleep(bench: Bench) -> Row:
    """A build is put to sleep for longer than its lease lasts; another one comes, and then it wakes up."""
    place, whole = bench.place, bench.whole
    row = Row("a machine sleeps past its lease, another goes on, it wakes", place.name, struck=1)
    sleeper = _begun_build(bench)
    os.killpg(sleeper.pid, signal.SIGSTOP)
    refused = place.kg(*words_of(CHAIN[1], place))
    sleep(LEASE_SECONDS + 1)
    row.again += until_well(place, words_of(CHAIN[1], place), row)
    os.killpg(sleeper.pid, signal.SIGCONT)
    code = sleeper.wait()
    row.note = f"at first {sentence(refused)}; the sleeper ended with exit code {code}"
    row.never_ended += refused.code != 2
    chain_well(place, row, whole)
    return row


def two_at_once(bench: Bench) -> Row:
    """Others build and drop the corpus that a home is building: from a second home, and from the same."""
    place, whole = bench.place, bench.whole
    row = Row("two homes, and two commands of one, on one corpus", place.name, struck=3)
    first = _begun_build(bench)
    server = ensure_running(place.settings(), Silent())
    address = {"NEO4J_URI": server.uri, "NEO4J_USERNAME": server.username, "NEO4J_PASSWORD": server.password}
    with TemporaryDirectory(dir=place.folder) as other:
        second = Place(place.name, Path(other), place.articles, Path(other) / "home", address)
        told = [second.kg(*words_of(CHAIN[1], second)), second.kg("corpus", "drop", CORPUS, "--yes")]
        told.append(place.kg(*words_of(CHAIN[1], place)))
        row.never_ended += first.wait() != 0
    row.never_ended += sum(one.code != 2 for one in told)
    row.tracebacks += sum("Traceback" in one.said for one in told)
    row.note = "all refused: " + sentence(told[1])
    chain_well(place, row, whole)
    return row


class Terminal:
    """A command in a terminal of its own, to which SIGTERM is sent, or whose window is closed, by turns."""

    def __init__(self) -> None:
        self._number = 0
        self._window = self._inside = -1
        self._reader = threading.Thread()
        self._close = threading.Event()

    def begin(self, place: Place, words: Sequence[str]) -> Process:
        """A command whose streams are all the terminal's."""
        self._end()
        self._window, self._inside = pty.openpty()
        self._close.clear()
        environment = environment_of(place.home) | dict(place.environment)
        process = begin_in_terminal(words, self._inside, environment, place.folder)
        self._reader = threading.Thread(target=self._read, args=(place.folder / "said",))
        self._reader.start()
        return process

    def strike(self, place: Place, process: Process) -> None:
        """SIGTERM, or the window is closed, which the system tells the command."""
        del place
        self._number += 1
        if self._number % 2:
            process.send_signal(signal.SIGTERM)
            process.wait()
        self._end()

    def _end(self) -> None:
        self._close.set()
        if self._reader.is_alive():
            self._reader.join()
            os.close(self._inside)

    def _read(self, said: Path) -> None:
        """Show what is written, for else the command would wait, until the window is closed."""
        window = self._window
        with said.open("wb") as file:
            while not self._close.is_set():
                if select.select([window], [], [], 0.1)[0]:
                    with suppress(OSError):
                        file.write(os.read(window, 1 << 16))
        os.close(window)


_STOPPED = {128 + signal.SIGTERM, 128 + signal.SIGHUP, -signal.SIGTERM, -signal.SIGHUP, 0}
"""What a stopped command ends with: as a shell tells it, before it is at work, or done in that moment."""


def ends_as_stopped(ended: Ended) -> bool:
    """Whether it ended as a command that was stopped."""
    return ended.code in _STOPPED


def stale_locks(bench: Bench) -> Row:
    """What is left of the dead: lock files, a record of a server with a stranger's number, a far lease.

    A build and its server are killed. Its lease says then that it was another machine's, whose processes
    nobody here can know; the record of the server names a process that is somebody else's.
    """
    place, whole = bench.place, bench.whole
    row = Row("locks, a lease and a server's record that the dead left", place.name, struck=3)
    building = _begun_build(bench)
    os.killpg(building.pid, signal.SIGKILL)
    building.wait()
    with open_graph(place.settings(), Silent()) as graph:
        change(
            graph, "MATCH (l:Lease {corpus: $corpus}) SET l.machine = 'far', l.host = 'far'", corpus=CORPUS
        )
        left = value(graph, "MATCH (l:Lease {corpus: $corpus}) RETURN count(l)", corpus=CORPUS)
    refused = place.kg(*words_of(CHAIN[1], place))
    row.never_ended += left != 1 or refused.code != 2
    row.tracebacks += "Traceback" in refused.said
    if (server := place.server()) is not None:
        server.kill()
        server.wait()
    with subprocess.Popen([sys.executable, "-c", "import time; time.sleep(10 ** 6)"]) as stranger:
        record = place.home / "run" / "server.json"
        was = json.loads(record.read_text(encoding="utf-8"))
        record.write_text(json.dumps(was | {"pid": stranger.pid}), encoding="utf-8")
        sleep(LEASE_SECONDS + 1)
        chain_well(place, row, whole)
        row.never_ended += stranger.poll() is not None
        stranger.kill()
    row.note = f"at first {sentence(refused)}; then it went on, and the stranger lived"
    return row
