"""Retrievers by name."""

import pytest

from kg.errors import SettingsError
from kg.store.graph import Graph
from services.rag.retrieval.choose import DEFAULT, NAMED, RETRIEVERS, open_retriever
from tests.small_world import tools


def test_an_unknown_name_is_told_with_all_that_there_are(graph: Graph) -> None:
    with pytest.raises(SettingsError) as caught:
        open_retriever("magic", graph, "any", tools().embedder)
    assert "'magic'" in caught.value.message
    for name in RETRIEVERS:
        assert name in caught.value.remedy


@pytest.mark.parametrize("name", [name for name in RETRIEVERS if name != "pagerank-gds"])
def test_a_retriever_is_called_by_its_name_and_limit(graph: Graph, name: str) -> None:
    assert open_retriever(name, graph, "any", tools().embedder, 7).name == f"{name}-7"


def test_with_named_behind_it_a_retriever_looks_where_the_question_says(graph: Graph) -> None:
    assert open_retriever(f"words{NAMED}", graph, "any", tools().embedder, 7).name == "words-named-7"


def test_the_default_is_one_of_them() -> None:
    assert DEFAULT in RETRIEVERS
