"""A disk that fills up in the middle of commits costs no store, and no commit that was acknowledged.

The whole of it, each stage on two file systems, is for `pytest -m campaign`.
"""

import shutil
import threading
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from tempfile import TemporaryDirectory

import pytest

from cli.doctor import examine
from kg.connect import open_graph
from kg.corpus import drop_corpus, fingerprint
from kg.errors import DiskFullError, StoreError, StoreFailedError
from kg.progress import Silent
from kg.queries import parse_query
from kg.server import ensure_running, stop
from kg.server.layout import server_home
from kg.server.process import server_status
from kg.settings import Settings
from kg.stages.build import build_graph
from kg.store.graph import Graph
from tests.kg.server.conftest import settings_for
from tests.session_server import MEMORY
from tests.small_disk import fill, small_disk, small_ext4
from tests.small_world import OPTIONS, ingest, tools

CORPUS = "full"
ARTICLES = ("rovers", "owner", "founder")
DISK_MEGABYTES = 320
FOR_WRITERS = 40 << 20
"""Bytes that writers have for themselves; what else is free is freed again before the restart."""
STAGES = ("chunks", "vectors", "claims", "resolution", "paths")
WRITE = parse_query(
    "write",
    """// Write nodes that take room.
// params: writer: INTEGER, nodes: INTEGER, text: STRING
// returns: none
// mode: write
UNWIND range(1, $nodes) AS i CREATE (:Ballast {writer: $writer, text: $text})""",
)
COUNT = parse_query(
    "count",
    """// How many of them there are.
// params: none
// returns: writer: INTEGER, nodes: INTEGER
// mode: read
MATCH (n:Ballast) RETURN n.writer AS writer, count(*) AS nodes""",
)
CLEAR = parse_query(
    "clear",
    """// Delete them.
// params: none
// returns: none
// mode: write
MATCH (n:Ballast) DETACH DELETE n""",
)
SIZES = ((100, 4_000), (7, 300), (1, 40))
"""Nodes a transaction and letters a node: entries of several sizes meet the end of the room."""


class Writers:
    """Writers that go on until the database refuses; what was acknowledged to each."""

    def __init__(self, settings: Settings) -> None:
        self.acknowledged = dict.fromkeys(range(len(SIZES)), 0)
        self.refusals: list[StoreError] = []
        self._settings = settings

    def write_until_full(self, folder: Path) -> Path:
        """Write at once, fill the disk of `folder` meanwhile, and wait for the refusals."""
        begun = threading.Barrier(len(SIZES) + 1, timeout=300)
        threads = [threading.Thread(target=self._write, args=(number, begun)) for number in self.acknowledged]
        # Before they begin: else writers that are faster than the ballast leave nothing to free afterwards.
        ballast = fill(folder, spared=FOR_WRITERS)
        for thread in threads:
            thread.start()
        begun.wait()
        fill(folder)
        for thread in threads:
            thread.join()
        return ballast

    def _write(self, number: int, begun: threading.Barrier) -> None:
        nodes, letters = SIZES[number]
        with open_graph(self._settings, Silent()) as graph:
            try:
                for turn in range(100_000):
                    graph.rows(WRITE, writer=number, nodes=nodes, text="x" * letters)
                    self.acknowledged[number] += nodes
                    if turn == 0:
                        begun.wait()
            except StoreError as error:
                self.refusals.append(error)


class FullAt(Silent):
    """The progress of a job whose disk is filled when one of its stages begins."""

    def __init__(self, stage: str, full: Callable[[], None]) -> None:
        self._stage = stage
        self._full = full

    def begin(self, task: str, total: int | None = None) -> None:
        """Fill the disk once."""
        del total
        if task == self._stage:
            self._full()


@contextmanager
def disk_of(kind: str, folder: Path) -> Iterator[Path]:
    """A small file system, the file behind it in memory where there is one."""
    if kind == "tmpfs":
        with small_disk(folder, f"{DISK_MEGABYTES}m") as disk:
            yield disk
        return
    with (
        TemporaryDirectory(dir=MEMORY if MEMORY.is_dir() else None) as images,
        small_ext4(folder, Path(images) / "image", DISK_MEGABYTES) as disk,
    ):
        yield disk


def build(graph: Graph, progress: Silent | None = None) -> str:
    """The graph of a few articles; its fingerprint."""
    build_graph(graph, CORPUS, OPTIONS.build, tools(), progress or Silent())
    return fingerprint(graph, CORPUS)


def survives(kind: str, stage: str, folder: Path) -> None:
    with disk_of(kind, folder / "disk") as disk:
        # Else nothing of ours would write until the disk is full.
        settings = settings_for(disk / "home", hopgrade_least_free_disk="0m")
        try:
            fill_and_go_on(settings, stage, disk)
        finally:
            stop(settings)


def fill_and_go_on(settings: Settings, stage: str, disk: Path) -> None:
    writers, taken = Writers(settings), list[Path]()
    with open_graph(settings, Silent()) as graph:
        ingest(graph, CORPUS, ARTICLES)
        progress = FullAt(stage, lambda: taken.append(writers.write_until_full(disk)))
        with pytest.raises(StoreFailedError, match=r"disk is full.*kg server stop.*kg server start"):
            build(graph, progress)
    assert len(writers.refusals) == len(SIZES)
    assert all(isinstance(one, StoreFailedError) for one in writers.refusals)
    status = server_status(settings)
    assert status is not None
    assert not status.ready
    assert "gave up" in status.failure
    told = next(one for one in examine(settings) if one.subject == "managed server")
    assert (told.state, told.found, told.remedy) == ("missing", status.failure, status.remedy)

    taken[0].unlink()
    assert stop(settings)
    with open_graph(settings, Silent()) as graph:
        found = {row["writer"]: row["nodes"] for row in graph.rows(COUNT)}
        assert all(found.get(writer, 0) >= nodes for writer, nodes in writers.acknowledged.items()), (
            f"acknowledged {writers.acknowledged}, found {found}"
        )
        graph.rows(CLEAR)
        resumed = build(graph)
        drop_corpus(graph, CORPUS)
        ingest(graph, CORPUS, ARTICLES)
        assert resumed == build(graph)
    status = server_status(settings)
    assert status is not None
    assert status.ready


@pytest.mark.campaign
@pytest.mark.timeout(600)
def test_a_disk_that_fills_up_during_commits_costs_no_store(tmp_path: Path, trained: Path) -> None:
    assert trained.exists()
    survives("tmpfs", "claims", tmp_path)


@pytest.mark.campaign
@pytest.mark.timeout(900)
@pytest.mark.parametrize("kind", ["tmpfs", "ext4"])
@pytest.mark.parametrize("stage", STAGES)
def test_the_disk_fills_up_at_any_stage(tmp_path: Path, trained: Path, stage: str, kind: str) -> None:
    assert trained.exists()
    survives(kind, stage, tmp_path)


@pytest.mark.campaign
@pytest.mark.usefixtures("running")
def test_nothing_is_written_below_the_floor(settings: Settings) -> None:
    """The server that runs is used for reading on; a stage and a batch are refused before they write."""
    free = shutil.disk_usage(settings.hopgrade_home).free
    careful = settings.model_copy(update={"hopgrade_least_free_disk": f"{(free >> 20) + 1024}m"})
    with open_graph(careful, Silent()) as graph:
        ingest_refused = pytest.raises(DiskFullError, match=r"MiB are free on the disk of.*LEAST_FREE_DISK")
        with ingest_refused:
            ingest(graph, CORPUS, ARTICLES)
        with open_graph(settings, Silent()) as other:
            ingest(other, CORPUS, ARTICLES)
        with pytest.raises(DiskFullError):
            build(graph)
        assert fingerprint(graph, CORPUS)
        drop_corpus(graph, CORPUS)


def test_no_server_is_started_below_the_floor(tmp_path: Path) -> None:
    free = shutil.disk_usage(tmp_path).free
    settings = settings_for(tmp_path / "home", hopgrade_least_free_disk=f"{(free >> 20) + 1024}m")
    with pytest.raises(DiskFullError, match="HOPGRADE_LEAST_FREE_DISK") as caught:
        ensure_running(settings, Silent())
    assert caught.value.exit_code == 2
    assert not server_home(settings).system_store.exists()
