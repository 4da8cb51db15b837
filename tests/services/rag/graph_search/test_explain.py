"""A walk over containment, and what is told of it."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_matrix

from services.rag.graph_search.entity_graph import Seeds, WalkResult, from_weights
from services.rag.graph_search.explanation import explain
from services.rag.graph_search.search import walk
from services.rag.retrieval.pagerank import SETTINGS


def test_a_walk_worked_by_hand() -> None:
    """One entity, two chunks, all mass on the entity: e = 1/2 + c/2 and c = e/2, both chunks together."""
    graph = from_weights(csr_matrix(np.array([[1.0, 3.0]])))
    walked = walk(graph, Seeds(np.array([1.0]), np.zeros(2)), SETTINGS)
    assert walked.entities == pytest.approx([2 / 3], abs=1e-8)
    assert walked.chunks == pytest.approx([1 / 12, 1 / 4], abs=1e-8)


@st.composite
def walks(draw: st.DrawFn) -> WalkResult:
    entities, chunks = draw(st.integers(1, 5)), draw(st.integers(1, 6))
    cells = draw(
        st.lists(
            st.sampled_from([0.0, 0.0, 1.0, 2.0]), min_size=entities * chunks, max_size=entities * chunks
        )
    )
    masses = draw(
        st.lists(st.integers(0, 4), min_size=entities + chunks, max_size=entities + chunks).filter(any)
    )
    share = np.array(masses) / sum(masses)
    graph = from_weights(csr_matrix(np.array(cells).reshape(entities, chunks)))
    return walk(graph, Seeds(share[:entities], share[entities:]), SETTINGS)


@given(walks())
def test_what_is_told_of_a_chunk_adds_up_to_its_mass(walked: WalkResult) -> None:
    everything = len(walked.entities) + len(walked.chunks) + 1
    for told in explain(walked, range(len(walked.chunks)), edges=everything, sources=everything):
        assert told.rest == 0
        assert told.own + sum(flow.mass for flow in told.flows) == pytest.approx(
            told.mass, rel=1e-4, abs=1e-7
        )
        for flow in told.flows:
            assert sum(source.mass for source in flow.sources) == pytest.approx(flow.mass, rel=1e-4, abs=1e-7)


@given(walks())
def test_the_mass_of_a_walk_never_grows(walked: WalkResult) -> None:
    assert walked.entities.sum() + walked.chunks.sum() <= 1 + 1e-9
    assert (walked.chunks >= (1 - walked.damping) * walked.seeds.chunks - 1e-12).all()


def test_only_the_greatest_ways_are_told_and_the_rest_in_sum() -> None:
    graph = from_weights(csr_matrix(np.array([[1.0, 1.0], [1.0, 0.0], [1.0, 0.0]])))
    walked = walk(graph, Seeds(np.array([0.7, 0.2, 0.1]), np.zeros(2)), SETTINGS)
    (told,) = explain(walked, [0], edges=1, sources=1)
    (flow,) = told.flows
    assert flow.entity == 0 or flow.mass >= told.rest / 2
    (source,) = flow.sources
    assert (source.kind, source.index) == ("question", -1)
    assert told.own == 0
    assert flow.mass + told.rest == pytest.approx(told.mass, rel=1e-4)
