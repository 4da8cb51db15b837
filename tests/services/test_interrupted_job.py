"""A job that is killed at any point, or stopped by Ctrl-C, ends in the same graph when it is run again."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from uuid import uuid4

import pytest

from kg.corpus import drop_corpus, fingerprint
from kg.ledger import STAGES, read_ledger
from kg.progress import Silent
from kg.queries import Query
from kg.store.graph import Graph, Row
from services.pipeline import run_job
from tests import small_world
from tests.conftest import ServerAddress
from tests.killed_job import PER_DEPTH, Order, options
from tests.small_world import run_small_job, write_articles

ROOT = Path(__file__).parents[2]
OLD_SEED, NEW_SEED = 3, 0
CLEARED = ("resolution", "paths", "questions", "run")
Kill = Callable[[Order], int]


class WatchedGraph(Graph):
    """A graph that notes in which stage each write happens."""

    stage = "articles"
    writes: list[str]

    def rows(self, statement: Query, **params: object) -> list[Row]:
        if statement.name == "stages/write_stage":
            line = params["stage"]
            assert isinstance(line, dict)
            self.stage = str(line["name"]).split()[0]
        if statement.mode != "read":
            self.writes.append(self.stage)
        return super().rows(statement, **params)


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """What a job writes and leaves behind when nothing happens to it."""

    corpus: str
    writes: tuple[str, ...]
    fingerprint: str

    def points(self, stage: str) -> list[tuple[int, bool]]:
        """Writes of a stage at which to die: its first, one in the middle, before its commit, and its last
        but one, after which only the ledger is missing."""
        of_stage = [number for number, name in enumerate(self.writes, start=1) if name == stage]
        middle = of_stage[len(of_stage) // 2]
        return sorted({(of_stage[0], True), (middle, False), (of_stage[-2], True)})


@pytest.fixture(scope="module")
def kill(server_address: ServerAddress) -> Iterator[Kill]:
    """Runs a job that kills itself; how it ended."""
    process = subprocess.Popen(
        [sys.executable, "-m", "tests.killed_job"],
        cwd=ROOT,
        env=os.environ | server_address.environment(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        text=True,
    )
    assert process.stdin is not None
    assert process.stdout is not None
    sent, answers = process.stdin, process.stdout

    def run(order: Order) -> int:
        sent.write(order.as_line())
        sent.flush()
        return int(answers.readline())

    yield run
    sent.close()
    answers.close()
    assert process.wait(timeout=60) == 0


@pytest.fixture(scope="module")
def watched(server_address: ServerAddress) -> Iterator[WatchedGraph]:
    address = server_address
    with WatchedGraph.connect(address.uri, address.username, address.password, address.database) as graph:
        yield graph


@pytest.fixture(scope="module")
def fresh(graph: Graph, watched: WatchedGraph) -> Iterator[Undisturbed]:
    """The job in a corpus that is new."""
    name = f"test-{uuid4().hex[:12]}"
    watched.writes, watched.stage = [], "articles"
    run_small_job(watched, name, options=options(NEW_SEED))
    yield Undisturbed(name, tuple(watched.writes), fingerprint(graph, name))
    drop_corpus(graph, name)


@pytest.fixture(scope="module")
def changed(graph: Graph, watched: WatchedGraph, fresh: Undisturbed) -> Undisturbed:
    """The job in a corpus over which it has run with another seed."""
    drop_corpus(graph, fresh.corpus)
    run_small_job(graph, fresh.corpus, options=options(OLD_SEED))
    watched.writes, watched.stage = [], "articles"
    run_small_job(watched, fresh.corpus, options=options(NEW_SEED))
    assert fingerprint(graph, fresh.corpus) == fresh.fingerprint
    return Undisturbed(fresh.corpus, tuple(watched.writes), fresh.fingerprint)


@pytest.mark.parametrize("stage", STAGES)
def test_a_killed_job_goes_on(graph: Graph, kill: Kill, fresh: Undisturbed, stage: str) -> None:
    for write, committed in fresh.points(stage):
        drop_corpus(graph, fresh.corpus)
        assert kill(Order(fresh.corpus, NEW_SEED, write, committed)) == -signal.SIGKILL
        assert fingerprint(graph, fresh.corpus) != fresh.fingerprint
        run_small_job(graph, fresh.corpus, options=options(NEW_SEED))
        assert fingerprint(graph, fresh.corpus) == fresh.fingerprint, f"killed at write {write}"


@pytest.mark.parametrize("stage", CLEARED)
def test_a_job_killed_while_it_clears_goes_on(
    graph: Graph, kill: Kill, changed: Undisturbed, stage: str
) -> None:
    for write, committed in changed.points(stage):
        drop_corpus(graph, changed.corpus)
        run_small_job(graph, changed.corpus, options=options(OLD_SEED))
        assert kill(Order(changed.corpus, NEW_SEED, write, committed)) == -signal.SIGKILL
        run_small_job(graph, changed.corpus, options=options(NEW_SEED))
        assert fingerprint(graph, changed.corpus) == changed.fingerprint, f"killed at write {write}"


@pytest.mark.parametrize("stage", CLEARED)
def test_a_job_killed_while_it_clears_can_go_back(
    graph: Graph, kill: Kill, changed: Undisturbed, stage: str
) -> None:
    """The options are changed back after the kill, so that finished stages seem to be up to date."""
    for write, committed in changed.points(stage):
        drop_corpus(graph, changed.corpus)
        run_small_job(graph, changed.corpus, options=options(NEW_SEED))
        assert kill(Order(changed.corpus, OLD_SEED, write, committed)) == -signal.SIGKILL
        run_small_job(graph, changed.corpus, options=options(NEW_SEED))
        assert fingerprint(graph, changed.corpus) == changed.fingerprint, f"killed at write {write}"


def test_a_job_that_dies_again_and_again_ends_all_the_same(
    graph: Graph, kill: Kill, fresh: Undisturbed
) -> None:
    drop_corpus(graph, fresh.corpus)
    deaths = 0
    for life in range(len(fresh.writes)):
        if kill(Order(fresh.corpus, NEW_SEED, 6, committed=life % 2 == 0)) == 0:
            break
        deaths += 1
    assert deaths > 5
    assert fingerprint(graph, fresh.corpus) == fresh.fingerprint


def test_ctrl_c_ends_with_130_and_loses_nothing(
    graph: Graph, server_address: ServerAddress, fresh: Undisturbed, tmp_path: Path
) -> None:
    drop_corpus(graph, fresh.corpus)
    size = str(small_world.OPTIONS.build.chunk_size)
    process = subprocess.Popen(
        [
            *(sys.executable, "-c", "from cli.main import main; main()"),
            *("run-all", str(write_articles(tmp_path)), "--corpus", fresh.corpus, "--min-tokens", "1"),
            *("--chunks", size, "--per-depth", str(PER_DEPTH), "--seed", str(NEW_SEED)),
        ],
        cwd=ROOT,
        env=os.environ | server_address.environment(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,
    )
    assert process.stderr is not None
    with process.stderr as shown:
        before = next(line for line in shown if "vectors" in line)
        process.send_signal(signal.SIGINT)
        after = shown.read()
    assert process.wait(timeout=60) == 130, before + after
    assert "same command" in after
    assert "Traceback" not in after
    states = {line["name"]: line["state"] for line in read_ledger(graph, fresh.corpus)}
    assert states["vectors"] == "done"
    assert "matrix vector-10" not in states
    run_job(graph, fresh.corpus, options(NEW_SEED), small_world.tools(), Silent())
    assert fingerprint(graph, fresh.corpus) == fresh.fingerprint
