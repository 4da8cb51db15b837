"""The walk over facts, containment and synonyms, and where it starts.

Names that mean nearly the same by their vectors.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import block_diag, csr_matrix

from services.rag.graph_search.entity_graph import (
    EntityGraph,
    Mass,
    Seeds,
    WalkResult,
    entity_graph,
    from_weights,
)
from services.rag.graph_search.explanation import explain
from services.rag.graph_search.fact_walk import (
    CELL,
    LEAST,
    MOST,
    FactSettings,
    NearFact,
    fact_masses,
    fact_seeds,
    nearest_facts,
    synonyms,
    walk_facts,
    with_facts,
)
from services.rag.graph_search.link import QuestionEntity
from services.rag.graph_search.snapshot import Floats, Snapshot
from services.rag.protocol import RagQuestion
from services.rag.retrieval.pagerank import (
    explain_fact_pagerank,
    prepare_fact_pagerank,
    search_fact_pagerank,
)
from tests.services.rag.graph_search.made_snapshot import DIMENSIONS, Page, made_snapshot

NODES, CHUNKS = 4, 5
HELD = arrays(np.float64, (NODES, CHUNKS), elements=st.floats(0.1, 2.0))
JOINED = arrays(np.float64, (NODES, NODES), elements=st.sampled_from([0.0, 0.0, 0.8, 1.0, 3.0]))
MASSES = arrays(np.float64, NODES + CHUNKS, elements=st.floats(0.01, 1.0))
PAGES = [
    Page("Ibsen", {"Ibsen": 1, "Skien": 1}, [("Ibsen", "was born in", "Skien")]),
    Page("Brand", {"Ibsen": 1, "Brand": 1}, [("Ibsen", "wrote", "Brand"), ("Brand", "is dated", "1865")]),
    Page("Skien", {"Skien": 1, "Norway": 1}, [("Skien", "is located in", "Norway")]),
    Page("Lima", {"Peru": 1}),
]


def symmetric(edges: Mass) -> csr_matrix:
    return csr_matrix(np.triu(edges, 1) + np.triu(edges, 1).T)


def walked(held: Mass, joined: Mass, masses: Mass) -> WalkResult:
    masses = masses / masses.sum()
    graph = from_weights(csr_matrix(held), symmetric(joined))
    return walk_facts(graph, Seeds(masses[:NODES], masses[NODES:]))


@given(HELD, JOINED, MASSES)
def test_mass_is_kept(held: Mass, joined: Mass, masses: Mass) -> None:
    found = walked(held, joined, masses)
    assert found.entities.sum() + found.chunks.sum() == pytest.approx(1)
    assert (found.entities >= 0).all()
    assert (found.chunks >= 0).all()


@given(HELD, JOINED, MASSES, st.permutations(range(CHUNKS)))
def test_the_order_of_chunks_means_nothing(held: Mass, joined: Mass, masses: Mass, order: list[int]) -> None:
    before = walked(held, joined, masses)
    after = walked(held[:, order], joined, np.append(masses[:NODES], masses[NODES:][order]))
    assert after.chunks == pytest.approx(before.chunks[order])
    assert after.entities == pytest.approx(before.entities)


@given(HELD, JOINED, HELD, JOINED, MASSES)
def test_what_is_not_joined_changes_nothing(
    held: Mass, joined: Mass, other: Mass, others: Mass, masses: Mass
) -> None:
    alone = walked(held, joined, masses)
    both = walk_facts(
        from_weights(
            csr_matrix(block_diag((held, other))),
            csr_matrix(block_diag((symmetric(joined), symmetric(others)))),
        ),
        Seeds(
            np.append(alone.seeds.entities, np.zeros(NODES)), np.append(alone.seeds.chunks, np.zeros(CHUNKS))
        ),
    )
    assert both.chunks[:CHUNKS] == pytest.approx(alone.chunks)
    assert not both.chunks[CHUNKS:].any()


@given(HELD, JOINED, MASSES)
def test_what_is_told_of_a_chunk_adds_up_to_its_mass(held: Mass, joined: Mass, masses: Mass) -> None:
    found = walked(held, joined, masses)
    for told in explain(found, range(CHUNKS), edges=NODES, sources=1 + NODES + CHUNKS):
        assert told.own + sum(flow.mass for flow in told.flows) == pytest.approx(told.mass, rel=1e-4)
        for flow in told.flows:
            assert sum(source.mass for source in flow.sources) == pytest.approx(flow.mass, rel=1e-4)


def test_one_step_by_hand() -> None:
    # Two names joined by a fact of weight 1; the first is in one chunk by weight 3.
    graph = from_weights(csr_matrix(np.array([[3.0], [0.0]])), csr_matrix(np.array([[0.0, 1.0], [1.0, 0.0]])))
    found = walk_facts(graph, Seeds(np.array([1.0, 0.0]), np.zeros(1)), FactSettings(steps=1, damping=0.5))
    assert found.entities.tolist() == [0.5, 0.125]
    assert found.chunks.tolist() == [0.375]


@pytest.fixture
def snapshot() -> Snapshot:
    """Facts whose vectors are told apart: each points in a direction of its own."""
    made = made_snapshot(PAGES, types={"1865": "DATE"})
    return replace(
        made,
        entities=replace(made.entities, vectors=np.zeros_like(made.entities.vectors[:])),
        facts=replace(made.facts, vectors=np.eye(DIMENSIONS, dtype=np.float32)),
    )


def edge(graph: EntityGraph, snapshot: Snapshot, first: str, second: str) -> float:
    names = snapshot.entities.names
    assert graph.containment.among is not None
    node = names.index(first)
    return float(graph.containment.among[node, names.index(second)] / graph.containment.of_nodes[node])


def test_facts_and_synonyms_join_names_but_not_dates(snapshot: Snapshot) -> None:
    vectors = snapshot.entities.vectors[:].copy()
    for name in ("Norway", "Peru"):
        vectors[snapshot.entities.names.index(name), 0] = 1
    alike = replace(snapshot, entities=replace(snapshot.entities, vectors=vectors))
    graph = with_facts(alike, entity_graph(alike, 2.0))
    # Ibsen stands in two chunks, one of which is his page: 1 + 2, and two facts are about him.
    assert edge(graph, alike, "Ibsen", "Skien") == pytest.approx(1 / 5)
    assert edge(graph, alike, "Norway", "Peru") > 0
    assert edge(graph, alike, "Brand", "1865") == 0
    assert edge(graph, alike, "Ibsen", "Norway") == 0


def test_the_nearest_facts_give_to_their_names_by_how_rare_these_are(snapshot: Snapshot) -> None:
    graph = entity_graph(snapshot, 2.0)
    near = nearest_facts(snapshot.facts, np.array([0.6, 0.8, 0.0, -0.1], np.float32), 5)
    assert [one.fact for one in near] == [1, 0]
    masses = fact_masses(snapshot, graph, [NearFact(1, 1.0)], FactSettings())
    names = snapshot.entities.names
    assert masses[names.index("Ibsen")] == pytest.approx(1 / graph.frequency[names.index("Ibsen")])
    assert masses[names.index("Brand")] == pytest.approx(1 / graph.frequency[names.index("Brand")])
    assert masses.sum() == pytest.approx(masses[[names.index("Ibsen"), names.index("Brand")]].sum())


def test_seeds_add_up_to_one_and_spare_what_is_not_allowed() -> None:
    allowed = np.array([True, False, True])
    seeds = fact_seeds(
        np.array([0.2, 0.0]), [QuestionEntity("x", 1, 0.6)], np.array([0.1, 0.9, 0.5]), allowed
    )
    assert seeds.entities.sum() + seeds.chunks.sum() == pytest.approx(1)
    assert seeds.entities[1] == pytest.approx(3 * seeds.entities[0])
    assert seeds.chunks.sum() / seeds.entities.sum() == pytest.approx(FactSettings().chunk_share)
    assert seeds.chunks[1] == 0


def test_a_fact_leads_to_what_the_question_does_not_name_and_is_told(snapshot: Snapshot) -> None:
    graph = prepare_fact_pagerank(snapshot)
    question = RagQuestion("1", "who wrote it?", np.array([0.0, 1.0, 0.0, 0.0], np.float32))
    (hits,) = search_fact_pagerank(snapshot, graph, [question], lambda texts: np.zeros((0, 0), np.float32), 4)
    assert hits[0].chunk == snapshot.chunks.ids[1]
    why = explain_fact_pagerank(snapshot, graph, question, lambda texts: np.zeros((0, 0), np.float32), [1])
    assert "Ibsen | wrote | Brand" in {stop.text for way in why.reasons[0].ways for stop in way.stops}
    assert why.linked == ()


def unit(vectors: np.ndarray[tuple[int, int], np.dtype[np.float64]]) -> Floats:
    made: Floats = (vectors / np.linalg.norm(vectors, axis=1, keepdims=True)).astype(np.float32)
    return made


def test_two_names_are_joined_by_their_cosine() -> None:
    found = synonyms(unit(np.array([[1.0, 0.0], [4.0, 3.0], [0.0, 1.0]]))).toarray()
    assert found == pytest.approx(np.array([[0, 0.8, 0], [0.8, 0, 0], [0, 0, 0]]), abs=1e-6)


def test_up_to_a_cell_nothing_is_missed() -> None:
    vectors = unit(np.random.default_rng(0).normal(size=(300, 5)))
    cosines = vectors @ vectors.T
    np.fill_diagonal(cosines, 0)
    wanted = np.where(cosines >= 0.93, cosines, 0)
    assert (wanted > 0).sum(axis=1).max() > 2
    assert synonyms(vectors, 0.93, most=300).toarray() == pytest.approx(wanted, abs=1e-6)


def test_beyond_a_cell_little_is_missed() -> None:
    random = np.random.default_rng(1)
    meanings = random.normal(size=(2 * CELL, 32))
    vectors = unit(np.concatenate((meanings, meanings + 0.1 * random.normal(size=meanings.shape))))
    found = synonyms(vectors)
    pairs = np.array([found[one, one + 2 * CELL] > LEAST for one in range(2 * CELL)])
    assert pairs.mean() > 0.9
    assert abs(found - found.T).sum() == 0


def test_nobody_has_more_than_so_many() -> None:
    found = synonyms(np.ones((3 * CELL, 1), np.float32))
    assert 0 < np.diff(found.indptr).max() <= MOST


@pytest.mark.parametrize("size", [0, 1])
def test_where_there_is_nobody_else_there_are_none(size: int) -> None:
    found = synonyms(np.ones((size, 4), np.float32))
    assert found.shape == (size, size)
    assert found.nnz == 0
