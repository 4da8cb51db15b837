"""Make Java's ahead-of-time cache: start a throw-away server, let it plan every statement, stop it.

Run as `python -m kg.server.training CACHE_FOLDER` by `kg.server.java`, in the background.
"""

import contextlib
import logging
import os
import shutil
import sys
import tempfile
from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from kg.errors import HopgradeError, QueryFileError, ServerError, StoreError
from kg.queries import Query, all_queries
from kg.server.java import aot_cache, failure_note, java_home, options_to_make
from kg.server.launch import Launch, launch_on_free_ports
from kg.server.layout import ServerCache, ServerHome, read_lock
from kg.server.process import RunningServer, end_process, living_state
from kg.store.graph import Graph

TIMEOUT_SECONDS = 900
"""Long, because at the lowest priority a busy machine leaves little time."""

KEPT_CACHES = 3
"""Each virtual environment has a Java of its own, and with it a cache of its own, of up to 185 MiB."""

_PREFIX = "training-"
_FIRST_PORT = 27687


def make_aot_cache(cache: ServerCache, statements: Iterable[Query]) -> Path | None:
    """Make the cache for the files that are in `cache`; None if another process is at it.

    What planning the statements needs is in it too, so that the first ones are quick.

    Raises:
        HopgradeError: the throw-away server could not start, or left no cache.
    """
    cache.aot.mkdir(parents=True, exist_ok=True)
    lock = read_lock("server")
    jars = tuple(cache.jars("server") / file.name for file in lock.files)
    aot = aot_cache(cache, java_home(), jars)
    try:
        with FileLock(cache.aot / "training.lock", timeout=0):
            if aot.is_file():
                return aot
            with _throw_away_home(cache) as home:
                unfinished = home.folder / aot.name
                plan = Launch(
                    version=lock.version,
                    jars=jars,
                    bolt_port=_FIRST_PORT,
                    http_port=_FIRST_PORT + 1,
                    heap="512m",
                    page_cache="64m",
                    java_options=tuple(options_to_make(unfinished)),
                )
                _exercise(launch_on_free_ports(home, plan, timeout_seconds=TIMEOUT_SECONDS), statements)
                _stop(home)
                if not unfinished.is_file():
                    raise ServerError("Java wrote no ahead-of-time cache.", f"Its log: {home.console_log}.")
                unfinished.replace(aot)
                failure_note(aot).unlink(missing_ok=True)
                delete_old_caches(cache.aot)
    except Timeout:
        return None
    return aot


def delete_old_caches(folder: Path) -> None:
    """Delete all but the newest caches in a folder, because nobody knows whose environment is gone."""
    oldest_last = sorted(folder.glob("neo4j-*.aot"), key=lambda path: path.stat().st_mtime, reverse=True)
    for old in oldest_last[KEPT_CACHES:]:
        old.unlink(missing_ok=True)


def _exercise(server: RunningServer, statements: Iterable[Query]) -> None:
    with Graph.connect(server.uri, server.username, server.password) as graph:
        for query in statements:
            # A statement that needs what the empty store has not is no reason to go without a cache.
            with contextlib.suppress(StoreError, QueryFileError):
                graph.explain(query)


@contextmanager
def _throw_away_home(cache: ServerCache) -> Iterator[ServerHome]:
    # A training run that was killed leaves its folder, and perhaps its server.
    for left in cache.aot.glob(f"{_PREFIX}*"):
        if left.is_dir():
            _stop(ServerHome(left))
            shutil.rmtree(left, ignore_errors=True)
    home = ServerHome(Path(tempfile.mkdtemp(prefix=_PREFIX, dir=cache.aot)))
    try:
        yield home
    finally:
        _stop(home)
        shutil.rmtree(home.folder, ignore_errors=True)


def _stop(home: ServerHome) -> None:
    state = living_state(home)
    if state is not None:
        end_process(state.pid, TIMEOUT_SECONDS)


def main(folder: str) -> int:
    """Make the cache at the lowest priority; a failure is noted beside it and is no harm."""
    if hasattr(os, "nice"):
        os.nice(19)
    # The driver warns of every label that the empty store doesn't have.
    logging.disable(logging.WARNING)
    cache = ServerCache(Path(folder))
    try:
        make_aot_cache(cache, all_queries())
    except HopgradeError as error:
        lock = read_lock("server")
        aot = aot_cache(cache, java_home(), [cache.jars("server") / file.name for file in lock.files])
        failure_note(aot).write_text(f"{error}\n{getattr(error, 'log_tail', '')}\n", encoding="utf-8")
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1]))
