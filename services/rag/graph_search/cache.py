"""The snapshot of a corpus at hand: kept in memory and in a file, read anew when the graph changed."""

import shutil
from collections.abc import Callable
from contextlib import suppress
from pathlib import Path
from threading import RLock
from typing import Generic, TypeVar

from kg.progress import Progress, Silent
from kg.store.graph import Graph
from services.rag.graph_search.load import load_snapshot, place_of, read_version
from services.rag.graph_search.snapshot import Snapshot
from services.rag.graph_search.snapshot_file import SUFFIX, read_snapshot, write_snapshot

FOLDER = "snapshots"

T = TypeVar("T")


class SnapshotCache:
    """The snapshot of one corpus; several threads may ask for it.

    `folder` is where files are kept, HOPGRADE_CACHE as a rule; with None there is no file. In it each graph
    of a corpus has a folder that holds the files of one version. A file that can't be read or written costs
    time and memory, no more.
    """

    def __init__(
        self, graph: Graph, corpus: str, folder: Path | None = None, progress: Progress | None = None
    ) -> None:
        self.graph = graph
        self.corpus = corpus
        self._folder = folder
        self._progress = progress or Silent()
        self._lock = RLock()
        self._held: Snapshot | None = None

    def current(self) -> Snapshot:
        """The snapshot of the graph as it is now; costs one short statement where nothing changed.

        Raises:
            NothingToDoError: its graph is not built, or is being built.
        """
        with self._lock:
            version = read_version(self.graph, self.corpus)
            if self._held is None or self._held.version != version.key:
                # The old one goes first: two at a time may be more than fits.
                self._held = None
                self._held = self._from_file(version.place, version.key) or self._from_graph(version.place)
            return self._held

    def _from_file(self, place: str, version: str) -> Snapshot | None:
        if self._folder is None:
            return None
        found = read_snapshot(self._folder / FOLDER / place / f"{version}{SUFFIX}")
        return found if found is not None and found.version == version else None

    def _from_graph(self, place: str) -> Snapshot:
        loaded = load_snapshot(self.graph, self.corpus, self._progress)
        if self._folder is not None:
            folder = self._folder / FOLDER / place
            with suppress(OSError):
                write_snapshot(folder / f"{loaded.version}{SUFFIX}", loaded)
                for old in folder.iterdir():
                    if old.stem != loaded.version:
                        old.unlink(missing_ok=True)
            # From its file it takes a tenth of the memory.
            return self._from_file(place, loaded.version) or loaded
        return loaded


def forget_snapshots(graph: Graph, corpus: str, folder: Path) -> None:
    """Delete the files of a corpus below `folder`; what can't be deleted takes room, no more."""
    shutil.rmtree(folder / FOLDER / place_of(graph, corpus), ignore_errors=True)


class Prepared(Generic[T]):
    """What a retriever makes of a snapshot before its first question, made anew with every new snapshot."""

    def __init__(self, snapshots: SnapshotCache, prepare: Callable[[Snapshot], T]) -> None:
        self._snapshots = snapshots
        self._prepare = prepare
        self._lock = RLock()
        self._held: tuple[Snapshot, T] | None = None

    def current(self) -> tuple[Snapshot, T]:
        """The snapshot as it is now, and what was made of it."""
        snapshot = self._snapshots.current()
        with self._lock:
            if self._held is None or self._held[0] is not snapshot:
                self._held = None
                self._held = snapshot, self._prepare(snapshot)
            return self._held
