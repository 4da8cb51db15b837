"""The ahead-of-time cache: made once for all servers of this package, used, and survived when damaged."""

import os
import shutil
from collections.abc import Iterator
from pathlib import Path

import psutil
import pytest

from kg.progress import Silent
from kg.server import ensure_running
from kg.server.aot import aot_cache, failure_note, train_in_background, was_refused
from kg.server.java import java_home
from kg.server.layout import ServerCache, ServerHome
from kg.server.training import KEPT_CACHES, delete_old_caches
from kg.settings import Settings


@pytest.fixture
def cache(trained: Path) -> ServerCache:
    """The cache folder of this package's servers."""
    return ServerCache(trained.parents[1])


@pytest.fixture
def damaged(trained: Path, tmp_path: Path) -> Iterator[Path]:
    """Java's cache with a hole in it, for one test; nobody tries to make another."""
    whole = tmp_path / "whole"
    shutil.copyfile(trained, whole)
    with trained.open("r+b") as stream:
        stream.seek(trained.stat().st_size // 4)
        stream.write(bytes(4096))
    failure_note(trained).touch()
    yield trained
    failure_note(trained).unlink()
    whole.replace(trained)


@pytest.mark.campaign
def test_a_training_leaves_a_cache_and_nothing_else(cache: ServerCache, trained: Path) -> None:
    assert trained.stat().st_size > 50 << 20
    assert {path.name for path in cache.aot.iterdir()} == {trained.name, "training.lock"}
    assert not [
        process
        for process in psutil.process_iter(["cmdline"])
        if any(f"--home-dir={cache.aot}" in part for part in process.info["cmdline"] or [])
    ]


@pytest.mark.campaign
def test_a_server_starts_by_the_cache(trained: Path, own_settings: Settings) -> None:
    running = ensure_running(own_settings, Silent())
    assert f"-XX:AOTCache={trained}" in psutil.Process(running.pid).cmdline()
    assert not was_refused(ServerHome(running.home).console_log.read_text())
    assert trained.exists()


@pytest.mark.campaign
def test_a_damaged_cache_does_not_keep_a_server_from_starting(damaged: Path, own_settings: Settings) -> None:
    ensure_running(own_settings, Silent())
    assert was_refused(ServerHome(own_settings.hopgrade_home).console_log.read_text())
    assert not damaged.exists(), "the next start would stumble over it again"


def test_another_jar_or_java_asks_for_another_cache(tmp_path: Path) -> None:
    cache, jar = ServerCache(tmp_path / "cache"), tmp_path / "a.jar"
    jar.write_bytes(b"one")
    first = aot_cache(cache, java_home(), [jar])
    assert first == aot_cache(cache, java_home(), [jar])
    jar.write_bytes(b"three")
    assert aot_cache(cache, java_home(), [jar]) != first
    other_java = tmp_path / "java"
    other_java.mkdir()
    (other_java / "release").write_text('JAVA_VERSION="26"\n')
    assert aot_cache(cache, other_java, [jar]) != first


def test_a_training_that_failed_is_not_tried_again(tmp_path: Path) -> None:
    jar = tmp_path / "a.jar"
    jar.touch()
    untrained = ServerCache(tmp_path)
    aot = aot_cache(untrained, java_home(), [jar])
    untrained.aot.mkdir()
    failure_note(aot).write_text("no memory")
    assert train_in_background(untrained, aot) is False


def test_the_caches_of_other_environments_stay_but_not_without_end(tmp_path: Path) -> None:
    caches = [tmp_path / f"neo4j-{age}.aot" for age in range(KEPT_CACHES + 2)]
    for age, cache in enumerate(caches):
        cache.touch()
        os.utime(cache, (1_000_000 - age, 1_000_000 - age))
    note = failure_note(caches[-1])
    note.touch()
    delete_old_caches(tmp_path)
    assert set(tmp_path.iterdir()) == {*caches[:KEPT_CACHES], note}
