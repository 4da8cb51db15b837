"""The extractor that needs no network and no key: spaCy's parse and rules over it.

Articles read by several processes at once, in order, with a bounded number of them under way.

The caller's process reads too: while the next result in order is still being made, it takes the first article
that nobody has begun. So work never waits for a worker that is still starting (seconds, for the model).

A worker that ends costs no article but, at worst, the one that ended it: a new worker takes its place and
tries that article once more, since a worker may also be killed from outside. An article that ends two
workers, or holds one far beyond its time limit, is set aside. It is never read in the caller's own process,
which it might end too.

Workers are plain subprocesses that take pickled articles on standard input and give pickled results on
standard output. Unlike `multiprocessing`, this needs no guarded main module in a program that uses the
library. They stand outside the terminal's process group, so that Ctrl-C reaches the caller alone, and they
end when their input does: with the caller, however that ended.

The process that reads articles for another one: pickled articles in, pickled extractions out.
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
from queue import SimpleQueue

import psutil

from kg.errors import SettingsError
from kg.extract.article import over_time, read_or_set_aside, set_aside
from kg.extract.pipeline import load_model
from kg.extract.protocol import RULES_VERSION, ExtractionInput, TimeLimit
from kg.model import Extraction

READY = "ready"
"""What a worker says first: from here on what ends it is the article that it reads."""


def main(seconds: float) -> None:
    """Read articles from standard input until it ends, which it does with the process that asks.

    `seconds` is the processor time that each may take.
    """
    results = os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    # Whatever a library prints must not get between two results.
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())
    model, limit = load_model(), TimeLimit(seconds)
    answer: object = READY
    while True:
        try:
            pickle.dump(answer, results, pickle.HIGHEST_PROTOCOL)
            results.flush()
            item = pickle.load(sys.stdin.buffer)  # noqa: S301 - written by the process that started this one
        except (EOFError, BrokenPipeError):
            return
        answer = read_or_set_aside(model, item, limit)


MOST_PROCESSES = 8
"""More would not be fed by one reader of the graph; each takes a third of a GB."""

ARTICLES_AHEAD = 8
"""Articles and results held at most, for each process, before the next in order is handed on."""

SECONDS_TO_END = 10.0

GRACE = 4.0
"""A worker whose threads together take so many times an article's limit hangs in it, and is ended."""

LOST = "each process that read it came to an end"

_TRIES = 2
_WATCH_SECONDS = 1.0
_START = "from kg.extract.rules import main; main({seconds!r})"


def processor_seconds(pid: int) -> float:
    """The processor time that a process has taken; 0 when it is gone."""
    try:
        times = psutil.Process(pid).cpu_times()
    except psutil.Error:
        return 0.0
    return float(times.user + times.system)


@dataclass(frozen=True, slots=True)
class WorkOrder:
    """How many processes read, the caller's own among them, and how long each may take for an article.

    `seconds` are of processor time, as `spent` tells it of a process by its id. `code` is what a worker runs,
    with {seconds!r} for the limit.
    """

    processes: int
    seconds: float = 300.0
    spent: Callable[[int], float] = processor_seconds
    code: str = _START


def available_processes() -> int:
    """How many processes are worth having: the cores this process may run on, up to `MOST_PROCESSES`."""
    affinity = getattr(os, "sched_getaffinity", None)
    cores = len(affinity(0)) if affinity else os.cpu_count() or 1
    return max(1, min(cores, MOST_PROCESSES))


def read_together(
    items: Iterator[ExtractionInput], read_here: Callable[[ExtractionInput], Extraction], order: WorkOrder
) -> Iterator[Extraction]:
    """One extraction an item, in order, by this process and as many more as ordered.

    Fewer where the system grants no more. Closing the iterator, or any error in it, ends the workers.
    """
    crew = _Crew(order)
    todo: SimpleQueue[_Task | None] = SimpleQueue()
    helpers = order.processes - 1 if sys.executable and not getattr(sys, "frozen", False) else 0
    threads = [threading.Thread(target=_serve, args=(crew, todo), daemon=True) for _ in range(helpers)]
    if threads:
        threading.Thread(target=crew.watch, daemon=True).start()
    for thread in threads:
        thread.start()
    try:
        yield from _in_order(items, read_here, todo, ARTICLES_AHEAD * (len(threads) + 1))
    finally:
        crew.end()
        for _ in threads:
            todo.put(None)
        for thread in threads:
            thread.join(SECONDS_TO_END)


@dataclass(slots=True)
class _Task:
    """An article that one process claims; it has a result once it is done."""

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
        if first.result is not None:
            yield first.result


def _serve(crew: "_Crew", todo: "SimpleQueue[_Task | None]") -> None:
    """Hand articles to one worker after the other until there are no more, or no other can be started."""
    worker = crew.new_worker()
    while worker is not None and (task := todo.get()) is not None:
        if task.claim():
            task.result = set_aside(LOST)
            try:
                task.result, worker = _read(crew, worker, task.item)
            finally:
                task.done.set()


def _read(
    crew: "_Crew", worker: "_Worker | None", item: ExtractionInput
) -> "tuple[Extraction, _Worker | None]":
    """What a worker reads in an article, or why none does; and the worker for the next one."""
    for _ in range(_TRIES):
        if worker is None:
            break
        result = worker.read(item)
        if result is not None:
            return result, worker
        over, worker = worker.over_time, crew.new_worker()
        if over:
            return set_aside(over_time(crew.order.seconds)), worker
    return set_aside(LOST), worker


class _Crew:
    """The workers of one reading."""

    def __init__(self, order: WorkOrder) -> None:
        self.order = order
        self._workers: list[_Worker] = []
        self._guard = threading.Lock()
        self._over = threading.Event()

    def new_worker(self) -> "_Worker | None":
        """A worker that is ready to read; None where none can be started, or the reading is over."""
        with self._guard:
            worker = None if self._over.is_set() else _start_worker(self.order)
            if worker is not None:
                self._workers.append(worker)
        return worker if worker is not None and worker.is_ready() else None

    def watch(self) -> None:
        """End whatever worker takes far too long for an article, until the reading is over."""
        while not self._over.wait(_WATCH_SECONDS):
            with self._guard:
                self._workers = [worker for worker in self._workers if not worker.is_gone()]
                for worker in self._workers:
                    worker.end_if_over(GRACE * self.order.seconds)

    def end(self) -> None:
        """End all workers, busy or not; no other is started."""
        self._over.set()
        with self._guard:
            for worker in self._workers:
                worker.end()


class _Worker:
    """A process that reads one article at a time; `over_time` once it was ended for taking too long."""

    def __init__(self, process: "subprocess.Popen[bytes]", spent: Callable[[int], float]) -> None:
        self.over_time = False
        self._process = process
        self._spent = spent
        self._began: float | None = None

    def is_ready(self) -> bool:
        """Wait until the worker can read; false when it ended before."""
        return self._answer() == READY

    def read(self, item: ExtractionInput) -> Extraction | None:
        """What the worker reads in the article; None when it is lost."""
        if self._process.stdin is None:
            return None
        self.over_time = False
        self._began = self._spent(self._process.pid)
        try:
            pickle.dump(item, self._process.stdin, pickle.HIGHEST_PROTOCOL)
            self._process.stdin.flush()
        except (OSError, ValueError):
            return None
        answer = self._answer()
        self._began = None
        return answer if isinstance(answer, Extraction) else None

    def end_if_over(self, seconds: float) -> None:
        """End the process if it has spent more than that on the article in hand."""
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

    def _answer(self) -> object:
        if self._process.stdout is None:
            return None
        try:
            # The other end is our own process, started by us and heard by nobody else.
            return pickle.load(self._process.stdout)  # noqa: S301
        except (OSError, EOFError, ValueError, pickle.UnpicklingError):
            return None


def _start_worker(order: WorkOrder) -> _Worker | None:
    environment = os.environ | {"PYTHONPATH": os.pathsep.join(path or os.curdir for path in sys.path)}
    try:
        process = subprocess.Popen(  # noqa: S603 - this Python, our own code
            [sys.executable, "-P", "-c", order.code.format(seconds=order.seconds)],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.DEVNULL,
            env=environment,
            start_new_session=True,
            creationflags=getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0),
        )
    except OSError:
        return None
    return _Worker(process, order.spent)


SENTENCES_BEFORE_HELP = 400
"""How many sentences this process reads alone before it starts others: about what a start costs."""


class RuleExtractor:
    """Reads articles one at a time, each wholly in one process, so that none changes what another gives.

    With `processes` above 1 (by default as many as there are cores) a long stream is read by so many
    processes; what is read is the same. An article that can't be read within `limit` is set aside with the
    reason. Raises SettingsError when no English model is installed.
    """

    def __init__(self, processes: int | None = None, limit: TimeLimit | None = None) -> None:
        if processes is not None and processes < 1:
            raise SettingsError(f"{processes} processes can't read anything.", "Give 1 or more.")
        self._model = load_model()
        self._processes = processes or available_processes()
        self._limit = limit or TimeLimit()

    @property
    def name(self) -> str:
        """The version of the rules and the model ("rules-1/en_core_web_sm-3.8.0")."""
        return f"rules-{RULES_VERSION}/{self._model.name}"

    def extract(self, items: Iterable[ExtractionInput]) -> Iterator[Extraction]:
        """One extraction an item, in order, read lazily; a long stream some articles ahead.

        Close the iterator to end the other processes before the stream ends.
        """
        stream = iter(items)
        sentences = 0
        for item in stream:
            if self._processes > 1 and sentences >= SENTENCES_BEFORE_HELP:
                order = WorkOrder(self._processes, self._limit.seconds)
                yield from read_together(chain([item], stream), self._read, order)
                return
            sentences += len(item.sentences)
            yield self._read(item)

    def _read(self, item: ExtractionInput) -> Extraction:
        return read_or_set_aside(self._model, item, self._limit)
