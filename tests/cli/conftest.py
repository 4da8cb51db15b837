"""`kg` as a function and as a process, and a small corpus that went the whole way."""

import os
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path

import pytest

from benchmarks.job import KG
from kg.corpus import drop_corpus, list_corpora
from kg.store.graph import Graph
from tests.conftest import ServerAddress
from tests.docs.markdown import typed
from tests.kg_command import Ended, run_kg
from tests.names import unique_name
from tests.small_world import write_articles

Kg = Callable[..., Ended]

JOB = ("--min-tokens", "1", "--per-depth", "5")


@dataclass(frozen=True, slots=True)
class Built:
    """A corpus that `kg run-all` took from articles to the matrix, and what it said."""

    corpus: str
    articles: Path
    ended: Ended


@pytest.fixture
def kg(
    capsys: pytest.CaptureFixture[str],
    monkeypatch: pytest.MonkeyPatch,
    kg_environment: None,
) -> Kg:
    """Run `kg` in this process on the session's server, with output as wide as needed."""
    monkeypatch.setenv("COLUMNS", "300")
    return lambda *arguments: run_kg(capsys, monkeypatch, *arguments)


@pytest.fixture(scope="session")
def process_environment(
    server_address: ServerAddress, tmp_path_factory: pytest.TempPathFactory
) -> dict[str, str]:
    """The environment in which `kg` as a process uses the session's server."""
    home = {
        "HOPGRADE_HOME": str(tmp_path_factory.mktemp("home")),
        "HOPGRADE_PREFLIGHT": "false",
        "COLUMNS": "300",
    }
    return {**os.environ, **home, **server_address.environment()}


@pytest.fixture(scope="session")
def built(
    graph: Graph, process_environment: dict[str, str], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Built]:
    """The small world, from articles to the matrix."""
    corpus = unique_name("built", "session")
    articles = write_articles(tmp_path_factory.mktemp("articles"))
    done = subprocess.run(
        [*KG, *typed("test on your own articles", {"articles.jsonl": str(articles), "mine": corpus}), *JOB],
        env=process_environment,
        capture_output=True,
        encoding="utf-8",
        timeout=600,
        check=False,
    )
    yield Built(corpus, articles, Ended(done.returncode, done.stdout, done.stderr))
    drop_corpus(graph, corpus)


OF_BENCHMARKS = "benchmark-"
"""What the names of corpora made for a set begin with."""


@pytest.fixture(scope="module")
def corpora_dropped(graph: Graph) -> Iterator[None]:
    """The graph of a set is made once, found again by each test over the same set, and dropped at the end."""
    before = {row["name"] for row in list_corpora(graph)}
    yield
    # Other tests make corpora on this server meanwhile.
    for name in {row["name"] for row in list_corpora(graph)} - before:
        if name.startswith(OF_BENCHMARKS):
            drop_corpus(graph, name)
