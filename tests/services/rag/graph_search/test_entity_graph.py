"""What becomes a node, what joins it to which chunk, and which node a name means."""

from dataclasses import replace

import numpy as np

from services.rag.graph_search.entity_graph import EntityGraph, entity_graph
from services.rag.graph_search.link import names_in
from services.rag.graph_search.snapshot import Snapshot
from tests.services.rag.graph_search.made_snapshot import Page, made_snapshot

WEIGHT = 2.0


def with_texts(snapshot: Snapshot, *texts: str) -> Snapshot:
    return replace(snapshot, chunks=replace(snapshot.chunks, texts=texts))


def weight(graph: EntityGraph, chunk: int, node: int) -> float:
    return float(graph.containment.contained[chunk, node])


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
    assert np.flatnonzero(graph.containment.contained.toarray()[0]).tolist() == [
        snapshot.entities.names.index("Oslo")
    ]
    assert graph.pages.tolist() == [-1]


def test_an_ambiguous_name_shares_its_edge() -> None:
    snapshot = made_snapshot(
        [Page("", {"Carl Bay": 1}), Page("", {"Olaf Bay": 1}), Page("")],
        {"Carl Bay": ["Bay"], "Olaf Bay": ["Bay"]},
    )
    graph = entity_graph(with_texts(snapshot, "Carl Bay", "Olaf Bay", "then Bay left"), WEIGHT)
    assert graph.containment.contained.toarray()[2].tolist() == [0.5, 0.5]


def test_an_empty_corpus_has_an_empty_graph() -> None:
    graph = entity_graph(made_snapshot([]), WEIGHT)
    assert graph.containment.contained.shape == (0, 0)
