"""The ahead-of-time cache, in a cache folder of its own that borrows the fetched jars."""

import os
from pathlib import Path

import psutil
import pytest

from kg.progress import Silent
from kg.queries import query
from kg.server import ensure_running, fetch_files, stop
from kg.server.aot import aot_cache, failure_note, train_in_background, was_refused
from kg.server.java import java_home
from kg.server.layout import ServerCache, ServerHome, server_cache
from kg.server.training import KEPT_CACHES, delete_old_caches, make_aot_cache
from kg.settings import Settings
from tests.kg.server.conftest import settings_for

READ_APPLIED = query("migrations/read_applied")


@pytest.fixture
def own_cache(settings: Settings, tmp_path: Path) -> ServerCache:
    jars = fetch_files(settings, Silent())
    made = ServerCache(tmp_path / "cache")
    made.folder.mkdir()
    assert made.jars("server").name == server_cache(settings).jars("server").name
    made.jars("server").symlink_to(jars[0].parent)
    return made


def jars_of(cache: ServerCache) -> list[Path]:
    return sorted(cache.jars("server").iterdir())


def test_a_cache_is_trained_used_and_survived_when_damaged(own_cache: ServerCache, tmp_path: Path) -> None:
    aot = make_aot_cache(own_cache, [READ_APPLIED])
    assert aot is not None
    assert aot.stat().st_size > 50 << 20
    assert {path.name for path in own_cache.aot.iterdir()} == {aot.name, "training.lock"}
    assert not [
        process
        for process in psutil.process_iter(["cmdline"])
        if any(str(own_cache.aot) in part for part in process.info["cmdline"] or [])
    ]
    chosen = settings_for(tmp_path / "home", hopgrade_cache=own_cache.folder)
    ensure_running(chosen, Silent())
    console = ServerHome(chosen.hopgrade_home).console_log.read_text()
    stop(chosen)
    assert aot.exists()
    assert not was_refused(console)

    with aot.open("r+b") as stream:
        stream.seek(aot.stat().st_size // 4)
        stream.write(bytes(4096))
    failure_note(aot).touch()
    ensure_running(chosen, Silent())
    console = ServerHome(chosen.hopgrade_home).console_log.read_text()
    stop(chosen)
    assert was_refused(console)
    assert not aot.exists(), "the next start would stumble over it again"


def test_another_jar_or_java_asks_for_another_cache(own_cache: ServerCache, tmp_path: Path) -> None:
    jar = tmp_path / "a.jar"
    jar.write_bytes(b"one")
    first = aot_cache(own_cache, java_home(), [jar])
    assert first == aot_cache(own_cache, java_home(), [jar])
    jar.write_bytes(b"three")
    assert aot_cache(own_cache, java_home(), [jar]) != first
    other_java = tmp_path / "java"
    other_java.mkdir()
    (other_java / "release").write_text('JAVA_VERSION="26"\n')
    assert aot_cache(own_cache, other_java, [jar]) != first


def test_a_training_that_failed_is_not_tried_again(own_cache: ServerCache) -> None:
    aot = aot_cache(own_cache, java_home(), jars_of(own_cache))
    own_cache.aot.mkdir()
    failure_note(aot).write_text("no memory")
    assert train_in_background(own_cache, aot) is False


def test_the_caches_of_other_environments_stay_but_not_without_end(tmp_path: Path) -> None:
    caches = [tmp_path / f"neo4j-{age}.aot" for age in range(KEPT_CACHES + 2)]
    for age, cache in enumerate(caches):
        cache.touch()
        os.utime(cache, (1_000_000 - age, 1_000_000 - age))
    note = failure_note(caches[-1])
    note.touch()
    delete_old_caches(tmp_path)
    assert set(tmp_path.iterdir()) == {*caches[:KEPT_CACHES], note}
