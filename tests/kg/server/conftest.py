"""Real servers in temporary homes. The fetched files come from the user's own cache, so they come once."""

import json
import os
import shutil
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import psutil
import pytest

from kg.progress import Silent
from kg.queries import query
from kg.server import RunningServer, ensure_running, java, stop
from kg.server.download import fetch_files
from kg.server.layout import ServerCache, server_cache
from kg.server.training import make_aot_cache
from kg.settings import Settings
from tests.session_server import folder_for_homes

ROOT = Path(__file__).parents[3]
ENSURE = """
import json, sys
from pathlib import Path
from kg.progress import Silent
from kg.server import ensure_running
from kg.store.graph import Graph
from tests.kg.server.conftest import compiled_once, settings_for
with compiled_once():
    server = ensure_running(settings_for(Path(sys.argv[1])), Silent())
Graph.connect(server.uri, server.username, server.password).close()
print(json.dumps({"pid": server.pid, "ports": [server.bolt_port, server.http_port]}))
"""


TRAINED = "HOPGRADE_TESTS_CACHE"
"""A variable with the cache folder of servers that tests start, for the processes that start some too."""


@dataclass(frozen=True, slots=True)
class StartedAtOnce:
    """A home whose server several processes wanted at the same moment, and what each of them found."""

    settings: Settings
    found: list[dict[str, object]]


def settings_for(home: Path, **more: str | int | Path | None) -> Settings:
    """Settings for a small server in a home of its own, whatever the environment says."""
    values = {
        "hopgrade_home": home, "neo4j_uri": None, "hopgrade_server_heap": "256m",
        "hopgrade_server_page_cache": "64m", "hopgrade_bolt_port": None, "hopgrade_http_port": None,
    }  # fmt: skip
    if trained := os.environ.get(TRAINED):
        values = {"hopgrade_cache": Path(trained), **values}
    return Settings.model_validate(Settings().model_dump() | values | more)


@contextmanager
def compiled_once() -> Iterator[None]:
    """Servers that start meanwhile leave out Java's second compiler, which works longer than they live."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(java, "_FLAGS", (*java._FLAGS, "-XX:TieredStopAtLevel=1"))
        yield


@contextmanager
def trained_cache(folder: Path) -> Iterator[Path]:
    """Java's ahead-of-time cache, made once for servers that tests start: they start in half the time.

    It lies in a folder of its own that borrows the fetched jars.
    """
    chosen = Settings()
    jars = fetch_files(chosen, Silent())
    cache = ServerCache(folder)
    assert cache.jars("server").name == server_cache(chosen).jars("server").name
    cache.jars("server").symlink_to(jars[0].parent)
    with compiled_once():
        made = make_aot_cache(cache, [query("store/read_migrations")])
    with pytest.MonkeyPatch.context() as patch:
        assert made is not None
        patch.setenv(TRAINED, str(cache.folder))
        yield made


@pytest.fixture(scope="package", autouse=True)
def _compiled_once() -> Iterator[None]:
    with compiled_once():
        yield


@pytest.fixture(scope="package")
def homes() -> Iterator[Path]:
    """The folder that shared homes are in."""
    with folder_for_homes() as folder:
        yield folder


@pytest.fixture(scope="package")
def settings(homes: Path) -> Iterator[Settings]:
    """Settings of the server that most tests share; its path has a blank and a letter beyond ASCII."""
    chosen = settings_for(homes / "my café")
    yield chosen
    stop(chosen)


@pytest.fixture
def running(settings: Settings) -> RunningServer:
    """The shared server, running."""
    return ensure_running(settings, Silent())


@pytest.fixture
def own_settings(tmp_path: Path) -> Iterator[Settings]:
    """Settings of a server that one test has for itself, stopped afterwards."""
    chosen = settings_for(tmp_path / "home")
    yield chosen
    stop(chosen)


@pytest.fixture(scope="package")
def started_at_once(homes: Path) -> Iterator[list[StartedAtOnce]]:
    """Two homes whose servers were started at one moment, the first one's by two processes."""
    names = ("first", "first", "second")
    command = [sys.executable, "-W", "ignore", "-c", ENSURE]
    starters = [
        (name, subprocess.Popen([*command, str(homes / name)], cwd=ROOT, stdout=subprocess.PIPE, text=True))
        for name in names
    ]
    told: dict[str, list[dict[str, object]]] = {}
    for name, starter in starters:
        told.setdefault(name, []).append(json.loads(starter.communicate()[0] or "{}"))
    made = [StartedAtOnce(settings_for(homes / name), found) for name, found in told.items()]
    yield made
    for one in made:
        stop(one.settings)


@pytest.fixture(scope="package")
def another(started_at_once: list[StartedAtOnce]) -> Settings:
    """Settings of a second server, for one test that may do with it as it likes."""
    return started_at_once[1].settings


@pytest.fixture(scope="package")
def stopped_home(started_at_once: list[StartedAtOnce]) -> Path:
    """A home whose server ran once and was stopped; copy it before you harm it."""
    chosen = started_at_once[0].settings
    stop(chosen)
    return chosen.hopgrade_home


@pytest.fixture
def copied_home(stopped_home: Path) -> Iterator[Path]:
    """A copy of the stopped home for one test, its server stopped afterwards."""
    with folder_for_homes() as folder:
        home = folder / "home"
        shutil.copytree(stopped_home, home)
        yield home
        stop(settings_for(home))


def runs(server: RunningServer) -> bool:
    """Whether a server's process is at work; one that its parent has not waited for yet has ended too."""
    try:
        return psutil.Process(server.pid).status() != psutil.STATUS_ZOMBIE
    except psutil.NoSuchProcess:
        return False
