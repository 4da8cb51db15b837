"""The engine of this machine: several processes work at once, in order, on a bounded number of items.

The caller's process works too: while the next result in order is still being made, it takes the first item
that nobody has begun. So work never waits for a worker that is still starting (seconds, for a model).

A worker that ends costs no item but, at worst, the one that ended it: a new worker takes its place and tries
that item once more, since a worker may also be killed from outside. An item that ends two workers, or holds
one far beyond its time limit, is a fault. It is never tried in the caller's own process, which it might end
too.

Workers are plain subprocesses that take pickled items on standard input and give pickled outcomes on
standard output. Unlike `multiprocessing`, this needs no guarded main module in a program that uses the
library. They stand outside the terminal's process group, so that Ctrl-C reaches the caller alone, and they
end when their input does: with the caller, however that ended.

The process that works for another one: first what opens the work, then items in, outcomes out.
"""

import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import chain, islice
from math import inf
from queue import SimpleQueue
from typing import Any, Generic

import psutil

from kg.engine.choose import GRACE, LOCAL, Fault, Item, Result, Work, attempt, portable
from kg.errors import SettingsError

READY = "ready"
"""What a worker says first: from here on what ends it is the item that it works on."""


def main() -> None:
    """Work on items from standard input until it ends, which it does with the process that asks."""
    outcomes = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a library prints must not get between two outcomes.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    opener, shared = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by the process that started this one
    function = opener(*shared)
    answer: object = READY
    while True:
        try:
            pickle.dump(answer, outcomes, pickle.HIGHEST_PROTOCOL)
            outcomes.flush()
            item = pickle.load(sys.stdin.buffer)  # noqa: S301 - as above
        except (EOFError, BrokenPipeError):
            return
        answer = (portable(attempt(function, item)),)


MOST_PROCESSES = 8
"""More would not be fed by one reader of the graph; each takes a third of a GB."""

AHEAD = 8
"""Items and outcomes held at most, for each process, before the next in order is handed on."""

SECONDS_TO_END = 10.0

TRIES = 2
"""How many workers an item may end before it is given up: one may also be ended from outside."""

LOST = "each process that worked on it came to an end"

_WATCH_SECONDS = 1.0
_START = "from kg.engine.processes import main; main()"


def processor_seconds(pid: int) -> float:
    """The processor time that a process has taken; 0 when it is gone."""
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


@dataclass(frozen=True, slots=True)
class Crew:
    """How many processes work, the caller's own among them.

    `spent` tells the processor time of a process by its id. `code` is what a worker runs.
    """

    processes: int
    spent: Callable[[int], float] = processor_seconds
    code: str = _START


def available_processes() -> int:
    """How many processes are worth having: the cores this process may run on, up to `MOST_PROCESSES`."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, min(cores, MOST_PROCESSES))


class LocalEngine:
    """Works in this process, and for long streams in as many others as there are cores, or `processes`."""

    name = LOCAL

    def __init__(self, processes: int | None = None) -> None:
        if processes is not None and processes < 1:
            raise SettingsError(f"{processes} processes can't do anything.", "Give 1 or more.")
        self._processes = processes or available_processes()

    def map(self, work: Work[Item, Result], items: Iterable[Item]) -> Iterator[Result | Fault]:
        """One outcome an item, in order; a long stream some items ahead, a short one lazily."""
        stream = iter(items)
        here, cost = work.open_here(), 0.0
        for item in stream:
            if self._processes > 1 and cost >= work.alone_until:
                yield from work_together(chain([item], stream), here, work, Crew(self._processes))
                return
            cost += work.cost(item)
            yield attempt(here, item)


def work_together(
    items: Iterator[Item], here: Callable[[Item], Result], work: Work[Item, Result], crew: Crew
) -> Iterator[Result | Fault]:
    """One outcome an item, in order, by this process with `here` and by the others of the crew.

    Fewer where the system grants no more. Closing the iterator, or any error in it, ends the workers.
    """
    workers = _Workers(crew, work)
    todo: SimpleQueue[_Task[Item, Result] | None] = SimpleQueue()
    helpers = crew.processes - 1 if sys.executable and not getattr(sys, "frozen", False) else 0
    threads = [threading.Thread(target=_serve, args=(workers, todo), daemon=True) for _ in range(helpers)]
    if threads and work.seconds < inf:
        threading.Thread(target=workers.watch, daemon=True).start()
    for thread in threads:
        thread.start()
    try:
        yield from _in_order(items, here, todo, AHEAD * (len(threads) + 1))
    finally:
        workers.end()
        for _ in threads:
            todo.put(None)
        for thread in threads:
            thread.join(SECONDS_TO_END)


@dataclass(slots=True)
class _Task(Generic[Item, Result]):
    """An item that one process claims; it has an outcome once it is done."""

    item: Item
    outcome: tuple[Result | Fault] | None = None
    done: threading.Event = field(default_factory=threading.Event)
    _claimed: threading.Lock = field(default_factory=threading.Lock)

    def claim(self) -> bool:
        """Whether the caller is the one to work on it."""
        return self._claimed.acquire(blocking=False)


def _in_order(
    items: Iterator[Item],
    here: Callable[[Item], Result],
    todo: "SimpleQueue[_Task[Item, Result] | None]",
    most: int,
) -> Iterator[Result | Fault]:
    ahead: deque[_Task[Item, Result]] = deque()
    while True:
        for item in islice(items, most - len(ahead)):
            ahead.append(_Task(item))
            todo.put(ahead[-1])
        if not ahead:
            return
        first = ahead[0]
        while not first.done.is_set():
            free = next((task for task in ahead if task.claim()), None)
            if free is None:
                first.done.wait()
            else:
                free.outcome = (attempt(here, free.item),)
                free.done.set()
        ahead.popleft()
        if first.outcome is not None:
            yield first.outcome[0]


def _serve(workers: "_Workers", todo: "SimpleQueue[_Task[Item, Result] | None]") -> None:
    """Hand items to one worker after the other until there are no more, or no other can be started."""
    worker = workers.new_worker()
    while worker is not None and (task := todo.get()) is not None:
        if task.claim():
            task.outcome = (Fault("lost", LOST),)
            try:
                outcome, worker = _done_by(workers, worker, task.item)
                task.outcome = (outcome,)
            finally:
                task.done.set()


def _done_by(workers: "_Workers", worker: "_Worker | None", item: object) -> "tuple[Any, _Worker | None]":
    """What a worker makes of an item, or the fault by which none does; and the worker for the next one."""
    for _ in range(TRIES):
        if worker is None:
            break
        answer = worker.do(item)
        if answer is not None:
            return answer[0], worker
        over, worker = worker.over_time, workers.new_worker()
        if over:
            return Fault("time", over_time(workers.seconds)), worker
    return Fault("lost", LOST), worker


class _Workers:
    """The workers of one piece of work."""

    def __init__(self, crew: Crew, work: Work[Any, Any]) -> None:
        self.seconds = work.seconds
        self._crew = crew
        self._opening = pickle.dumps((work.opener, tuple(work.shared)), pickle.HIGHEST_PROTOCOL)
        self._workers: list[_Worker] = []
        self._guard = threading.Lock()
        self._over = threading.Event()

    def new_worker(self) -> "_Worker | None":
        """A worker that is ready; None where none can be started, or the work is over."""
        with self._guard:
            worker = None if self._over.is_set() else _start_worker(self._crew)
            if worker is not None:
                self._workers.append(worker)
        return worker if worker is not None and worker.is_ready(self._opening) else None

    def watch(self) -> None:
        """End whatever worker takes far too long for an item, until the work is over."""
        while not self._over.wait(_WATCH_SECONDS):
            with self._guard:
                self._workers = [worker for worker in self._workers if not worker.is_gone()]
                for worker in self._workers:
                    worker.end_if_over(GRACE * self.seconds)

    def end(self) -> None:
        """End all workers, busy or not; no other is started."""
        self._over.set()
        with self._guard:
            for worker in self._workers:
                worker.end()


class _Worker:
    """A process that works on one item at a time; `over_time` once it was ended for taking too long."""

    def __init__(self, process: "subprocess.Popen[bytes]", spent: Callable[[int], float]) -> None:
        self.over_time = False
        self._process = process
        self._spent = spent
        self._began: float | None = None

    def is_ready(self, opening: bytes) -> bool:
        """Have the work opened and wait for it; false when the worker ended before."""
        return self._send(opening) and self._answer() == READY

    def do(self, item: object) -> tuple[Any] | None:
        """The outcome of the item, alone in a tuple; None when the worker is lost."""
        self.over_time = False
        self._began = self._spent(self._process.pid)
        if not self._send(pickle.dumps(item, pickle.HIGHEST_PROTOCOL)):
            return None
        answer = self._answer()
        self._began = None
        return answer if isinstance(answer, tuple) else None

    def end_if_over(self, seconds: float) -> None:
        """End the process if it has spent more than that on the item in hand."""
        began = self._began
        if began is None or self._spent(self._process.pid) - began <= seconds:
            return
        if self._began == began:
            self.over_time = True
            self._process.kill()

    def is_gone(self) -> bool:
        """Whether the process has ended; what it left behind is closed."""
        if self._process.poll() is None:
            return False
        self.end()
        return True

    def end(self) -> None:
        """End the process, busy or not."""
        self._process.kill()
        self._process.wait(SECONDS_TO_END)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()

    def _send(self, pickled: bytes) -> bool:
        if self._process.stdin is None:
            return False
        try:
            self._process.stdin.write(pickled)
            self._process.stdin.flush()
        except (OSError, ValueError):
            return False
        return True

    def _answer(self) -> object:
        if self._process.stdout is None:
            return None
        try:
            # The other end is our own process, started by us and heard by nobody else.
            return pickle.load(self._process.stdout)  # noqa: S301
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            return None


def over_time(seconds: float) -> str:
    """Why there is no result of an item that took too long."""
    return f"it took more than {seconds:g} s of processor time"


def _start_worker(crew: Crew) -> _Worker | None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path or os.curdir for path in sys.path)}
    try:
        process = subprocess.Popen(  # noqa: S603 - this Python, our own code
            [sys.executable, "-P", "-c", crew.code],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError:
        return None
    return _Worker(process, crew.spent)
