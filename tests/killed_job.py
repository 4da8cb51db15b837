"""A main job that kills itself at a given write; `python -m tests.killed_job` takes orders as JSON lines.

Each order forks a child that runs the job on the small world and sends itself SIGKILL at one write of one
stage: right after the commit, or inside the transaction, before it. The models are loaded, and the articles
read, once before any fork; each child has a connection of its own.
"""

import gc
import json
import os
import signal
import sys
from dataclasses import asdict, dataclass, replace
from typing import Any, NoReturn
from uuid import uuid4

from neo4j import Query as DriverQuery

from kg.corpus import drop_corpus
from kg.queries import Query
from kg.stages.path_finding import PathOptions
from kg.store.graph import Graph, Row, sendable
from services.pipeline import JobOptions
from tests import small_world

PER_DEPTH = 3


@dataclass(frozen=True, slots=True)
class Order:
    """Which job to run, and at which write of a stage it dies; `write` is None for the ledger's "done"."""

    corpus: str
    seed: int
    stage: str
    write: int | None
    committed: bool

    def as_line(self) -> str:
        """The order as it is sent."""
        return json.dumps(asdict(self)) + "\n"


def options(seed: int) -> JobOptions:
    """The job's options; the seed goes into resolution and into the draw of paths."""
    build = replace(small_world.OPTIONS.build, seed=seed, paths=PathOptions(PER_DEPTH, seed))
    return replace(small_world.OPTIONS, build=build)


class StageGraph(Graph):
    """A graph that knows which stage is at work; the corpus itself counts to the first one."""

    stage = "articles"
    state = ""

    def note(self, statement: Query, params: dict[str, object]) -> None:
        """Learn from the ledger's own writes which stage begins."""
        if statement.name == "store/write_stage":
            line = params["stage"]
            assert isinstance(line, dict)
            self.stage, self.state = str(line["name"]).split()[0], str(line["state"])
        else:
            self.state = ""


class DyingGraph(StageGraph):
    """A graph whose process is killed at one of its writes."""

    order: Order
    writes = 0

    def rows(self, statement: Query, **params: object) -> list[Row]:
        """Run the statement, and die if it is the one."""
        if statement.mode == "read":
            return super().rows(statement, **params)
        self.note(statement, params)
        dying = self._is_the_one()
        if dying and not self.order.committed:
            self._die_inside(statement, params)
        found = super().rows(statement, **params)
        if dying:
            _die()
        return found

    def _is_the_one(self) -> bool:
        if self.stage != self.order.stage:
            return False
        self.writes += 1
        return self.state == "done" if self.order.write is None else self.writes == self.order.write

    def _die_inside(self, statement: Query, params: dict[str, object]) -> NoReturn:
        with self._driver.session(database=self.database) as session:
            if statement.mode == "write alone":
                session.run(DriverQuery(statement.text), sendable(params))
                _die()
            transaction = session.begin_transaction()
            transaction.run(statement.text, sendable(params)).consume()
            _die()


def _die() -> NoReturn:
    os.kill(os.getpid(), signal.SIGKILL)
    raise AssertionError("SIGKILL can't be survived")


def _address() -> tuple[str, str, str, str]:
    environment = os.environ
    return (
        environment["NEO4J_URI"],
        environment["NEO4J_USERNAME"],
        environment["NEO4J_PASSWORD"],
        environment["NEO4J_DATABASE"],
    )


def _read_all_once() -> None:
    """Run the job in a corpus of its own: what `small_world.tools` remember of it, each child inherits."""
    corpus = f"test-{uuid4().hex[:12]}"
    with Graph.connect(*_address()) as graph:
        small_world.run_small_job(graph, corpus, options=options(0))
        drop_corpus(graph, corpus)
    gc.freeze()


def _run(order: Order) -> None:
    with DyingGraph.connect(*_address()) as graph:
        graph.order = order
        small_world.run_small_job(graph, order.corpus, options=options(order.seed))


def _run_in_a_child(order: Order) -> int:
    """The exit code of the child, below 0 for a signal."""
    child = os.fork()
    if child == 0:
        code = 1
        try:
            _run(order)
            code = 0
        finally:
            os._exit(code)
    _, status = os.waitpid(child, 0)
    return os.waitstatus_to_exitcode(status)


def main() -> None:
    """Take orders until the input ends; each is answered by the exit code of its child."""
    _read_all_once()
    for line in sys.stdin:
        given: dict[str, Any] = json.loads(line)
        print(_run_in_a_child(Order(**given)), flush=True)  # noqa: T201


if __name__ == "__main__":
    main()
