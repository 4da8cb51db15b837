"""Who may change a corpus at once, among all commands on all machines that use one Neo4j.

One command at a time changes what a corpus is: articles, graph, questions. Runs of different names only add
their own answers, so that they go side by side, and so do those who need a corpus to stay as it is while they
read it; never beside such a change. Readers in general take nothing.

Who writes holds a lease: a node with a token, which runs out by the clock of the database unless it is
renewed. Every transaction that writes under a lease proves first that the token still stands, and holds the
node until it has ended (see `kg.store.graph.Fence`). So a writer that slept through the end of its lease
writes nothing beside the one that came after it.
"""

import socket
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from functools import cache
from pathlib import Path
from uuid import uuid4

import psutil

from kg.errors import CorpusError, StoreError, command
from kg.ids import node_id
from kg.queries import query
from kg.store.graph import Fence, Graph, Row

LEASE_SECONDS = 60.0
"""How long a writer that is not heard of keeps its corpus."""
RENEWALS = 4
"""How often a lease is renewed while it lasts."""
_READING = "reading "
POLL_SECONDS = 0.5
"""How often one that waits asks again."""
_CLOCK_SECONDS = 1.0
"""By how much two readings of the time at which a process began may differ."""


@dataclass(frozen=True, slots=True)
class Holder:
    """A writer as its lease describes it; `run` is empty where it has the whole corpus.

    `machine` tells machines, and containers on one machine, apart. `since` is the database's time, as
    ISO 8601; `seconds_left` is how long the lease lasts if it isn't renewed.
    """

    corpus: str
    run: str
    command: str
    host: str
    machine: str
    pid: int
    began: float
    since: str
    seconds_left: float
    token: str

    def __str__(self) -> str:
        return f"{self.command} (process {self.pid} on {self.host}, since {self.since})"

    def has_ended(self) -> bool:
        """Whether its process is known to have ended, which can be known on this machine only."""
        if self.machine != _machine():
            return False
        try:
            process = psutil.Process(self.pid)
            return abs(process.create_time() - self.began) > _CLOCK_SECONDS or not _runs(process)
        except psutil.NoSuchProcess:
            return True
        except psutil.Error:
            return False


Waiting = Callable[[Holder], None]
"""Called again and again while one waits, with one of those who are waited for; it may raise to give up."""


@contextmanager
def writing_to(
    graph: Graph, corpus: str, waiting: Waiting | None = None, lease_seconds: float = LEASE_SECONDS
) -> Iterator[Graph]:
    """Hold a corpus for changing it: nothing else works on it meanwhile. Write by the graph that this gives.

    With `waiting` others are waited for, else they are a refusal.

    Raises:
        CorpusError: another command is working on it; or, from a write, the lease was lost.
    """
    with _lease(graph, corpus, "", waiting, lease_seconds) as mine:
        yield mine


@contextmanager
def answering_in(
    graph: Graph, corpus: str, run: str, waiting: Waiting | None = None, lease_seconds: float = LEASE_SECONDS
) -> Iterator[Graph]:
    """Hold a run of a corpus for adding to it or deleting it: other runs go on beside it.

    Otherwise as `writing_to`.

    Raises:
        CorpusError: another command is changing the corpus, or is working on this run.
    """
    with _lease(graph, corpus, run, waiting, lease_seconds) as mine:
        yield mine


@contextmanager
def reading_whole(graph: Graph, corpus: str, waiting: Waiting | None = None) -> Iterator[Graph]:
    """Keep a corpus as it is while all of it is read, as for an export; runs go on beside it.

    Raises:
        CorpusError: another command is changing the corpus.
    """
    with _lease(graph, corpus, f"{_READING}{uuid4().hex}", waiting, LEASE_SECONDS) as mine:
        yield mine


def list_holders(graph: Graph) -> list[Holder]:
    """Who writes at the moment, by corpus and run."""
    return [_holder(row) for row in graph.rows(query("store/list_leases"))]


@contextmanager
def _lease(
    graph: Graph, corpus: str, run: str, waiting: Waiting | None, lease_seconds: float
) -> Iterator[Graph]:
    mine = {"id": node_id(corpus, "lease", run), "token": uuid4().hex}
    renewal = {**mine, "milliseconds": round(lease_seconds * 1000)}
    while (other := _take(graph, corpus, run, renewal)) is not None:
        if waiting is None:
            raise _lease_error(other)
        waiting(other)
        time.sleep(POLL_SECONDS)
    lost = CorpusError(
        f"corpus {corpus!r} is no longer held for this command: it was not heard of for "
        f"{lease_seconds:.0f} s, and another one came.",
        f"{command('doctor')} says who writes. Run the same command again then: what was committed stays.",
    )
    try:
        with _keep_renewing(graph, renewal, lease_seconds / RENEWALS):
            yield graph.with_fence(Fence(query("store/renew_lease"), renewal, lost))
    finally:
        # A server that went away forgets nothing; the lease ends with this process, or runs out.
        with suppress(StoreError):
            graph.rows(query("store/give_back_lease"), **mine)


def _take(graph: Graph, corpus: str, run: str, renewal: Mapping[str, object]) -> Holder | None:
    """Take the lease; who has it where somebody has. Those whose process ended are passed over."""
    statement, ended = query("store/take_lease"), list[str]()
    while True:
        rows = graph.rows(statement, corpus=corpus, run=run, holder=_myself(), ended=ended, **renewal)
        others = [_holder(row) for row in rows]
        gone = [one.token for one in others if one.has_ended()]
        if len(gone) < len(others):
            return next(one for one in others if one.token not in gone)
        if not others:
            return None
        ended += gone


@contextmanager
def _keep_renewing(graph: Graph, renewal: Mapping[str, object], seconds: float) -> Iterator[None]:
    """Renew a lease now and then, in a thread of its own."""
    ended = threading.Event()

    def renew() -> None:
        while not ended.wait(seconds):
            # Writing proves it anyway; a server that is away for a moment may be back at the next turn.
            with suppress(StoreError):
                graph.rows(query("store/renew_lease"), **renewal)

    thread = threading.Thread(target=renew, name="hopgrade-lease", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


def _lease_error(other: Holder) -> CorpusError:
    whole = not other.run or other.run.startswith(_READING)
    what = f"corpus {other.corpus!r}" if whole else f"run {other.run!r} of corpus {other.corpus!r}"
    return CorpusError(
        f"another command works on {what}: {other}.",
        "Wait for it to end, or stop it with Ctrl-C. Should it be dead, its hold ends by itself in "
        f"{max(1.0, other.seconds_left):.0f} s.",
    )


def _holder(row: Row) -> Holder:
    seconds = row.pop("milliseconds_left") / 1000
    since = row.pop("since").to_native().isoformat(sep=" ", timespec="seconds")
    return Holder(**row, since=since, seconds_left=seconds)


def _myself() -> dict[str, object]:
    process = psutil.Process()
    return {
        "command": _command(sys.argv),
        "host": socket.gethostname(),
        "machine": _machine(),
        "pid": process.pid,
        "began": process.create_time(),
    }


def _command(arguments: Sequence[str]) -> str:
    """What a process is, in the words of a user: the command without what it was given."""
    name = Path(arguments[0]).name if arguments and arguments[0] else "python"
    if name not in {"kg", "-c"}:
        return name
    words: list[str] = []
    for word in arguments[1:3]:
        if not word.replace("-", "").isalpha() or word.startswith("-"):
            break
        words.append(word)
    return " ".join(["kg", *words])


@cache
def _machine() -> str:
    """What processes have in common that see each other's numbers."""
    parts = [socket.gethostname()]
    with suppress(OSError):
        parts.append(Path("/proc/sys/kernel/random/boot_id").read_text(encoding="ascii").strip())
    with suppress(OSError):
        parts.append(str(Path("/proc/self/ns/pid").readlink()))
    return " ".join(parts)


def _runs(process: psutil.Process) -> bool:
    return process.is_running() and process.status() != psutil.STATUS_ZOMBIE
