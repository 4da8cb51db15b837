"""The small world's graph, built once for the tests that only read it."""

from collections.abc import Iterator

import pytest

from kg.corpus import drop_corpus
from kg.progress import Silent
from kg.stages.build import build_graph
from kg.store.graph import Graph
from tests.names import unique_name
from tests.small_world import OPTIONS, ingest, tools


@pytest.fixture(scope="package")
def built(graph: Graph) -> Iterator[str]:
    """A corpus with its graph; tests only read it."""
    name = unique_name("test", "session")
    ingest(graph, name)
    build_graph(graph, name, OPTIONS.build, tools(), Silent())
    yield name
    drop_corpus(graph, name)
