"""A Neo4j that dies while it is at work: waited for, or told of in one sentence, and nothing is lost."""

import os
import signal
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path
from threading import Event

import psutil
import pytest

from kg.connect import migrate
from kg.corpus import fingerprint
from kg.errors import StoreUnavailableError
from kg.progress import Progress, Silent
from kg.server import RunningServer, ensure_running, stop
from kg.server.ports import choose_port
from kg.settings import Settings
from kg.store.graph import PATIENCE_SECONDS, Graph
from services.rag import answering
from services.rag.protocol import Hit, RagQuestion, Retriever
from services.rag.retrieval.choose import open_retriever
from services.rag.run_options import RunOptions
from services.runs.records import drop_run
from services.runs.start import start_run
from tests.kg.server.conftest import compiled_once, settings_for
from tests.session_server import folder_for_homes
from tests.small_world import run_small_job, tools

pytestmark = pytest.mark.campaign
PORTS, BROWSER_PORTS = 28_687, 28_474
"""Ranges of their own: servers that other tests start at the same time use others."""

CORPUS = "restarted"
AGAIN = RunOptions(name="again", retriever="graph")
ARTICLES = ("rovers", "owner", "founder", "teacher")
QUESTIONS = ("Who founded Halden Shipping?", "Where was Mira Tolland born?")
RETRIEVERS = ("vector", "words", "graph")


class Server:
    """A managed server that a test may kill and start again on the same port."""

    def __init__(self, settings: Settings) -> None:
        self._settings = settings
        self.running = self._started(
            choose_port("Bolt", None, PORTS, ""), choose_port("Browser", None, BROWSER_PORTS, "")
        )

    def connect(self, patience_seconds: float = PATIENCE_SECONDS) -> Graph:
        one = self.running
        return Graph.connect(one.uri, one.username, one.password, patience_seconds=patience_seconds)

    def kill(self) -> None:
        process = psutil.Process(self.running.pid)
        os.kill(self.running.pid, signal.SIGKILL)
        process.wait(600)

    def start(self) -> None:
        uri = self.running.uri
        self.running = self._started(self.running.bolt_port, self.running.http_port)
        assert self.running.uri == uri

    def _started(self, bolt_port: int, http_port: int) -> RunningServer:
        return ensure_running(self._settings, Silent(), bolt_port=bolt_port, http_port=http_port)


class AfterOneBatch(Silent):
    """Does something once the first batch of a run's answers is in the graph."""

    def __init__(self, action: Callable[[], object]) -> None:
        self._action = action
        self._answering = False
        self.acted = False

    def step(self, name: str, total: int | None = None) -> None:
        self._answering = name == f"run {AGAIN.name}"

    def advance(self, steps: int = 1) -> None:
        if self._answering and not self.acted:
            self.acted = True
            self._action()


@dataclass(frozen=True, slots=True)
class World:
    """The small world on a server of its own; `whole` is its fingerprint after an undisturbed run."""

    server: Server
    settings: Settings
    whole: str

    def run(self, graph: Graph, progress: Progress) -> str:
        """Start the run, or go on with it; the fingerprint afterwards."""
        start_run(graph, CORPUS, AGAIN, self.settings, tools().embedder, progress)
        return fingerprint(graph, CORPUS)


@pytest.fixture(scope="module")
def world(trained: Path, tmp_path_factory: pytest.TempPathFactory) -> Iterator[World]:
    assert trained.exists()
    with pytest.MonkeyPatch.context() as patch, compiled_once(), folder_for_homes() as folder:
        settings = settings_for(folder / "home")
        patch.setenv("HOPGRADE_CACHE", str(tmp_path_factory.mktemp("snapshots")))
        patch.setattr(answering, "QUESTIONS_A_BATCH", 4)
        try:
            server = Server(settings)
            with server.connect() as graph:
                migrate(graph)
                run_small_job(graph, CORPUS, ARTICLES)
                made = World(server, settings, "")
                yield World(server, settings, made.run(graph, Silent()))
        finally:
            stop(settings)


@pytest.fixture
def unanswered(world: World) -> Iterator[None]:
    """Without the run that the test before has ended."""
    with world.server.connect() as graph:
        drop_run(graph, CORPUS, AGAIN.name)
    yield


@pytest.mark.usefixtures("unanswered")
def test_a_restart_is_waited_for(world: World) -> None:
    """The run's own thread meets the dead server at once; others are in the midst of a search."""
    ended = Event()
    with world.server.connect() as graph, ThreadPoolExecutor() as pool:
        expected = {name: asked(opened(graph, name)) for name in RETRIEVERS}

        def killed_and_started() -> None:
            world.server.kill()
            starting.append(pool.submit(world.server.start))

        starting = list[object]()
        searching = [pool.submit(search_until, graph, name, ended) for name in RETRIEVERS]
        try:
            progress = AfterOneBatch(killed_and_started)
            assert world.run(graph, progress) == world.whole
        finally:
            ended.set()
        assert progress.acted
        for name, found in zip(RETRIEVERS, searching, strict=True):
            assert all(hits == expected[name] for hits in found.result())


@pytest.mark.usefixtures("unanswered")
def test_a_server_that_stays_away_ends_a_run_that_goes_on_later(world: World) -> None:
    progress = AfterOneBatch(world.server.kill)
    with world.server.connect(patience_seconds=0.5) as graph:
        with pytest.raises(StoreUnavailableError) as caught:
            world.run(graph, progress)
        assert progress.acted
        assert "\n" not in str(caught.value)
        assert "same command" in caught.value.remedy
        for name in RETRIEVERS:
            with pytest.raises(StoreUnavailableError, match="went away"):
                asked(opened(graph, name))
        world.server.start()
        # The connections of this very process are dead, and nobody has to make new ones.
        assert world.run(graph, Silent()) == world.whole


def opened(graph: Graph, name: str) -> Retriever:
    """A retriever of the small world."""
    return open_retriever(name, graph, CORPUS, tools().embedder)


def asked(retriever: Retriever) -> list[list[Hit]]:
    """What it finds."""
    vectors = tools().embedder.embed(QUESTIONS)
    return retriever.retrieve([RagQuestion(text, text, vectors[at]) for at, text in enumerate(QUESTIONS)])


def search_until(graph: Graph, name: str, ended: Event) -> list[list[list[Hit]]]:
    """What a retriever finds, again and again until something has ended, and once more."""
    retriever, found = opened(graph, name), list[list[list[Hit]]]()
    while not ended.wait(0.2):
        found.append(asked(retriever))
    return [*found, asked(retriever)]
