"""Facts about the managed server, found without starting anything."""

import time
from dataclasses import dataclass
from pathlib import Path

import psutil

from kg.errors import StoreError
from kg.queries import query
from kg.server.layout import server_home
from kg.server.process import RunningServer, answers_clients, describe, living_state
from kg.settings import Settings
from kg.store.graph import Graph


@dataclass(frozen=True, slots=True)
class ServerStatus:
    """A living server; sizes are in bytes, uptime in seconds.

    It is `ready` once it answers clients and its database can be written. `failure` and `remedy` say why not,
    where it answers and yet can't be used.
    """

    pid: int
    ready: bool
    failure: str
    remedy: str
    version: str
    uri: str
    browser_url: str
    guide_url: str
    bolt_port: int
    http_port: int
    gds: bool
    memory_bytes: int
    store_bytes: int
    uptime_seconds: float
    home: Path


def server_status(settings: Settings) -> ServerStatus | None:
    """The managed server's facts, None if none runs.

    Raises:
        ServerError: it runs but the file with its password is gone.
    """
    home = server_home(settings)
    state = living_state(home)
    if state is None:
        return None
    server = describe(home, state)
    try:
        process = psutil.Process(state.pid)
        memory_bytes, created = process.memory_info().rss, process.create_time()
    except psutil.Error:
        return None
    answers = answers_clients(server)
    failure = failure_of(server) if answers else None
    return ServerStatus(
        pid=server.pid,
        ready=answers and failure is None,
        failure=failure.message if failure else "",
        remedy=failure.remedy if failure else "",
        version=server.version,
        uri=server.uri,
        browser_url=server.browser_url,
        guide_url=server.guide_url,
        bolt_port=server.bolt_port,
        http_port=server.http_port,
        gds=server.gds,
        memory_bytes=memory_bytes,
        store_bytes=folder_bytes(home.data),
        uptime_seconds=time.time() - created,
        home=home.folder,
    )


def failure_of(server: RunningServer) -> StoreError | None:
    """Why a server that speaks Bolt can't be used: a database that gave up shows it to statements only."""
    try:
        with Graph.connect(server.uri, server.username, server.password, patience_seconds=0) as graph:
            graph.try_writing(query("server/try_writing"))
    except StoreError as error:
        return error
    return None


def folder_bytes(folder: Path) -> int:
    """The sizes of all files below a folder together, 0 where it doesn't exist."""
    total = 0
    for path in folder.rglob("*"):
        # A running server deletes files while we look.
        try:
            total += path.stat().st_size if path.is_file() else 0
        except FileNotFoundError:
            continue
    return total
