"""A job on Ray ends as it does on this machine, on one node or two, whoever is killed on the way.

Each needs Ray (the extra `ray`), starts clusters of its own, and is part of the campaign.
"""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from itertools import islice
from pathlib import Path
from typing import Any

import psutil
import pytest

from kg.corpus import drop_corpus, fingerprint
from kg.engine.choose import Fault, Work, make_engine
from kg.engine.cluster import AHEAD, LOST, RayEngine, describe_cluster
from kg.errors import EngineError
from kg.progress import Silent
from kg.settings import Settings
from kg.stages import articles, vectors
from kg.stages.articles import ArticleLimits, ingest_articles
from kg.store.graph import Graph
from services.pipeline import make_tools, open_for_job, run_job
from tests.conftest import ServerAddress
from tests.ray_nodes import ray_nodes
from tests.small_world import OPTIONS, write_articles

pytestmark = pytest.mark.campaign
ROOT = Path(__file__).parents[3]


@contextmanager
def cluster(nodes: int) -> Iterator[Any]:
    """A Ray cluster of so many nodes of a core each on this machine, which this process is connected to."""
    os.environ["PYTHONPATH"] = os.pathsep.join((str(ROOT), os.environ.get("PYTHONPATH", "")))
    ray = pytest.importorskip("ray", reason="Ray is not installed")
    with ray_nodes(nodes) as running:
        try:
            ray.init(address=running.address, log_to_driver=False, logging_level="ERROR")
            yield running
        finally:
            ray.shutdown()


def workers() -> list[psutil.Process]:
    """The processes of actors of ours, on all nodes."""
    return [
        process
        for process in psutil.Process().children(recursive=True)
        if process.is_running() and process.name().startswith("ray::Worker")
    ]


def all_ended() -> bool:
    """Whether no actor is left; Ray ends them in its own time."""
    _, alive = psutil.wait_procs(workers(), 60)
    return not alive


def open_multiplier(factor: int) -> Callable[[int], tuple[int, int]]:
    """Multiplies, tells its process, fails at 7, and is ended by 13."""

    def multiply(number: int) -> tuple[int, int]:
        if number == 7:
            raise KeyError("seven")
        if number == 13:
            os.kill(os.getpid(), signal.SIGKILL)
        return factor * number, os.getpid()

    return multiply


def multiplying(key: str = "") -> Work[int, tuple[int, int]]:
    return Work(key, partial(open_multiplier, 3))


def test_an_item_s_fault_a_lost_worker_and_a_node_that_comes_or_goes_are_kept_apart() -> None:
    with cluster(2) as running:
        engine = make_engine("ray")
        mapped = engine.map(multiplying(), range(30))
        outcomes = list(mapped)
        assert outcomes[13] == Fault("lost", LOST)
        assert outcomes[7] == Fault("item", "KeyError: 'seven'")
        products = [one[0] for one in outcomes if not isinstance(one, Fault)]
        assert products == [3 * number for number in range(30) if number not in {7, 13}]
        assert all_ended()

        taken = 0

        def numbers() -> Iterator[int]:
            nonlocal taken
            for number in range(100, 700):
                taken += 1
                yield number

        found: list[tuple[int, int] | Fault] = []
        lasting = engine.map(multiplying(), numbers())
        found += islice(lasting, 50)
        assert taken <= 50 + 2 * AHEAD
        workers()[0].kill()
        found += islice(lasting, 100)
        joined = running.add_node(num_cpus=1, object_store_memory=80 << 20)
        found += islice(lasting, 100)
        running.remove_node(joined)
        found += lasting
        assert [one[0] for one in found if not isinstance(one, Fault)] == [3 * n for n in range(100, 700)]

        cancelled = engine.map(multiplying(), range(100, 10_000))
        next(cancelled)
        cancelled.close()  # type: ignore[attr-defined]
        assert all_ended()


def open_nothing() -> Callable[[int], int]:
    raise FileNotFoundError("no model here")


def test_workers_are_used_again_and_those_that_can_not_work_are_told_of() -> None:
    with cluster(1):
        engine = RayEngine("ray")
        first, second = (
            {one[1] for one in engine.map(multiplying("triple"), range(3)) if not isinstance(one, Fault)}
            for _ in range(2)
        )
        assert first == second
        broken: Work[int, int] = Work("", open_nothing)
        mapped = engine.map(broken, [1])
        with pytest.raises(EngineError, match="no model here"):
            next(mapped)
        facts = describe_cluster("ray")
        assert facts is not None
        assert (facts.nodes, facts.cores, facts.differing, facts.silent) == (1, 1, {}, [])


class Killing(Silent):
    """Kills a worker once in each step, when the first part of it is done."""

    def __init__(self) -> None:
        self.killed: list[str] = []
        self._step = ""

    def step(self, name: str, total: int | None = None) -> None:
        self._step = name

    def advance(self, steps: int = 1) -> None:
        if self._step not in self.killed and (found := workers()):
            found[0].kill()
            self.killed.append(self._step)


def job(
    graph: Graph, address: ServerAddress, corpus: str, engine: str, folder: Path, progress: Silent
) -> str:
    """The main job on the small corpus by an engine; the fingerprint of all that it leaves."""
    place = {name.lower(): value for name, value in address.environment().items()}
    settings = Settings.model_validate({**place, "hopgrade_engine": engine})
    tools = make_tools("builtin", settings)
    open_for_job(graph, corpus, OPTIONS, tools)
    ingest_articles(graph, corpus, [write_articles(folder)], {}, ArticleLimits(1, 8_192), Silent())
    run_job(graph, corpus, OPTIONS, tools, progress, settings=settings)
    found = fingerprint(graph, corpus)
    drop_corpus(graph, corpus)
    return found


def test_the_graph_is_equal_on_one_node_on_two_and_with_a_worker_killed_in_each_stage(
    graph: Graph,
    server_address: ServerAddress,
    corpus: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # So that the small corpus makes many parts of each stage.
    monkeypatch.setattr(articles, "CHUNKED_A_BATCH", 2)
    monkeypatch.setattr(vectors, "TEXTS_A_BATCH", dict.fromkeys(vectors.TEXTS_A_BATCH, 4))
    here = job(graph, server_address, corpus, "local", tmp_path, Silent())
    with cluster(1):
        assert job(graph, server_address, corpus, "ray", tmp_path, Silent()) == here
    with cluster(2):
        assert job(graph, server_address, corpus, "ray", tmp_path, Silent()) == here
        killing = Killing()
        assert job(graph, server_address, corpus, "ray", tmp_path, killing) == here
    stages = {"chunks", "vectors of chunks", "claims and triples", "vectors of claims", "run single-step"}
    assert stages <= set(killing.killed)
