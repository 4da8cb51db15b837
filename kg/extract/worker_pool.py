"""Articles read by several processes at once, in order, with a bounded number of them under way.

The caller's process reads too: while the next result in order is still being made, it takes the first article
that nobody has begun. So work never waits for a worker that is still starting (seconds, for the model), and a
worker that dies costs nothing but its speed: what it had in hand is read here, and no other takes its place.

Workers are plain subprocesses that take pickled articles on standard input and give pickled results on
standard output. Unlike `multiprocessing`, this needs no guarded main module in a program that uses the
library. They stand outside the terminal's process group, so that Ctrl-C reaches the caller alone, and they
end when their input does: with the caller, however that ended.
"""

import os
import pickle
import subprocess
import sys
import threading
from collections import deque
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass, field
from itertools import islice
from queue import SimpleQueue
from typing import cast

from kg.extract.protocol import ExtractionInput
from kg.model import Extraction

MOST_PROCESSES = 8
"""More would not be fed by one reader of the graph; each takes a third of a GB."""

ARTICLES_AHEAD = 8
"""Articles and results held at most, for each process, before the next in order is handed on."""

SECONDS_TO_END = 10.0

_START = "from kg.extract.worker import main; main()"


def available_processes() -> int:
    """How many processes are worth having: the cores this process may run on, up to `MOST_PROCESSES`."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, min(cores, MOST_PROCESSES))


def read_together(
    items: Iterator[ExtractionInput], read_here: Callable[[ExtractionInput], Extraction], processes: int
) -> Iterator[Extraction]:
    """One extraction an item, in order, by this process and `processes` - 1 more.

    Fewer where the system grants no more. Closing the iterator, or any error in it, ends the workers.
    """
    workers = _start_workers(processes - 1)
    todo: SimpleQueue[_Task | None] = SimpleQueue()
    threads = [threading.Thread(target=_serve, args=(worker, todo), daemon=True) for worker in workers]
    for thread in threads:
        thread.start()
    try:
        yield from _in_order(items, read_here, todo, ARTICLES_AHEAD * (len(workers) + 1))
    finally:
        for worker in workers:
            worker.end()
        for _ in threads:
            todo.put(None)
        for thread in threads:
            thread.join(SECONDS_TO_END)


@dataclass(slots=True)
class _Task:
    """An article that one process claims; without a result once it is done, its worker was lost."""

    item: ExtractionInput
    result: Extraction | None = None
    done: threading.Event = field(default_factory=threading.Event)
    _claimed: threading.Lock = field(default_factory=threading.Lock)

    def claim(self) -> bool:
        """Whether the caller is the one to read it."""
        return self._claimed.acquire(blocking=False)


def _in_order(
    items: Iterator[ExtractionInput],
    read_here: Callable[[ExtractionInput], Extraction],
    todo: "SimpleQueue[_Task | None]",
    most: int,
) -> Iterator[Extraction]:
    ahead: deque[_Task] = deque()
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
                free.result = read_here(free.item)
                free.done.set()
        ahead.popleft()
        yield first.result if first.result is not None else read_here(first.item)


def _serve(worker: "_Worker", todo: "SimpleQueue[_Task | None]") -> None:
    """Hand articles to one worker until there are no more, or it is lost."""
    while (task := todo.get()) is not None:
        if task.claim():
            result = worker.read(task.item)
            task.result = result
            task.done.set()
            if result is None:
                return


class _Worker:
    """A process that reads one article at a time."""

    def __init__(self, process: "subprocess.Popen[bytes]") -> None:
        self._process = process

    def read(self, item: ExtractionInput) -> Extraction | None:
        """What the worker reads in the article; None when it is lost."""
        process = self._process
        if process.stdin is None or process.stdout is None:
            return None
        try:
            pickle.dump(item, process.stdin, pickle.HIGHEST_PROTOCOL)
            process.stdin.flush()
            # The other end is our own process, started by us and heard by nobody else.
            return cast(Extraction, pickle.load(process.stdout))  # noqa: S301
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            return None

    def end(self) -> None:
        """End the process, busy or not."""
        self._process.kill()
        self._process.wait(SECONDS_TO_END)
        for stream in (self._process.stdin, self._process.stdout):
            if stream is not None:
                with suppress(OSError):
                    stream.close()


def _start_workers(count: int) -> list[_Worker]:
    workers: list[_Worker] = []
    if not sys.executable or getattr(sys, "frozen", False):
        return workers
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path or os.curdir for path in sys.path)}
    for _ in range(count):
        try:
            process = subprocess.Popen(  # noqa: S603 - this Python, our own code
                [sys.executable, "-P", "-c", _START],
                stdin=subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.DEVNULL,
                env=environment,
                start_new_session=True,
                creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
            )
        except OSError:
            break
        workers.append(_Worker(process))
    return workers
