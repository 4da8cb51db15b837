"""The store in one file and back: the same graph, and nothing lost wherever it is cut off."""

import json
import os
import shutil
import stat
import zipfile
from collections.abc import Callable
from pathlib import Path

import pytest

from kg.connect import open_graph
from kg.corpus import drop_corpus, fingerprint
from kg.errors import HopgradeError, InputError, NothingToDoError, SettingsError, UserError
from kg.progress import Silent
from kg.server import RunningServer, ensure_running
from kg.server.backup import (
    MANIFEST,
    finish_restore,
    read_backup_manifest,
    unpack_backup,
    write_backup,
)
from kg.server.layout import ServerHome, server_home
from kg.server.startup import backup, restore
from kg.settings import Settings
from kg.stages.build import build_graph
from tests.kg.server.conftest import runs, settings_for
from tests.small_world import OPTIONS, ingest, tools

CORPUS = "kept"


def home_of(folder: Path, text: str) -> ServerHome:
    """A home with a store and a password that say `text`."""
    home = ServerHome(folder)
    home.make_folders()
    for name in ("databases/neo4j/neostore", "databases/system/neostore", "transactions/neo4j/log.0"):
        path = home.data / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(f"{text} {name}" * 1_000)
    (home.data / "databases" / "store_lock").touch()
    home.password_file.write_text(text)
    return home


def contents(home: ServerHome) -> dict[str, str]:
    """What a store and its password hold, by path."""
    files = [path for path in (home.password_file, *home.data.rglob("*")) if path.is_file()]
    return {path.relative_to(home.folder).as_posix(): path.read_text() for path in files}


def without_locks(found: dict[str, str]) -> dict[str, str]:
    return {name: text for name, text in found.items() if not name.endswith("_lock")}


@pytest.fixture
def saved(tmp_path: Path) -> Path:
    """A backup of a store that says "old"."""
    write_backup(home_of(tmp_path / "old", "old"), tmp_path / "store.zip", Silent())
    return tmp_path / "store.zip"


def test_a_backup_is_private_and_says_what_it_holds(saved: Path) -> None:
    assert stat.S_IMODE(saved.stat().st_mode) == 0o600
    manifest = read_backup_manifest(saved)
    assert [file.name for file in manifest.files] == [
        "data/databases/neo4j/neostore",
        "data/databases/system/neostore",
        "data/transactions/neo4j/log.0",
        "password",
    ]
    assert manifest.neo4j == "2026.08.1"


def test_a_backup_is_restored_whole(saved: Path, tmp_path: Path) -> None:
    home = home_of(tmp_path / "new", "new")
    (home.data / "left").write_text("of the other store")
    unpack_backup(home, saved, read_backup_manifest(saved), Silent())
    assert contents(home)["password"] == "new", "until it takes its place, what was there stays"
    finish_restore(home)
    assert contents(home) == without_locks(contents(ServerHome(tmp_path / "old")))
    assert not {home.restore_folder.name, home.deletion_folder.name} & {
        path.name for path in home.folder.iterdir()
    }


class Cut(KeyboardInterrupt):
    """The process ends here."""


@pytest.mark.parametrize("steps", range(5))
def test_a_restore_that_is_cut_off_is_ended_by_the_next_start(
    saved: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, steps: int
) -> None:
    """Before each rename: the one after which it counts, the two of its data, and the password."""
    home = home_of(tmp_path / "new", "new")
    left, real = steps, os.replace

    def replace(*names: str) -> None:
        nonlocal left
        if left == 0:
            raise Cut
        left -= 1
        real(*names)

    with monkeypatch.context() as patch:
        patch.setattr(os, "replace", replace)
        try:
            unpack_backup(home, saved, read_backup_manifest(saved), Silent())
            finish_restore(home)
        except Cut:
            assert left == 0
        else:
            assert steps == 4
    # What the next start does first.
    home.make_folders()
    finish_restore(home)
    old, new = contents(ServerHome(tmp_path / "old")), contents(home)
    assert without_locks(new) == without_locks(old if steps else contents(home_of(tmp_path / "same", "new")))
    assert not home.restore_folder.exists()
    assert not home.restoring.exists()


def rewritten(saved: Path, change: Callable[[dict[str, object]], object]) -> Path:
    """A copy of a backup with another manifest."""
    path = saved.with_name("changed.zip")
    with zipfile.ZipFile(saved) as before, zipfile.ZipFile(path, "w") as after:
        for name in before.namelist():
            content = before.read(name)
            if name == MANIFEST:
                manifest = json.loads(content)
                change(manifest)
                content = json.dumps(manifest).encode()
            after.writestr(name, content)
    return path


def test_a_newer_store_is_refused_with_one_sentence(saved: Path) -> None:
    newer = rewritten(saved, lambda manifest: manifest.update(neo4j="2027.01.0"))
    with pytest.raises(UserError, match=r"2027\.01\.0 .*this version runs Neo4j 2026\.08\.1\. Update"):
        read_backup_manifest(newer)
    with pytest.raises(UserError, match="Update"):
        read_backup_manifest(rewritten(saved, lambda manifest: manifest.update(format=2)))
    older = rewritten(saved, lambda manifest: manifest.update(neo4j="2026.01.9"))
    assert read_backup_manifest(older).neo4j == "2026.01.9"


def renamed(name: str) -> Callable[[dict[str, object]], object]:
    def change(manifest: dict[str, object]) -> None:
        files = manifest["files"]
        assert isinstance(files, list)
        files[0]["name"] = name

    return change


@pytest.mark.parametrize(
    "name", ["../data/x", "data/../../x", "/data/x", "conf/neo4j.conf", "data", "data//x"]
)
def test_no_file_leaves_the_store(saved: Path, name: str) -> None:
    with pytest.raises(InputError, match="whole backup"):
        read_backup_manifest(rewritten(saved, renamed(name)))


def damaged(manifest: dict[str, object]) -> None:
    files = manifest["files"]
    assert isinstance(files, list)
    files[1]["sha256"] = "0" * 64


def longer(manifest: dict[str, object]) -> None:
    files = manifest["files"]
    assert isinstance(files, list)
    files[1]["bytes"] -= 1


@pytest.mark.parametrize("change", [damaged, longer, renamed("data/missing")])
def test_what_is_not_as_the_manifest_says_changes_nothing(
    saved: Path, tmp_path: Path, change: Callable[[dict[str, object]], object]
) -> None:
    home = home_of(tmp_path / "new", "new")
    before = contents(home)
    wrong = rewritten(saved, change)
    with pytest.raises(InputError, match="whole backup"):
        unpack_backup(home, wrong, read_backup_manifest(wrong), Silent())
    finish_restore(home)
    assert contents(home) == before


@pytest.mark.parametrize("content", [b"", b"PK\x03\x04 half", b"no archive"])
def test_a_file_that_is_no_backup(tmp_path: Path, content: bytes) -> None:
    (tmp_path / "file").write_bytes(content)
    with pytest.raises(InputError, match="kg server backup"):
        read_backup_manifest(tmp_path / "file")


def test_a_backup_of_nothing_and_over_something(tmp_path: Path) -> None:
    settings = settings_for(tmp_path / "home")
    with pytest.raises(NothingToDoError, match="kg server start"):
        backup(settings, tmp_path / "store.zip", Silent())
    (tmp_path / "store.zip").touch()
    with pytest.raises(SettingsError, match="something is there"):
        backup(settings, tmp_path / "store.zip", Silent())
    with pytest.raises(SettingsError, match="folder is missing"):
        backup(settings, tmp_path / "nowhere" / "store.zip", Silent())
    with pytest.raises(UserError, match="NEO4J_URI"):
        backup(settings.model_copy(update={"neo4j_uri": "bolt://db:7687"}), tmp_path / "b.zip", Silent())
    assert not settings.hopgrade_home.exists()


def found_in(settings: Settings) -> str:
    with open_graph(settings, Silent()) as graph:
        return fingerprint(graph, CORPUS)


@pytest.mark.campaign
@pytest.mark.timeout(600)
def test_a_graph_comes_back_as_it_was(copied_home: Path, tmp_path: Path) -> None:
    settings, file = settings_for(copied_home), tmp_path / "store.zip"
    with open_graph(settings, Silent()) as graph:
        ingest(graph, CORPUS, ("rovers", "owner"))
        build_graph(graph, CORPUS, OPTIONS.build, tools(), Silent(), until="resolution")
        before = fingerprint(graph, CORPUS)
    made = backup(settings, file, Silent())
    assert made.bytes > file.stat().st_size, "it is compressed"
    running: RunningServer = ensure_running(settings, Silent())
    with open_graph(settings, Silent()) as graph:
        drop_corpus(graph, CORPUS)
    with pytest.raises(UserError, match="--yes"):
        restore(settings, file, Silent())
    assert runs(running), "a refusal stops no server"

    restore(settings, file, Silent(), overwrite=True)
    assert not runs(running)
    assert found_in(settings) == before

    elsewhere = settings_for(tmp_path / "elsewhere")
    restore(elsewhere, file, Silent())
    home = server_home(elsewhere)
    assert home.password_file.read_text() == server_home(settings).password_file.read_text()
    assert {path.name for path in (home.data / "databases").iterdir()} >= {"neo4j", "system"}
    shutil.rmtree(home.folder)


def test_every_error_is_one_sentence_with_a_remedy(saved: Path) -> None:
    with pytest.raises(HopgradeError) as caught:
        read_backup_manifest(saved.with_name("missing.zip"))
    assert caught.value.exit_code == 2
    assert caught.value.remedy
