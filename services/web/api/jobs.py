"""Long work that a request starts and others follow: watched, stopped, its files kept for a while.

A job runs in a thread of its own. Stopping it interrupts it as Ctrl-C does a command: at the next step that
it tells of, so that what is done stays and the same job goes on from there. Jobs live as long as the process.
"""

import asyncio
import logging
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Mapping
from concurrent.futures import Future, ThreadPoolExecutor, wait
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Literal
from uuid import uuid4

from kg.errors import HopgradeError, UserError

State = Literal["waiting", "running", "done", "failed", "stopped"]
ENDED: frozenset[State] = frozenset({"done", "failed", "stopped"})

AT_ONCE = 2
"""Jobs that run at once; each takes a core."""
MOST_WAITING = 16
MOST_KEPT = 100
"""Ended jobs that are remembered, with their files."""
MOST_NOTES = 50
THREADS_OF_JOBS = "hopgrade-job"
"""How the names of threads begin that do jobs."""
SECONDS_TO_STOP = 3.0
"""How long the end of the server waits for jobs to come to their next step."""
SECONDS_BETWEEN = 0.2
"""How often a follower is told at most."""

_log = logging.getLogger("hopgrade.api")


class TooManyJobsError(UserError):
    """So many jobs wait that another one is refused."""


@dataclass(frozen=True, slots=True)
class JobState:
    """A job as it is now; `version` grows with every change.

    `task` and `step` say what it is at, `done` of `total` (None where that can't be known) how far. `notes`
    tell what came of tasks that ended. `error` is one sentence, with the remedy. Times are ISO 8601. `files`
    are the names of those that it left.
    """

    id: str
    kind: str
    corpus: str
    state: State = "waiting"
    version: int = 0
    task: str = ""
    step: str = ""
    done: int = 0
    total: int | None = None
    notes: tuple[str, ...] = ()
    error: str = ""
    result: Mapping[str, str | int] = field(default_factory=dict)
    files: tuple[str, ...] = ()
    created_at: str = ""
    ended_at: str = ""


class Watched:
    """The progress of a job: its followers see what the work tells it, and there the work can be stopped."""

    def __init__(self, job: "Job") -> None:
        self._job = job

    def begin(self, task: str, total: int | None = None) -> None:
        """A task starts."""
        self._job.change(lambda now: replace(now, task=task, step="", done=0, total=total))

    def step(self, name: str, total: int | None = None) -> None:
        """A part of the task starts."""
        self._job.change(lambda now: replace(now, step=name, done=0, total=total))

    def advance(self, steps: int = 1) -> None:
        """So many steps more are done."""
        self._job.change(lambda now: replace(now, done=now.done + steps))

    def end(self, note: str = "") -> None:
        """The task is done."""
        self._job.change(
            lambda now: replace(now, notes=(*now.notes, f"{now.task}: {note}")[-MOST_NOTES:], step="")
        )


Work = Callable[[Watched, Path], Mapping[str, str | int]]
"""What a job does: it gets its progress and a folder for its files, and hands back what came of it."""


class Job:
    """One job, changed by its thread and read by the event loop."""

    def __init__(self, state: JobState, folder: Path, loop: asyncio.AbstractEventLoop) -> None:
        self.folder = folder
        self._now = state
        self._loop = loop
        self._lock = threading.Lock()
        self._stopped = threading.Event()
        self._changed = asyncio.Event()

    @property
    def now(self) -> JobState:
        """The job as it is."""
        return self._now

    @property
    def changed(self) -> asyncio.Event:
        """Set at the next change; another one takes its place then."""
        return self._changed

    def stop(self) -> None:
        """Ask the job to stop at its next step."""
        self._stopped.set()

    def change(self, how: Callable[[JobState], JobState]) -> None:
        """Change the state, from the job's own thread.

        Raises:
            KeyboardInterrupt: the job is to stop.
        """
        if self._stopped.is_set():
            raise KeyboardInterrupt
        self._set(how)

    def run(self, work: Work) -> None:
        """Do the work, and note how it ended."""
        if self._stopped.is_set():
            self._end("stopped")
            return
        # What is raised besides is a mistake of ours: its place is the log, and the job has failed.
        state: State = "failed"
        error = "the server failed at this job. Its log says at what."
        result: Mapping[str, str | int] = {}
        try:
            self._set(lambda now: replace(now, state="running"))
            self.folder.mkdir(parents=True, exist_ok=True)
            result = work(Watched(self), self.folder)
            state, error = "done", ""
        except KeyboardInterrupt:
            state, error = "stopped", ""
        except HopgradeError as refused:
            error = str(refused)
        except BaseException:
            _log.exception("job failed", extra={"job": self._now.id})
            raise
        finally:
            self._end(state, error, result)

    def _end(self, state: State, error: str = "", result: Mapping[str, str | int] | None = None) -> None:
        files = tuple(
            sorted(
                path.relative_to(self.folder).as_posix() for path in self.folder.rglob("*") if path.is_file()
            )
        )
        self._set(
            lambda now: replace(
                now, state=state, error=error, result=result or {}, files=files, step="", ended_at=_time()
            )
        )

    def _set(self, how: Callable[[JobState], JobState]) -> None:
        with self._lock:
            self._now = replace(how(self._now), version=self._now.version + 1)
        if not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._announce)

    def _announce(self) -> None:
        before, self._changed = self._changed, asyncio.Event()
        before.set()


class Jobs:
    """The jobs of one process. Everything but the work itself happens on the event loop."""

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._jobs: dict[str, Job] = {}
        self._threads = ThreadPoolExecutor(AT_ONCE, thread_name_prefix=THREADS_OF_JOBS)
        self._running: set[Future[None]] = set()

    def start(self, kind: str, corpus: str, work: Work) -> JobState:
        """Start a job, or let it wait for its turn.

        Raises:
            TooManyJobsError: too many wait already.
        """
        waiting = sum(job.now.state == "waiting" for job in self._jobs.values())
        if waiting >= MOST_WAITING:
            raise TooManyJobsError(f"{waiting} jobs wait already.", "Stop one, or wait for one to end.")
        id_ = uuid4().hex
        state = JobState(id_, kind, corpus, created_at=_time())
        job = Job(state, self._folder / id_, asyncio.get_running_loop())
        self._jobs[id_] = job
        running = self._threads.submit(job.run, work)
        self._running.add(running)
        running.add_done_callback(self._running.discard)
        self._forget()
        return job.now

    def list(self) -> tuple[JobState, ...]:
        """All jobs that are remembered, the newest first."""
        return tuple(job.now for job in reversed(self._jobs.values()))

    def find(self, id_: str) -> Job | None:
        """The job of an id; None where there is none, or no longer."""
        return self._jobs.get(id_)

    def counts(self) -> dict[State, int]:
        """How many jobs are in each state."""
        found: dict[State, int] = dict.fromkeys(("waiting", "running", "done", "failed", "stopped"), 0)
        for job in self._jobs.values():
            found[job.now.state] += 1
        return found

    async def close(self) -> None:
        """Stop all jobs, and wait for them a while: one that waits for a model comes to no step."""
        for job in self._jobs.values():
            job.stop()
        self._threads.shutdown(wait=False, cancel_futures=True)
        await asyncio.to_thread(wait, tuple(self._running), SECONDS_TO_STOP)

    def _forget(self) -> None:
        ended = [id_ for id_, job in self._jobs.items() if job.now.state in ENDED]
        for id_ in ended[: max(0, len(ended) - MOST_KEPT)]:
            shutil.rmtree(self._jobs.pop(id_).folder, ignore_errors=True)


async def follow(job: Job, version: int = -1) -> AsyncIterator[JobState]:
    """The job whenever it changed since `version`, to its end; what changes fast is told seldom."""
    while True:
        changed = job.changed
        now = job.now
        if now.version > version:
            version = now.version
            yield now
            if now.state in ENDED:
                return
            await asyncio.sleep(SECONDS_BETWEEN)
        elif now.state in ENDED:
            return
        else:
            await changed.wait()


def _time() -> str:
    return datetime.now(UTC).isoformat(timespec="seconds")
