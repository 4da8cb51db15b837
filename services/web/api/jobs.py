"""Long work that a request starts and others follow: watched, stopped, its files kept for a while.

A job runs in a thread of its own. Stopping it interrupts it as Ctrl-C does a command: at the next step that
it tells of, so that what is done stays and the same job goes on from there. Jobs live as long as the process.

What jobs do: answer the questions of a corpus, report on runs, compute what takes long, export a graph.
"""

import asyncio
import json
import logging
import shutil
import threading
from collections.abc import AsyncIterator, Callable, Iterator, Mapping, Sequence
from concurrent.futures import Future, ThreadPoolExecutor, wait
from contextlib import contextmanager
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Literal
from uuid import uuid4
from zipfile import ZIP_DEFLATED, ZipFile

from kg.embed.choose import Embedder, embedder_of
from kg.errors import CorpusError, HopgradeError, UserError
from kg.llm.budget import Budget
from kg.llm.roles import role_budget
from kg.progress import Progress
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.leases import Waiting, answering_in, reading_whole
from services.datasets.choose import choose_format
from services.datasets.graph_content import GraphContent, Part
from services.datasets.graph_write import choose_graph_format, export_graph
from services.datasets.write import ExportOptions, export_dataset
from services.preflight.asking import prepare_run
from services.rag.run_options import RunOptions
from services.report.content import report_json
from services.report.html import render_html
from services.report.make import make_report
from services.runs.records import Loss, read_loss
from services.runs.start import RunPlan, plan_run, start_run

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


Result = Mapping[str, str | int]


@dataclass(frozen=True, slots=True)
class GraphWanted:
    """What an export of the graph holds."""

    part: Part
    texts: bool
    vectors: bool
    licence: str


def answering(
    graph: Graph, settings: Settings, corpus: str, several: Sequence[RunOptions], anew: bool
) -> Work:
    """Start runs one after another, or go on with them; `anew` allows to delete answers that other settings
    gave. All draw on one budget; the result has the name of the first."""

    def work(progress: Watched, _: Path) -> Result:
        embedder = embedder_of(graph, corpus, settings)
        budget = role_budget("answer", settings) if several[0].generator == "model" else None
        started = [answer(progress, embedder, budget, options) for options in several]
        return {"run": started[0].settings.name, "questions": started[0].questions, "runs": len(started)}

    def answer(progress: Watched, embedder: Embedder, budget: Budget | None, options: RunOptions) -> RunPlan:
        name = plan_run(graph, corpus, options, settings, embedder).settings.name
        with answering_in(graph, corpus, name, _waiting(progress)) as mine:
            plan = plan_run(mine, corpus, options, settings, embedder)
            if plan.anew:
                _refuse_loss(corpus, plan.settings.name, read_loss(mine, corpus, plan.settings), anew)
            prepare_run(mine, corpus, options, plan, settings, embedder, progress, budget)
            start_run(mine, corpus, options, settings, embedder, progress, budget, plan)
        return plan

    return work


def reporting(graph: Graph, corpus: str, runs: Sequence[str], seed: int) -> Work:
    """Report on runs: a page, and the same as JSON."""

    def work(progress: Watched, folder: Path) -> Result:
        with reading_whole(graph, corpus, _waiting(progress)) as mine:
            made = make_report(mine, corpus, runs, progress, seed)
        (folder / "report.html").write_text(render_html(made), encoding="utf-8")
        _write_json(folder / "report.json", report_json(made))
        return {"runs": len(made.runs), "comparisons": len(made.comparisons)}

    return work


def computing(name: str, compute: Callable[[Progress], Mapping[str, object]]) -> Work:
    """Compute something, and leave it as a JSON file of this name."""

    def work(progress: Watched, folder: Path) -> Result:
        _write_json(folder / name, compute(progress))
        return {}

    return work


def _write_json(path: Path, told: object) -> None:
    path.write_text(json.dumps(told, ensure_ascii=False, indent=2, default=str), encoding="utf-8")


def exporting_dataset(graph: Graph, corpus: str, format_: str, options: ExportOptions) -> Work:
    """Export the questions of a corpus with their articles: the folder as one archive.

    Raises:
        SettingsError: there is no such format.
    """
    chosen = choose_format(format_)

    def work(progress: Watched, folder: Path) -> Result:
        with _export_of(graph, corpus, folder, progress) as (mine, place):
            done = export_dataset(mine, corpus, chosen, place, options, progress)
            return {"format": done.format, **_archived(done.folder, folder, f"{chosen.name}.zip", progress)}

    return work


def exporting_graph(graph: Graph, corpus: str, format_: str, wanted: GraphWanted) -> Work:
    """Export the graph of a corpus: the folder as one archive.

    Raises:
        SettingsError: there is no such format.
    """
    chosen = choose_graph_format(format_)

    def work(progress: Watched, folder: Path) -> Result:
        content = GraphContent(part=wanted.part, texts=wanted.texts, vectors=wanted.vectors)
        with _export_of(graph, corpus, folder, progress) as (mine, place):
            done = export_graph(mine, corpus, chosen, content, place, progress, wanted.licence)
            facts = {"nodes": sum(done.nodes.values()), "edges": sum(done.edges.values())}
            return {
                "format": chosen.name,
                **facts,
                **_archived(place, folder, f"{chosen.name}.zip", progress),
            }

    return work


def _waiting(progress: Watched) -> Waiting:
    """Tell for whom a job waits; a job that is stopped ends here."""
    return lambda other: progress.step(f"waiting for {other}")


@contextmanager
def _export_of(graph: Graph, corpus: str, folder: Path, progress: Watched) -> Iterator[tuple[Graph, Path]]:
    """The graph of a corpus that stays as it is, and a place for its export that goes afterwards."""
    with (
        reading_whole(graph, corpus, _waiting(progress)) as mine,
        TemporaryDirectory(dir=folder) as place,
    ):
        yield mine, Path(place) / "export"


def _archived(export: Path, folder: Path, name: str, progress: Progress) -> Result:
    """Put an export into an archive, file by file, so that memory does not grow with it."""
    files = sorted(path for path in export.rglob("*") if path.is_file())
    progress.step("archive", len(files))
    with ZipFile(folder / name, "x", ZIP_DEFLATED) as archive:
        for path in files:
            archive.write(path, path.relative_to(export).as_posix())
            progress.advance()
    return {"files": len(files), "bytes": (folder / name).stat().st_size}


def _refuse_loss(corpus: str, name: str, loss: Loss, anew: bool) -> None:
    """Keep answers that other settings gave, unless the caller allowed to delete them; verdicts always.

    Raises:
        CorpusError: they would be deleted.
    """
    if loss.verdicts:
        raise CorpusError(
            f"run {name!r} of corpus {corpus!r} was made otherwise, and has {loss.verdicts:,} verdicts.",
            "Give this one another name.",
        )
    if loss.answers and not anew:
        raise CorpusError(
            f"run {name!r} of corpus {corpus!r} was made otherwise: {loss.answers:,} answers would go.",
            'Give this one another name, or send "anew": true.',
        )
