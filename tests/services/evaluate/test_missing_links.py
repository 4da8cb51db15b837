"""Which pairs need a missing link, against all shortest paths written out one by one."""

from collections import defaultdict
from collections.abc import Iterator

from hypothesis import given
from hypothesis import strategies as st

from kg.paths.edges import EntityEdges, OutEdge, edge_table
from kg.paths.path_rows import Joint, Replaced, links
from kg.paths.walk import MAX_HOPS
from services.evaluate.graph_quality import NeedOfLinks, need_of_links

Edge = tuple[str, str, str, str, Replaced]
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
