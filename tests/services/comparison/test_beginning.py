"""Two commands that begin a comparison in one folder at once: one of them does, and its files are whole."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from pathlib import Path

import pytest

from kg.errors import InputError, SettingsError, UserError
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph
from services.comparison.beginning import NewComparison, begin_standard
from services.comparison.folder import POOL_FILE, PROTOCOL_FILE
from services.comparison.pool import pool_hash, read_pool
from services.comparison.protocol_file import read_protocol
from tests.services.comparison.small_standard import OPTIONS
from tests.small_world import tools


@dataclass
class _At(Silent):
    """At a moment of the work, something else happens once."""

    moment: str
    happens: Callable[[], None]
    happened: bool = False

    def begin(self, stage: str, total: int | None = None) -> None:
        self._reached(f"begin {stage}")

    def step(self, name: str, total: int | None = None) -> None:
        self._reached(f"step {name}")

    def _reached(self, moment: str) -> None:
        if moment == self.moment and not self.happened:
            self.happened = True
            self.happens()


def _begin(graph: Graph, corpus: str, folder: Path, size: int, progress: Silent) -> NewComparison:
    options = replace(OPTIONS, name=f"of-{size}", pool_size=size)
    return begin_standard(graph, corpus, folder, options, Settings(), tools().embedder, progress)


@pytest.mark.parametrize(
    ("moment", "kept", "refused", "why"),
    [
        ("step pools", 8, InputError, "another command is working in"),
        ("begin pools", 5, SettingsError, "holds a comparison already"),
    ],
    ids=("while the other one draws", "and ended before the other one draws"),
)
def test_of_two_in_one_folder_one_is_refused(
    graph: Graph,
    small_corpus: str,
    tmp_path: Path,
    moment: str,
    kept: int,
    refused: type[UserError],
    why: str,
) -> None:
    failed: list[UserError] = []

    def begin(size: int, progress: Silent) -> None:
        try:
            _begin(graph, small_corpus, tmp_path, size, progress)
        except UserError as error:
            failed.append(error)

    at = _At(moment, lambda: begin(5, Silent()))
    begin(8, at)
    assert at.happened
    (error,) = failed
    assert type(error) is refused
    assert why in error.message
    protocol, pools = read_protocol(tmp_path), read_pool(tmp_path / POOL_FILE)
    assert protocol.pool.size == kept
    assert protocol.pool.hash == pool_hash(pools.method, pools.of.values())
    assert {len(pool.chunks) for pool in pools.of.values()} == {kept}


def test_nothing_but_protocol_and_pools_is_left(graph: Graph, small_corpus: str, tmp_path: Path) -> None:
    _begin(graph, small_corpus, tmp_path, 8, Silent())
    assert {path.name for path in tmp_path.iterdir()} == {POOL_FILE, PROTOCOL_FILE}
