"""One real Neo4j for the whole session, and a corpus of its own for each test that wants one.

The bundled corpus, which takes the longest, is made by a process of its own from the start on; tests that
need it come last. With `-n 2` two processes share the server and that corpus: `tests.two_workers`.
"""

import gc
import os
from collections.abc import Iterator
from pathlib import Path

import pytest
from hypothesis import settings as hypothesis_settings

from kg.corpus import drop_corpus
from kg.errors import ServerError
from kg.progress import Silent
from kg.queries import query
from kg.server import ensure_running, stop
from kg.settings import Settings
from kg.stages.vectors import SEARCHED, embed_for_search
from kg.store.graph import Graph
from tests.graph_reading import contents
from tests.kg.server.conftest import compiled_once, settings_for, trained_cache
from tests.names import unique_name
from tests.seed_job import SeedJob, seed_job
from tests.session_server import ServerAddress, folder_for_homes, session_server
from tests.small_world import run_small_job, tools
from tests.two_workers import (
    given_job,
    given_server,
    pytest_collection_modifyitems,
    pytest_configure_node,
    pytest_sessionstart,
    pytest_unconfigure,
    pytest_xdist_make_scheduler,
)

__all__ = [
    "ServerAddress",
    "pytest_collection_modifyitems",
    "pytest_configure_node",
    "pytest_sessionstart",
    "pytest_unconfigure",
    "pytest_xdist_make_scheduler",
]

# A cache that makes later starts quicker takes two minutes of a processor; tests of it make their own.
os.environ.setdefault("HOPGRADE_SERVER_TRAINING", "false")

hypothesis_settings.register_profile("hopgrade", deadline=None, print_blob=True, derandomize=True)
hypothesis_settings.load_profile("hopgrade")


_READERS_OF_SMALL_CORPUS = pytest.StashKey[set[Path]]()
_AS_LEFT = pytest.StashKey[frozenset[str]]()
"""The small corpus as the last module left it."""


def pytest_collection_finish(session: pytest.Session) -> None:
    """Note which files use the small corpus, and leave what is loaded out of all collections of garbage.

    To look through thousands of tests at each file, or at each collection, takes seconds each time.
    """
    session.stash[_READERS_OF_SMALL_CORPUS] = {
        item.path for item in session.items if "small_corpus" in getattr(item, "fixturenames", ())
    }
    gc.collect()
    gc.freeze()


@pytest.fixture(scope="session")
def server_address(request: pytest.FixtureRequest) -> Iterator[ServerAddress]:
    """The session's server."""
    given = given_server(request.config)
    if given is not None:
        yield given
        return
    with session_server() as address:
        yield address


@pytest.fixture(scope="session")
def bundled_job(server_address: ServerAddress, request: pytest.FixtureRequest) -> Iterator[SeedJob | None]:
    """The job over the bundled corpus, under way if any test needs it."""
    given = given_job(request.config)
    if given is not None:
        yield given
    elif any("seed_corpus" in getattr(item, "fixturenames", ()) for item in request.session.items):
        with seed_job(server_address) as job:
            yield job
    else:
        yield None


@pytest.fixture(scope="session")
def graph(server_address: ServerAddress, bundled_job: SeedJob | None) -> Iterator[Graph]:
    """An open graph with its schema, shared by all tests."""
    with server_address.connect() as opened:
        yield opened


@pytest.fixture(scope="session")
def trained(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Path]:
    """Java's ahead-of-time cache, which servers of tests start by from now on."""
    with trained_cache(tmp_path_factory.mktemp("cache")) as made:
        yield made


@pytest.fixture(scope="session")
def gds_settings(graph: Graph, server_address: ServerAddress) -> Iterator[Settings]:
    """Settings that lead to the session's server where it has graph data science, or to a managed one."""
    with folder_for_homes() as home:
        if graph.rows(query("gds/is_installed"))[0]["installed"]:
            given = {name.lower(): value for name, value in server_address.environment().items()}
            yield Settings.model_validate(Settings().model_dump() | given | {"hopgrade_home": home})
            return
        managed = settings_for(home, hopgrade_server_heap="512m", hopgrade_cache=Settings().hopgrade_cache)
        try:
            with compiled_once():
                ensure_running(managed, Silent(), gds=True)
        except ServerError as error:
            pytest.skip(f"the graph data science plugin can't be had here: {error.message}")
        yield managed
        stop(managed)


@pytest.fixture
def corpus(graph: Graph) -> Iterator[str]:
    """A corpus name of the test's own; what is in it is deleted afterwards."""
    name = unique_name("test")
    yield name
    drop_corpus(graph, name)


@pytest.fixture
def kg_environment(server_address: ServerAddress, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Make `kg`, in this process or below it, use the session's server and nothing of the user's."""
    for name, value in server_address.environment().items():
        monkeypatch.setenv(name, value)
    monkeypatch.setenv("HOPGRADE_HOME", str(tmp_path / "home"))
    # Scripted endpoints answer what their tests are about; tests of the preflight turn it on.
    monkeypatch.setenv("HOPGRADE_PREFLIGHT", "false")
    # Else every run of a test would send its spans to the developer's collector.
    monkeypatch.delenv("OTEL_EXPORTER_OTLP_ENDPOINT", raising=False)
    monkeypatch.chdir(tmp_path)


@pytest.fixture(scope="session")
def shared_data() -> Path:
    """The folder of real corpora that lies beside some checkouts; tests that want it skip where it is not."""
    folder = Path(os.environ.get("HOPGRADE_SHARED", Path(__file__).parents[2] / "shared")) / "data"
    if not folder.is_dir():
        pytest.skip(f"no folder of real corpora at {folder}; set HOPGRADE_SHARED to one")
    return folder


@pytest.fixture(scope="session")
def seed_corpus(bundled_job: SeedJob | None) -> str:
    """The bundled corpus, taken the whole way to its matrix as `kg demo` does."""
    if bundled_job is None:
        pytest.fail("nobody started the job: a test asked for the corpus by its name alone")
    return bundled_job.ended()


@pytest.fixture(scope="session")
def small_corpus(graph: Graph) -> Iterator[str]:
    """The small world after the whole job, for tests that only read it; a run of their own they drop."""
    name = unique_name("small", "session")
    run_small_job(graph, name)
    # Else the first that reads these vectors would change what others find.
    embed_for_search(graph, name, tuple(SEARCHED), tools().embedder, Silent())
    yield name
    drop_corpus(graph, name)


@pytest.fixture(scope="module", autouse=True)
def _the_small_corpus_is_left_as_found(request: pytest.FixtureRequest) -> Iterator[None]:
    """What a module leaves there would fail another one, and only where that comes after it."""
    if request.path not in request.session.stash[_READERS_OF_SMALL_CORPUS]:
        yield
        return
    graph, name = request.getfixturevalue("graph"), request.getfixturevalue("small_corpus")
    stash = request.session.stash
    found = stash.get(_AS_LEFT, None) or contents(graph, name)
    yield
    stash[_AS_LEFT] = contents(graph, name)
    changed = sorted(stash[_AS_LEFT] ^ found)
    assert not changed, f"{request.node.name} changed {len(changed)} lines, such as {changed[0][:1_000]}"
