"""The walk's masses."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import block_diag, csr_matrix

from services.rag.graph_search.entity_graph import Mass, Seeds, from_weights
from services.rag.graph_search.search import walk
from services.rag.graph_search.seeds import GraphSettings

SETTINGS = GraphSettings()
CONNECTED = arrays(np.float64, (4, 5), elements=st.floats(0.1, 2.0))
MASSES = arrays(np.float64, 9, elements=st.floats(0.01, 1.0))


def seeds(masses: Mass) -> Seeds:
    masses = masses / masses.sum()
    return Seeds(masses[:4], masses[4:])


@given(CONNECTED, MASSES)
def test_mass_is_kept(weights: Mass, masses: Mass) -> None:
    walked = walk(from_weights(csr_matrix(weights)), seeds(masses), SETTINGS)
    assert walked.entities.sum() + walked.chunks.sum() == pytest.approx(1)
    assert (walked.entities >= 0).all()
    assert (walked.chunks >= 0).all()


@given(CONNECTED, CONNECTED, MASSES)
def test_what_is_not_joined_changes_nothing(weights: Mass, others: Mass, masses: Mass) -> None:
    alone = walk(from_weights(csr_matrix(weights)), seeds(masses), SETTINGS)
    start = seeds(masses)
    both = walk(
        from_weights(csr_matrix(block_diag((weights, others)))),
        Seeds(np.append(start.entities, np.zeros(4)), np.append(start.chunks, np.zeros(5))),
        SETTINGS,
    )
    assert both.chunks[:5].tolist() == pytest.approx(alone.chunks.tolist())
    assert not both.chunks[5:].any()


def test_the_steps_are_enough() -> None:
    random = np.random.default_rng(0)
    graph = from_weights(csr_matrix(random.random((4, 5)) * (random.random((4, 5)) < 0.6)))
    start = seeds(random.random(9))
    few, many = walk(graph, start, SETTINGS), walk(graph, start, GraphSettings(steps=200))
    assert np.abs(few.chunks - many.chunks).sum() < 1e-3


def test_one_step_by_hand() -> None:
    # One node in two chunks, by weights 1 and 3.
    graph = from_weights(csr_matrix(np.array([[1.0, 3.0]])))
    walked = walk(graph, Seeds(np.array([1.0]), np.zeros(2)), GraphSettings(steps=1, damping=0.5))
    assert walked.entities.tolist() == [0.5]
    assert walked.chunks.tolist() == [0.125, 0.375]
