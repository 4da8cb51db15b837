import pytest

from kg.store.graph import Graph
from tests.services.questions.filters.little_world import World


@pytest.fixture
def world(graph: Graph, corpus: str) -> World:
    """An empty corpus to plant facts in."""
    return World(graph, corpus)
