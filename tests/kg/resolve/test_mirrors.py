import random

from hypothesis import given, settings
from hypothesis import strategies as st

from kg.resolve.cluster_context import ContextLink, Fact, MirroredEdge, mirrored_edges


def link(a: str, b: str, cluster: str = "c1") -> ContextLink:
    return ContextLink(a, b, cluster, 0.9, "")


def statements(edges: list[MirroredEdge]) -> set[tuple[str, str, str, str]]:
    return {(edge.subject, edge.predicate, edge.object, edge.claim) for edge in edges}


LONG, SHORT = "elevated levels in his blood", "elevated levels"
HAD = Fact("f1", "Perry", "had", LONG, "k1")
LED = Fact("f2", SHORT, "led to", "depression", "k2")


def test_edges_in_and_out_of_one_are_added_to_the_other() -> None:
    edges = mirrored_edges([HAD, LED], [link(SHORT, LONG)], {"c1": {"k1", "k2"}})
    assert statements(edges) == {("Perry", "had", SHORT, "k1"), (LONG, "led to", "depression", "k2")}
    by_fact = {edge.mirror_of: edge for edge in edges}
    assert by_fact["f1"].via == LONG
    assert by_fact["f2"].via == SHORT
    assert {edge.cluster for edge in edges} == {"c1"}
    assert len({edge.id for edge in edges}) == 2


def test_claims_outside_the_cluster_are_not_mirrored() -> None:
    edges = mirrored_edges([HAD, LED], [link(SHORT, LONG)], {"c1": {"k2"}, "c2": {"k1"}})
    assert statements(edges) == {(LONG, "led to", "depression", "k2")}
    assert mirrored_edges([HAD, LED], [link(SHORT, LONG)], {}) == []


def test_no_edge_from_an_entity_to_itself() -> None:
    role = Fact("f1", "Ana Brel", "is", "commissioner", "k1")
    loop = Fact("f2", "Ana Brel", "succeeds", "Ana Brel", "k1")
    assert mirrored_edges([role, loop], [link("Ana Brel", "commissioner")], {"c1": {"k1"}}) == []


def test_what_a_fact_says_already_is_not_said_again() -> None:
    facts = [
        Fact("f1", "a", "met", "x", "k1"),
        Fact("f2", "b", "met", "x", "k1"),
        Fact("f3", "a", "met", "x", "k2"),
    ]
    edges = mirrored_edges(facts, [link("a", "b")], {"c1": {"k1", "k2"}})
    assert statements(edges) == {("b", "met", "x", "k2")}


def test_two_clusters_with_one_link_give_one_mirror() -> None:
    edges = mirrored_edges([HAD], [link(SHORT, LONG, "c2"), link(SHORT, LONG)], {"c1": ["k1"], "c2": ["k1"]})
    assert [edge.cluster for edge in edges] == ["c1"]


def test_links_do_not_chain() -> None:
    edges = mirrored_edges(
        [Fact("f1", "a", "met", "x", "k1")], [link("a", "b"), link("b", "c")], {"c1": {"k1"}}
    )
    assert statements(edges) == {("b", "met", "x", "k1")}


FACTS = st.lists(
    st.builds(
        Fact,
        id=st.uuids().map(str),
        subject=st.sampled_from("abcd"),
        predicate=st.sampled_from(["met", "left"]),
        object=st.sampled_from("abcd"),
        claim=st.sampled_from(["k1", "k2", "k3"]),
    ),
    max_size=12,
)
LINKS = st.lists(
    st.builds(link, st.sampled_from("ab"), st.sampled_from("cd"), st.sampled_from(["c1", "c2"])), max_size=5
)


@settings(max_examples=120, deadline=None)
@given(FACTS, LINKS, st.randoms(use_true_random=False))
def test_mirrors_are_new_distinct_and_blind_to_order(
    facts: list[Fact], links: list[ContextLink], order: random.Random
) -> None:
    claims = {"c1": {"k1", "k2"}, "c2": {"k2", "k3"}}
    edges = mirrored_edges(facts, links, claims)
    original = {fact.id: fact for fact in facts}
    said = {(fact.subject, fact.predicate, fact.object, fact.claim) for fact in facts}
    assert len(statements(edges)) == len(edges) == len({edge.id for edge in edges})
    assert not statements(edges) & said
    for edge in edges:
        source = original[edge.mirror_of]
        assert edge.subject != edge.object
        assert edge.claim in claims[edge.cluster]
        assert edge.via in {source.subject, source.object}
        assert (edge.predicate, edge.claim) == (source.predicate, source.claim)
    mixed_facts, mixed_links = facts.copy(), links.copy()
    order.shuffle(mixed_facts)
    order.shuffle(mixed_links)
    assert mirrored_edges(mixed_facts, mixed_links, claims) == edges
