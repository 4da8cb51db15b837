"""A job that is killed at any point, or stopped by Ctrl-C, ends in the same graph when it is run again."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from kg.corpus import drop_corpus, fingerprint
from kg.ledger import STAGES, read_ledger
from kg.progress import Silent
from kg.queries import Query
from kg.store.graph import Graph, Row
from services.pipeline import run_job
from tests import small_world
from tests.conftest import ServerAddress
from tests.killed_job import PER_DEPTH, Order, StageGraph, options
from tests.names import unique_name
from tests.representatives import representatives
from tests.small_world import run_small_job, write_articles

ROOT = Path(__file__).parents[2]
OLD_SEED, NEW_SEED = 3, 0
CLEARED = ("resolution", "paths", "questions", "run")
Kill = Callable[[Order], int]


class WatchedGraph(StageGraph):
    """A graph that notes each write with its stage, and what the ledger says."""

    writes: list[tuple[str, str]]

    def rows(self, statement: Query, **params: object) -> list[Row]:
        if statement.mode != "read":
            self.note(statement, params)
            self.writes.append((self.stage, self.state))
        return super().rows(statement, **params)


@dataclass(frozen=True, slots=True)
class Undisturbed:
    """A job to which nothing happened: what it left behind, and the states that each stage went through."""

    corpus: str
    fingerprint: str
    states: dict[str, list[str]]

    def deaths(self, seed: int, stage: str) -> list[Order]:
        """At the beginning of a stage, in the middle of its work, and when only the ledger is missing."""
        middle = max(2, (len(self.states[stage]) + 1) // 2)
        return [
            Order(self.corpus, seed, stage, 1, committed=True),
            Order(self.corpus, seed, stage, middle, committed=False),
            Order(self.corpus, seed, stage, None, committed=False),
        ]

    def deaths_while_clearing(self, seed: int, stage: str) -> list[Order]:
        """Before old output is deleted, while it is, and right after."""
        running = self.states[stage].index("running") + 1
        return [
            Order(self.corpus, seed, stage, 1, committed=True),
            Order(self.corpus, seed, stage, running - 1, committed=False),
            Order(self.corpus, seed, stage, running, committed=True),
        ]


def _undisturbed(graph: Graph, watched: WatchedGraph, corpus: str, seed: int) -> Undisturbed:
    watched.writes, watched.stage = [], "articles"
    run_small_job(watched, corpus, options=options(seed))
    states: dict[str, list[str]] = {}
    for stage, state in watched.writes:
        states.setdefault(stage, []).append(state)
    return Undisturbed(corpus, fingerprint(graph, corpus), states)


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
    assert process.wait(timeout=600) == 0


@pytest.fixture(scope="module")
def watched(server_address: ServerAddress) -> Iterator[WatchedGraph]:
    address = server_address
    with WatchedGraph.connect(address.uri, address.username, address.password, address.database) as graph:
        yield graph


@pytest.fixture(scope="module")
def fresh(graph: Graph, watched: WatchedGraph) -> Iterator[Undisturbed]:
    """The job in a corpus that is new."""
    name = unique_name("test", "module")
    yield _undisturbed(graph, watched, name, NEW_SEED)
    drop_corpus(graph, name)


@pytest.fixture(scope="module")
def changed(graph: Graph, watched: WatchedGraph, fresh: Undisturbed) -> Undisturbed:
    """The job in a corpus over which it has run with another seed; it ends as if it had been new."""
    run_small_job(graph, fresh.corpus, options=options(OLD_SEED))
    assert fingerprint(graph, fresh.corpus) != fresh.fingerprint
    again = _undisturbed(graph, watched, fresh.corpus, NEW_SEED)
    assert again.fingerprint == fresh.fingerprint
    return again


@pytest.mark.parametrize("stage", representatives(STAGES, "claims"))
def test_a_job_that_is_killed_three_times_goes_on(
    graph: Graph, kill: Kill, fresh: Undisturbed, stage: str
) -> None:
    drop_corpus(graph, fresh.corpus)
    for order in fresh.deaths(NEW_SEED, stage):
        assert kill(order) == -signal.SIGKILL, order
        assert fingerprint(graph, fresh.corpus) != fresh.fingerprint
    run_small_job(graph, fresh.corpus, options=options(NEW_SEED))
    assert fingerprint(graph, fresh.corpus) == fresh.fingerprint


@pytest.mark.campaign
@pytest.mark.parametrize("stage", representatives(CLEARED, "questions"))
def test_a_job_that_is_killed_while_it_clears_goes_on(
    graph: Graph, kill: Kill, changed: Undisturbed, stage: str
) -> None:
    run_small_job(graph, changed.corpus, options=options(OLD_SEED))
    for order in changed.deaths_while_clearing(NEW_SEED, stage):
        assert kill(order) == -signal.SIGKILL, order
    run_small_job(graph, changed.corpus, options=options(NEW_SEED))
    assert fingerprint(graph, changed.corpus) == changed.fingerprint


@pytest.mark.campaign
@pytest.mark.parametrize("stage", representatives(CLEARED, "resolution"))
def test_a_job_that_is_killed_while_it_clears_can_be_taken_back(
    graph: Graph, kill: Kill, changed: Undisturbed, stage: str
) -> None:
    """With the old options again, stages whose output is gone seem to be up to date by their keys."""
    run_small_job(graph, changed.corpus, options=options(NEW_SEED))
    for order in changed.deaths_while_clearing(OLD_SEED, stage):
        assert kill(order) == -signal.SIGKILL, order
        run_small_job(graph, changed.corpus, options=options(NEW_SEED))
        assert fingerprint(graph, changed.corpus) == changed.fingerprint, order


@pytest.mark.campaign
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
    assert process.wait(timeout=600) == 130, before + after
    assert "same command" in after
    assert "Traceback" not in after
    states = {line["name"]: line["state"] for line in read_ledger(graph, fresh.corpus)}
    assert states["vectors"] == "done"
    assert "matrix single-step" not in states
    run_job(graph, fresh.corpus, options(NEW_SEED), small_world.tools(), Silent())
    assert fingerprint(graph, fresh.corpus) == fresh.fingerprint
