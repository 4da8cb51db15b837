"""One real Neo4j for the whole session, and a corpus of its own for each test that wants one.

The bundled corpus, which takes the longest, is made by a process of its own from the first use of the graph
on; tests that need it come last.

The server is, in this order: the one that NEO4J_URI names, the managed one with a store in a temporary
folder, or a container where the managed one can't be had.
"""

import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory
from uuid import uuid4

import pytest
from hypothesis import settings as hypothesis_settings

from kg.corpus import drop_corpus
from kg.errors import ServerError
from kg.progress import Silent
from kg.server import ensure_running, stop
from kg.server.aot import aot_cache, options_to_use
from kg.server.download import fetch_files
from kg.server.failure import DiagnosedStartError
from kg.server.java import java_home
from kg.server.launch import Launch, launch
from kg.server.layout import server_cache, server_home
from kg.server.lock import read_lock
from kg.server.ports import BOLT_PORT, HTTP_PORT, choose_port
from kg.server.process import RunningServer
from kg.settings import Settings
from kg.store.graph import Graph
from kg.store.schema import migrate
from tests.small_world import run_small_job

ROOT = Path(__file__).parents[1]
MEMORY = Path("/dev/shm")
"""A file system without a disk, where there is one: each commit waits for the disk that holds the store."""
STORE_BYTES = 2 * 2**30
"""A store takes 0.1 GiB at the end of a session; the rest is for whoever else uses the memory."""

hypothesis_settings.register_profile("hopgrade", deadline=None, print_blob=True)
hypothesis_settings.load_profile("hopgrade")


@dataclass(frozen=True, slots=True)
class ServerAddress:
    """Where the session's Neo4j is."""

    uri: str
    username: str
    password: str
    database: str = "neo4j"

    def environment(self) -> dict[str, str]:
        """The variables that make `kg` use this server."""
        return {
            "NEO4J_URI": self.uri,
            "NEO4J_USERNAME": self.username,
            "NEO4J_PASSWORD": self.password,
            "NEO4J_DATABASE": self.database,
        }


@dataclass(frozen=True, slots=True)
class SeedJob:
    """The corpus that a process makes, and the process."""

    corpus: str
    process: subprocess.Popen[str] | None

    def ended(self) -> str:
        """The corpus once it is whole."""
        if self.process is None:
            pytest.fail("nobody started the job: a test asked for the corpus by its name alone")
        said, _ = self.process.communicate()
        assert self.process.returncode == 0, said
        return self.corpus


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Tests of the bundled corpus come last, each file's in their order."""
    items.sort(key=_needs_seed_corpus)


def _needs_seed_corpus(item: pytest.Item) -> bool:
    return isinstance(item, pytest.Function) and "seed_corpus" in item.fixturenames


@pytest.fixture(scope="session")
def server_address(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ServerAddress]:
    """The session's server."""
    given = os.environ.get("NEO4J_URI")
    if given:
        yield ServerAddress(
            given,
            os.environ.get("NEO4J_USERNAME", "neo4j"),
            os.environ.get("NEO4J_PASSWORD", ""),
            os.environ.get("NEO4J_DATABASE", "neo4j"),
        )
        return
    with _home(tmp_path_factory) as home:
        settings = Settings(hopgrade_home=home, neo4j_uri=None)
        try:
            running = _managed(settings)
        except ServerError as error:
            yield from _container(error)
            return
        try:
            yield ServerAddress(running.uri, running.username, running.password)
        finally:
            stop(settings)


@contextmanager
def _home(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """A folder for the server, in memory where that is large enough."""
    if os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > STORE_BYTES:
        with TemporaryDirectory(prefix="hopgrade-tests-", dir=MEMORY, ignore_cleanup_errors=True) as folder:
            yield Path(folder)
    else:
        yield tmp_path_factory.mktemp("hopgrade")


def _managed(settings: Settings) -> RunningServer:
    """The managed server, whose Java compiles only once and at once.

    Nearly every statement is planned for the first time and run a few times: Java's second compiler would
    take more time than it saves.
    """
    home, lock = server_home(settings), read_lock("server")
    home.make_folders()
    jars = fetch_files(settings, Silent())
    aot = aot_cache(server_cache(settings), java_home(), jars)
    bolt_port = choose_port("Bolt", None, BOLT_PORT, "--bolt-port")
    plan = Launch(
        version=lock.version,
        jars=tuple(jars),
        bolt_port=bolt_port,
        http_port=choose_port("Neo4j Browser", None, HTTP_PORT, "--http-port", avoid=bolt_port),
        heap=settings.hopgrade_server_heap,
        page_cache=settings.hopgrade_server_page_cache,
        java_options=(*options_to_use(aot), "-XX:TieredStopAtLevel=1"),
    )
    try:
        return launch(home, plan)
    except DiagnosedStartError:
        # Somebody took the port, or Java choked on its cache: this way tries again, and without.
        return ensure_running(settings, Silent())


def _container(error: ServerError) -> Iterator[ServerAddress]:
    from testcontainers.community.neo4j import Neo4jContainer  # noqa: PLC0415
    from testcontainers.core.exceptions import ContainerStartException  # noqa: PLC0415

    try:
        container = Neo4jContainer("neo4j:2026.08.1").start()
    except (ContainerStartException, OSError) as no_container:
        raise error from no_container
    try:
        yield ServerAddress(container.get_connection_url(), container.username, container.password)
    finally:
        container.stop()


@pytest.fixture(scope="session")
def migrated(server_address: ServerAddress) -> Iterator[Graph]:
    """An open graph with its schema."""
    address = server_address
    with Graph.connect(address.uri, address.username, address.password, address.database) as opened:
        migrate(opened)
        yield opened


@pytest.fixture(scope="session")
def seed_job(
    migrated: Graph, server_address: ServerAddress, request: pytest.FixtureRequest
) -> Iterator[SeedJob]:
    """The job over the bundled corpus, under way if any test needs it."""
    name = f"seed-{uuid4().hex[:12]}"
    if not any(map(_needs_seed_corpus, request.session.items)):
        yield SeedJob(name, None)
        return
    with subprocess.Popen(
        [sys.executable, "-m", "tests.seed_job", name],
        cwd=ROOT,
        env=os.environ | server_address.environment(),
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        yield SeedJob(name, process)
        process.kill()
    drop_corpus(migrated, name)


@pytest.fixture(scope="session")
def graph(migrated: Graph, seed_job: SeedJob) -> Graph:
    """An open graph with its schema, shared by all tests."""
    return migrated


@pytest.fixture
def corpus(graph: Graph) -> Iterator[str]:
    """A corpus name of the test's own; what is in it is deleted afterwards."""
    name = f"test-{uuid4().hex[:12]}"
    yield name
    drop_corpus(graph, name)


@pytest.fixture
def kg_environment(server_address: ServerAddress, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Make `kg`, in this process or below it, use the session's server and nothing of the user's."""
    for name, value in server_address.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOPGRADE_HOME", str(tmp_path / "home"))
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora that lies beside some checkouts; tests that want it skip where it is not."""
    folder = Path(os.environ.get("HOPGRADE_SHARED", Path(__file__).parents[2] / "shared")) / "data"
    if not folder.is_dir():
        pytest.skip(f"no folder of real corpora at {folder}; set HOPGRADE_SHARED to one")
    return folder


@pytest.fixture(scope="session")
def seed_corpus(seed_job: SeedJob) -> str:
    """The bundled corpus, taken the whole way to its matrix as `kg demo` does."""
    return seed_job.ended()


@pytest.fixture(scope="session")
def small_corpus(graph: Graph) -> Iterator[str]:
    """The small world after the whole job, for tests that only read it; a run of their own they drop."""
    name = f"small-{uuid4().hex[:12]}"
    run_small_job(graph, name)
    yield name
    drop_corpus(graph, name)
