"""Which names are found in a text, and what is left without them.

The entities that a question names.

What becomes a node, what joins it to which chunk, and which node a name means.
"""

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rag.graph_search.entity_graph import EntityGraph, entity_graph
from services.rag.graph_search.link import (
    compact,
    entity_names,
    link_entities,
    name_index,
    names_in,
    naming_chunks,
    plain_name,
    without_article,
    without_names,
    words_of,
)
from services.rag.graph_search.snapshot import Snapshot
from tests.examples import examples
from tests.services.rag.graph_search.made_snapshot import Page, made_snapshot

INDEX = name_index(
    {
        "brand": [0],
        "henrik ibsen": [1],
        "ibsen": [1],
        "new york": [2],
        "new york city": [3],
        "who s who": [4],
        "it": [5],
        "sah sultan": [6],
        "北京": [7],
    }
)


def found(text: str) -> list[tuple[str, tuple[int, ...]]]:
    return [(one.words, one.nodes) for one in names_in(INDEX, text)]


@examples("text, expected")
def test_names_are_found(text: str, expected: list[tuple[str, tuple[int, ...]]]) -> None:
    assert found(text) == expected


@given(st.text(alphabet="abN ewYorkBrandHibs'.É\u2019", max_size=60))
def test_found_names_stand_apart_and_in_the_text(text: str) -> None:
    last = 0
    for one in names_in(INDEX, text):
        assert one.start >= last
        assert text[one.start : one.end] == one.words
        last = one.end


@given(st.lists(st.sampled_from([*INDEX.nodes, "New York", "who", "\ud800", "Şah", "?"]), max_size=8))
def test_names_by_their_hashes_are_found_where_names_are(words: list[str]) -> None:
    text = " ".join(words)
    assert list(names_in(compact(INDEX), text)) == list(names_in(INDEX, text))


def test_no_names_are_compact_as_well() -> None:
    assert list(names_in(compact(name_index({})), "Who wrote Brand of New York?")) == []


@given(st.text(max_size=80))
def test_any_text_has_plain_words(text: str) -> None:
    for word in words_of(text):
        assert 0 <= word.start < word.end <= len(text)
    assert plain_name(plain_name(text)) == plain_name(text)


def test_without_names_is_what_is_asked() -> None:
    text = "Who was the mother of Henrik Ibsen's wife?"
    assert without_names(text, names_in(INDEX, text)) == "who was the mother of wife"


def test_articles_before_a_name_do_not_count() -> None:
    assert without_article("the the beatles") == "beatles"
    assert without_article("the who") == ""


SNAPSHOT = made_snapshot(
    [
        Page("1", {"Orla Venning": 1, "Venning": 1, "Norholm": 2}),
        Page("2", {"Norholm": 1, "St. Ives": 1}),
        Page("3", {"Norholm": 1, "Isle of Tavisk": 1, "Tavisk": 1}),
    ],
    aliases={
        "Norholm": ["the Old Town", "NHB"],
        "Venning": ["the director"],
        "Orla Venning": ["the director"],
    },
)
NAMES = entity_names(SNAPSHOT.entities)
COUNTS = naming_chunks(SNAPSHOT.naming)


def named(question: str) -> list[tuple[str, str]]:
    return [
        (one.words, SNAPSHOT.entities.names[one.entity]) for one in link_entities(NAMES, COUNTS, question)
    ]


@examples("question, expected")
def test_the_longest_names_are_found_by_any_spelling_rarest_first(
    question: str, expected: list[tuple[str, str]]
) -> None:
    assert named(question) == expected


def test_words_that_may_mean_several_share_their_weight() -> None:
    found = link_entities(NAMES, COUNTS, "Who is the director in Norholm?")
    assert [(SNAPSHOT.entities.names[one.entity], one.weight) for one in found] == [
        ("Orla Venning", 0.5),
        ("Venning", 0.5),
        ("Norholm", pytest.approx(1 / 3)),
    ]


WEIGHT = 2.0


def with_texts(snapshot: Snapshot, *texts: str) -> Snapshot:
    return replace(snapshot, chunks=replace(snapshot.chunks, texts=texts))


def weight(graph: EntityGraph, chunk: int, node: int) -> float:
    return float(graph.containment.transposed[chunk, node])


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
    assert np.flatnonzero(graph.containment.transposed.toarray()[0]).tolist() == [
        snapshot.entities.names.index("Oslo")
    ]
    assert graph.pages.tolist() == [-1]


def test_an_ambiguous_name_shares_its_edge() -> None:
    snapshot = made_snapshot(
        [Page("", {"Carl Bay": 1}), Page("", {"Olaf Bay": 1}), Page("")],
        {"Carl Bay": ["Bay"], "Olaf Bay": ["Bay"]},
    )
    graph = entity_graph(with_texts(snapshot, "Carl Bay", "Olaf Bay", "then Bay left"), WEIGHT)
    assert graph.containment.transposed.toarray()[2].tolist() == [0.5, 0.5]


def test_an_empty_corpus_has_an_empty_graph() -> None:
    graph = entity_graph(made_snapshot([]), WEIGHT)
    assert graph.containment.transposed.shape == (0, 0)
