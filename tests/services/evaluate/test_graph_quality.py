"""Figures on a graph: those of the small world by hand, and tails and components on paper.

Which pairs need a missing link, against all shortest paths written out one by one.
"""

from collections import defaultdict
from collections.abc import Iterator

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.paths.path_rows import Joint, ReplacedSide, links
from kg.paths.protocol import MAX_HOPS, EntityEdges, OutEdge, edge_table
from kg.progress import Silent
from kg.store.graph import Graph
from services.evaluate.graph_quality import (
    Components,
    DegreeTail,
    NeedOfLinks,
    components,
    degree_tail,
    need_of_links,
    path_edges,
    read_graph_quality,
)
from tests.graph_reading import value


def test_the_tail_of_a_hundred_degrees() -> None:
    degrees = [1] * 98 + [2, 100]
    tail = degree_tail(degrees)
    assert (tail.entities, tail.median, tail.max) == (100, 1.0, 100)
    assert tail.top_share == 100 / 200
    assert tail.p99 == pytest.approx(2 + 0.01 * 98)
    assert degree_tail([]) == DegreeTail(0, 0.0, 0.0, 0.0, 0, 0.0)


def test_components_do_not_mind_directions() -> None:
    rows = [("a", ["b"]), ("c", ["b"]), ("d", ["e"]), ("alone", [])]
    table = edge_table(
        EntityEdges(one, one, "ORG", False, [OutEdge(one + to, to) for to in ends])
        for one, ends in [*rows, ("b", []), ("e", [])]
    )
    assert components(table) == Components(count=2, entities=5, largest=3)
    assert components(edge_table([])) == Components(0, 0, 0)


def test_edges_that_a_hub_keeps_out_are_in_one_table_only() -> None:
    about = {"type": "ORG", "literal": False}
    rows = [
        {"id": "a", "name": "A", **about, "edges": [["e1", "b", "c1", "art", "", "The A", "B", False]]},
        {"id": "b", "name": "B", **about, "edges": [["e2", "a", "c2", "art", "object", "B", "A", True]]},
    ]
    table, with_hubs, forms = path_edges(rows)
    assert table.ids == ("e1",)
    assert with_hubs.ids == ("e1", "e2")
    assert forms == {"e1": ("a", "b"), "e2": ("b", None)}
    assert with_hubs.mirrored.tolist() == [False, True]


def test_the_figures_of_a_built_corpus_agree_with_the_graph(graph: Graph, seed_corpus: str) -> None:
    found = read_graph_quality(graph, seed_corpus, Silent())
    usable = "MATCH (:Entity {corpus: $corpus})-[r:RELATES|MIRRORED WHERE r.in_paths]->() RETURN count(r)"
    assert found.path_edges == value(graph, usable, corpus=seed_corpus)
    kept = {(row["kind"], row["reason"]): row["edges"] for row in found.edges}
    assert sum(number for (_, reason), number in kept.items() if reason is None) == found.path_edges
    by_hub = sum(number for (_, reason), number in kept.items() if reason == "hub")
    assert found.path_edges_with_hubs == found.path_edges + by_hub
    hubs = "MATCH (e:Entity {corpus: $corpus}) WHERE e.hub AND e.degree > 0 RETURN count(e)"
    assert len(found.hubs) == value(graph, hubs, corpus=seed_corpus)
    two = """
    MATCH (e:Entity {corpus: $corpus, named: true})
    WHERE COUNT {
      MATCH (e)<-[:NAMES|MENTIONS]-()<-[:HAS_CHUNK|HAS_CLAIM]-{1,2}(a:Article) RETURN DISTINCT a
    } > 1
    RETURN count(e)
    """
    assert found.in_two_articles == value(graph, two, corpus=seed_corpus) > 0
    assert found.degrees.max == value(
        graph, "MATCH (e:Entity {corpus: $corpus, named: true}) RETURN max(e.degree)", corpus=seed_corpus
    )
    assert [row["hops"] for row in found.drawn] == [2, 3, 4, 5]
    assert sum(row["paths"] for row in found.drawn) == value(
        graph, "MATCH (p:Path {corpus: $corpus}) RETURN count(p)", corpus=seed_corpus
    )
    for need, pairs in zip(found.need, found.pairs.pairs, strict=True):
        assert need.pairs == pairs
        assert max(need.exact, need.context) <= need.either <= pairs
    assert all(
        wide >= narrow for wide, narrow in zip(found.pairs_with_hubs.pairs, found.pairs.pairs, strict=True)
    )


def test_the_demo_has_enough_paths_in_spite_of_the_policy(graph: Graph, seed_corpus: str) -> None:
    found = read_graph_quality(graph, seed_corpus, Silent())
    assert sum(number >= 400 for number in found.pairs.pairs[1:]) >= 3


Edge = tuple[str, str, str, str, ReplacedSide]
"""From, to, the triple's own subject and object, the end at which context put another entity."""


def need(edges: list[Edge]) -> list[NeedOfLinks]:
    leaving: dict[str, list[OutEdge]] = defaultdict(list)
    forms = {}
    for number, (start, end, subject, target, replaced) in enumerate(edges):
        leaving[start].append(OutEdge(f"e{number:03}", end, mirrored=bool(replaced)))
        leaving[end] += []
        own = (None if replaced == "subject" else subject, None if replaced == "object" else target)
        forms[f"e{number:03}"] = own
    rows = [EntityEdges(one, one, "PERSON", False, out) for one, out in leaving.items()]
    return need_of_links(edge_table(rows), forms)


def walks(edges: list[Edge], start: str, hops: int) -> Iterator[tuple[Edge, ...]]:
    if hops == 0:
        yield ()
        return
    for walk in walks(edges, start, hops - 1):
        at = walk[-1][1] if walk else start
        yield from ((*walk, edge) for edge in edges if edge[0] == at)


def by_hand(edges: list[Edge]) -> list[NeedOfLinks]:
    edges = [edge for edge in edges if edge[0] != edge[1]]
    counts = [[0, 0, 0, 0] for _ in range(MAX_HOPS)]
    for start in {edge[0] for edge in edges}:
        seen = {start}
        for hops in range(1, MAX_HOPS + 1):
            paths = defaultdict(list)
            for walk in walks(edges, start, hops):
                if walk[-1][1] not in seen:
                    kinds = {*links([Joint(s, o, m) for _, _, s, o, m in walk])}
                    paths[walk[-1][1]].append(kinds | ({"context"} if any(m for *_, m in walk) else set()))
            for ways in paths.values():
                counts[hops - 1][0] += 1
                counts[hops - 1][1] += all("exact" in way for way in ways)
                counts[hops - 1][2] += all("context" in way for way in ways)
                counts[hops - 1][3] += all({"exact", "context"} & way for way in ways)
            seen |= paths.keys()
    return [NeedOfLinks(hops, *row) for hops, row in enumerate(counts, start=1)]


ENTITIES = st.sampled_from("abcd")
EDGES = st.lists(
    st.tuples(
        ENTITIES,
        ENTITIES,
        st.sampled_from("xy"),
        st.sampled_from("xy"),
        st.sampled_from(["", "subject", "object"]),
    ),
    max_size=8,
)


@given(EDGES)
def test_the_need_is_what_all_shortest_paths_say(edges: list[Edge]) -> None:
    assert need(edges) == by_hand(edges)


def test_an_acronym_in_the_middle_needs_an_exact_link() -> None:
    edges: list[Edge] = [("a", "b", "a", "board", ""), ("b", "c", "nhb", "c", "")]
    assert need(edges)[1] == NeedOfLinks(2, pairs=1, exact=1, context=0, either=1)


def test_a_second_fact_with_the_same_name_does_without() -> None:
    edges: list[Edge] = [
        ("a", "b", "a", "board", ""),
        ("b", "c", "nhb", "c", ""),
        ("b", "c", "board", "c", ""),
    ]
    assert need(edges)[1] == NeedOfLinks(2, pairs=1, exact=0, context=0, either=0)


def test_a_mirrored_edge_is_a_link_in_context_whatever_the_names_at_its_replaced_end() -> None:
    edges: list[Edge] = [
        ("a", "b", "a", "board", ""),
        ("b", "c", "x", "c", "subject"),
        ("c", "d", "c", "d", ""),
    ]
    assert need(edges)[1] == NeedOfLinks(2, pairs=2, exact=0, context=2, either=2)
    assert need(edges)[2] == NeedOfLinks(3, pairs=1, exact=0, context=1, either=1)


def test_a_mirrored_edge_does_not_hide_the_exact_join_at_its_other_end() -> None:
    edges: list[Edge] = [("a", "b", "a", "board", ""), ("b", "c", "nhb", "x", "object")]
    assert need(edges)[1] == NeedOfLinks(2, pairs=1, exact=1, context=1, either=1)
