"""What becomes a node, what joins it to which chunk, and which node a name means.

The walk's masses.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from hypothesis.extra.numpy import arrays
from scipy.sparse import block_diag, csr_matrix

from services.rag.graph_search.entity_graph import EntityGraph, Mass, Seeds, entity_graph, from_weights
from services.rag.graph_search.link import names_in
from services.rag.graph_search.search import walk
from services.rag.graph_search.seeds import GraphSettings
from services.rag.graph_search.snapshot import Snapshot
from tests.services.rag.graph_search.made_snapshot import Page, made_snapshot

WEIGHT = 2.0


def with_texts(snapshot: Snapshot, *texts: str) -> Snapshot:
    return replace(snapshot, chunks=replace(snapshot.chunks, texts=texts))


def weight(graph: EntityGraph, chunk: int, node: int) -> float:
    return float(graph.contained[chunk, node])


def meant(graph: EntityGraph, text: str) -> list[tuple[int, ...]]:
    return [one.nodes for one in names_in(graph.names, text)]


def test_a_name_in_the_text_joins_even_where_extraction_missed_it() -> None:
    snapshot = made_snapshot([Page("Brand (play)", {"Ibsen": 1}), Page("Skien", {"Norway": 1})])
    graph = entity_graph(with_texts(snapshot, "Brand is by Ibsen.", "Ibsen was born in Skien."), WEIGHT)
    ibsen = snapshot.entities.names.index("Ibsen")
    assert weight(graph, 0, ibsen) == weight(graph, 1, ibsen) == 1
    assert graph.frequency[ibsen] == 2
    assert graph.stands(ibsen)


def test_a_title_is_an_entity_or_a_node_of_its_own_with_a_stronger_edge() -> None:
    snapshot = made_snapshot([Page("Ibsen", {"Ibsen": 3}), Page("Brand (play)", {"Ibsen": 1})])
    graph = entity_graph(snapshot, WEIGHT)
    ibsen = snapshot.entities.names.index("Ibsen")
    assert graph.pages.tolist() == [ibsen, 1]
    assert graph.titles == ("Brand (play)",)
    assert weight(graph, 0, ibsen) == weight(graph, 1, 1) == WEIGHT
    assert weight(graph, 1, ibsen) == 1


def test_two_titles_with_one_name_are_two_nodes_that_their_full_titles_tell_apart() -> None:
    snapshot = made_snapshot([Page("Twins (band)"), Page("Twins (film)")], {}, {})
    graph = entity_graph(with_texts(snapshot, "A band.", "A film."), WEIGHT)
    assert len(set(graph.pages.tolist())) == 2
    assert meant(graph, "Twins (film)") == [(graph.pages[1],)]
    assert meant(graph, "the Twins") == [tuple(sorted(graph.pages.tolist()))]


def test_what_stands_before_the_comma_of_a_title_is_a_name_unless_it_is_somebody_elses() -> None:
    snapshot = made_snapshot([Page("Athens, Georgia"), Page("Laie, Hawaii"), Page("Athens")])
    graph = entity_graph(with_texts(snapshot, "", "", ""), WEIGHT)
    assert meant(graph, "Laie") == [(graph.pages[1],)]
    assert meant(graph, "Athens") == [(graph.pages[2],)]


def test_a_title_within_a_longer_name_joins_as_well() -> None:
    snapshot = made_snapshot([Page("Edward III"), Page("", {"King Edward III of England": 1}), Page("King")])
    graph = entity_graph(snapshot, WEIGHT)
    king, edward = snapshot.entities.names.index("King Edward III of England"), graph.pages[0]
    assert weight(graph, 1, king) == weight(graph, 1, edward) == 1
    assert weight(graph, 1, graph.pages[2]) == 0
    assert meant(graph, "Who is King Edward III of England?") == [(king,)]


def test_dates_numbers_and_concepts_are_no_nodes() -> None:
    kinds = {"1905": "DATE", "Seven": "NUMBER", "Justice": "CONCEPT"}
    snapshot = made_snapshot([Page("", {"1905": 1, "Seven": 1, "Justice": 1, "Oslo": 1})], {}, kinds)
    graph = entity_graph(snapshot, WEIGHT)
    assert np.flatnonzero(graph.contained.toarray()[0]).tolist() == [snapshot.entities.names.index("Oslo")]
    assert graph.pages.tolist() == [-1]


def test_an_ambiguous_name_shares_its_edge() -> None:
    snapshot = made_snapshot(
        [Page("", {"Carl Bay": 1}), Page("", {"Olaf Bay": 1}), Page("")],
        {"Carl Bay": ["Bay"], "Olaf Bay": ["Bay"]},
    )
    graph = entity_graph(with_texts(snapshot, "Carl Bay", "Olaf Bay", "then Bay left"), WEIGHT)
    assert graph.contained.toarray()[2].tolist() == [0.5, 0.5]


def test_an_empty_corpus_has_an_empty_graph() -> None:
    graph = entity_graph(made_snapshot([]), WEIGHT)
    assert graph.contained.shape == (0, 0)


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
