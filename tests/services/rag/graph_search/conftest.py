"""A corpus with sources and dates that tests only read."""

from collections.abc import Iterator

import pytest

from kg.corpus import drop_corpus
from kg.store.graph import Graph
from tests.names import unique_name
from tests.services.rag.retrieval.valley_press import build_press


@pytest.fixture(scope="module")
def press_corpus(graph: Graph) -> Iterator[str]:
    """The articles of the small world as several papers printed them, built as far as entities."""
    corpus = unique_name("press", "module")
    build_press(graph, corpus)
    yield corpus
    drop_corpus(graph, corpus)
