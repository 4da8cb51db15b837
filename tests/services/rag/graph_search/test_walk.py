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

SETTINGS = GraphSettings(rest=1e-12)
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


@pytest.mark.parametrize("rest", [1e-2, 1e-4, 1e-7, 1e-12])
@pytest.mark.parametrize("seed", range(5))
def test_a_walk_misses_no_more_than_may_rest(rest: float, seed: int) -> None:
    """Against the linear system that the masses solve, on a graph with hubs."""
    random = np.random.default_rng(seed)
    nodes, chunks = 300, 200
    wanted = random.random((nodes, chunks)) < random.pareto(1.0, (nodes, 1)) / 100
    graph = from_weights(csr_matrix(random.choice([0.5, 1.0, 2.0], (nodes, chunks)) * wanted))
    start = Seeds(np.zeros(nodes), np.zeros(chunks))
    start.entities[random.integers(0, nodes, 3)], start.chunks[random.integers(0, chunks, 3)] = 0.3, 0.1
    settings = GraphSettings(rest=rest)
    walked = walk(graph, start, settings)
    gives = np.zeros((nodes + chunks, nodes + chunks))
    gives[:nodes, nodes:] = graph.weights.toarray() / graph.of_nodes[:, None]
    gives[nodes:, :nodes] = graph.contained.toarray() / graph.of_chunks[:, None]
    restart = (1 - settings.damping) * np.concatenate((start.entities, start.chunks))
    exact = np.linalg.solve(np.eye(len(gives)) - settings.damping * gives.T, restart)
    missing = exact - np.concatenate((walked.entities, walked.chunks))
    assert (missing >= -1e-12).all()
    assert (missing <= rest * np.concatenate((graph.of_nodes, graph.of_chunks)) + 1e-12).all()


@pytest.mark.parametrize("rest", [1e-3, 1e-7, 1e-12])
def test_chunks_have_exactly_what_nodes_give_them(rest: float) -> None:
    random = np.random.default_rng(0)
    weights = random.choice([0.5, 1.0, 2.0], (40, 30)) * (random.random((40, 30)) < 0.1)
    graph, start = from_weights(csr_matrix(weights)), Seeds(random.random(40) / 60, random.random(30) / 90)
    walked = walk(graph, start, GraphSettings(rest=rest))
    given = graph.contained @ (walked.entities / graph.of_nodes)
    assert walked.chunks == pytest.approx((1 - walked.damping) * start.chunks + walked.damping * given)


def test_what_may_rest_by_hand() -> None:
    # One node in two chunks, by weights 1 and 3. Its mass of 1 is more than .2 a unit of weight, and half of
    # it moves on; of that the chunks have no more than .2 a unit, and it stays there.
    graph = from_weights(csr_matrix(np.array([[1.0, 3.0]])))
    walked = walk(graph, Seeds(np.array([1.0]), np.zeros(2)), GraphSettings(rest=0.2, damping=0.5))
    assert walked.entities.tolist() == [0.5]
    assert walked.chunks.tolist() == [0.0625, 0.1875]
    # Where all of it may rest, nothing has come anywhere.
    still = walk(graph, Seeds(np.array([1.0]), np.zeros(2)), GraphSettings(rest=0.5, damping=0.5))
    assert still.entities.tolist() == [0.0]
    assert still.chunks.tolist() == [0.0, 0.0]
