"""One real Neo4j for a session of tests.

The server is, in this order: the one that NEO4J_URI names, the managed one with a store in a temporary
folder, or a container where the managed one can't be had.
"""

import os
import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from tempfile import gettempdir

import psutil
import pytest
from filelock import FileLock, Timeout

from kg.connect import migrate
from kg.errors import ServerError
from kg.files import FOLDER_LOCK, working_folder
from kg.progress import Silent
from kg.server import configuration, ensure_running, stop
from kg.server.download import fetch_files
from kg.server.java import aot_cache, java_home, options_to_use
from kg.server.launch import DiagnosedStartError, Launch, launch_on_free_ports
from kg.server.layout import read_lock, server_cache, server_home
from kg.server.process import RunningServer
from kg.settings import Settings
from kg.store.graph import Graph

MEMORY = Path("/dev/shm")
"""A file system without a disk, where there is one: each commit waits for the disk that holds the store."""
PREFIX = "hopgrade-tests-"
_SETTLED = """dbms.cypher.statistics_divergence_threshold=0.95
internal.cypher.expression_engine=INTERPRETED
internal.cypher.use_parameter_size=false
"""
"""A plan takes a tenth of a second. Small corpora come and go: it is made anew only where the store has grown
twentyfold, not for lists and texts of another size, nor to have its expressions as code of Java."""
_QUICKLY_COMPILED = ("-XX:TieredStopAtLevel=1",)
"""A server of some minutes gets nothing back from Java's second compiler, which took half of its time."""
PATIENCE_SECONDS = 900
"""A machine under a load of a hundred processes lets a server wait for minutes that has not gone away."""
STORE_BYTES = 2 * 2**30
"""A store takes 0.1 GiB at the end of a session; the rest is for whoever else uses the memory."""


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

    def connect(self) -> Graph:
        """An open graph on it."""
        return Graph.connect(
            self.uri, self.username, self.password, self.database, patience_seconds=PATIENCE_SECONDS
        )


@contextmanager
def session_server() -> Iterator[ServerAddress]:
    """The server, with its schema, for as long as this lasts."""
    with _server() as address:
        with address.connect() as graph:
            migrate(graph)
        yield address


@contextmanager
def folder_for_homes() -> Iterator[Path]:
    """A folder for stores, in memory where there is room; what killed sessions left goes first."""
    roomy = os.access(MEMORY, os.W_OK) and shutil.disk_usage(MEMORY).free > STORE_BYTES
    parent = MEMORY if roomy else Path(gettempdir())
    end_abandoned_servers(parent)
    with working_folder(parent, PREFIX) as folder:
        yield folder


def end_abandoned_servers(parent: Path) -> None:
    """End the servers whose homes lie in folders that no living session holds."""
    for process in psutil.process_iter(["cmdline"]):
        for argument in process.info["cmdline"] or ():
            option, _, home = argument.partition("=")
            if option != "--home-dir" or not Path(home).is_relative_to(parent):
                continue
            folder = parent / Path(home).relative_to(parent).parts[0]
            if folder.name.startswith(PREFIX) and _is_left(folder):
                process.kill()


def _is_left(folder: Path) -> bool:
    lock = FileLock(folder / FOLDER_LOCK)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return False
    lock.release()
    return True


@contextmanager
def _server() -> Iterator[ServerAddress]:
    given = os.environ.get("NEO4J_URI")
    if given:
        yield ServerAddress(
            given,
            os.environ.get("NEO4J_USERNAME", "neo4j"),
            os.environ.get("NEO4J_PASSWORD", ""),
            os.environ.get("NEO4J_DATABASE", "neo4j"),
        )
        return
    with folder_for_homes() as home:
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


def _managed(settings: Settings) -> RunningServer:
    """The managed server, whose plans settle."""
    home, lock = server_home(settings), read_lock("server")
    home.make_folders()
    jars = fetch_files(settings, Silent())
    aot = aot_cache(server_cache(settings), java_home(), jars)
    plan = Launch(
        version=lock.version,
        jars=tuple(jars),
        heap=settings.hopgrade_server_heap,
        page_cache=settings.hopgrade_server_page_cache,
        java_options=(*options_to_use(aot), *_QUICKLY_COMPILED),
    )
    try:
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr(configuration, "_CONFIGURATION", configuration._CONFIGURATION + _SETTLED)
            return launch_on_free_ports(home, plan)
    except DiagnosedStartError:
        # Java choked on its cache: this way tries again without it.
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
