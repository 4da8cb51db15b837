"""How triples join: worked examples, each a path as an article's reader would put it down.

Paths that state the same facts, once under a name that only context knows: one.
"""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.paths.path_rows import Joint, Link, count_by_facts, links, list_by_facts
from kg.paths.protocol import Arc
from kg.paths.sparse import SparseEngine
from tests.kg.paths.tables import World, list_paths, worlds
from tests.kg.paths.test_sparse import pairs_of


def said(subject: str, other: str) -> Joint:
    return Joint(subject, other)


def of_other(subject: str, other: str) -> Joint:
    """A fact said of the entity that context puts in its subject's place."""
    return Joint(subject, other, "subject")


def to_other(subject: str, other: str) -> Joint:
    """A fact with the entity that context puts in its object's place."""
    return Joint(subject, other, "object")


@pytest.mark.parametrize(
    ("joints", "expected"),
    [
        ([said("Mira Tolland", "Ostby Rovers")], ["start"]),
        ([said("Mira Tolland", "Ostby Rovers"), said("Ostby Rovers", "Halden")], ["start", "shared"]),
        ([said("Mira Tolland", "the Ostby Rovers"), said("Ostby Rovers", "Halden")], ["start", "shared"]),
        ([said("Halden", "Greta Lindqvist"), said("Dr. Greta Lindqvist", "Verrin")], ["start", "shared"]),
        ([said("Orla Venning", "Norholm Health Board"), said("NHB", "Otto Pelham")], ["start", "exact"]),
        ([said("Orla", "NHB"), said("NHB", "Otto"), said("Pelham", "1412")], ["start", "shared", "exact"]),
        ([said("Corrin Medal", "Orla Venning"), of_other("Venning", "NHB")], ["start", "context"]),
        ([said("Corrin Medal", "Orla Venning"), to_other("Orla Venning", "NHB")], ["start", "context"]),
        ([said("Corrin", "Norholm Health Board"), to_other("NHB", "Otto")], ["start", "exact"]),
        ([of_other("Venning", "Norholm Health Board"), said("NHB", "Otto")], ["context", "exact"]),
        ([to_other("Venning", "Norholm"), said("NHB", "Otto")], ["context", "context"]),
        ([to_other("a", "b"), of_other("x", "d")], ["context", "context"]),
        ([said("a", "b"), to_other("b", "c"), said("c", "d"), said("d", "e")],
         ["start", "context", "context", "shared"]),
        ([], []),
    ],
    ids=["alone", "same name", "an article", "a title", "an acronym", "the second joint",
         "by the mirrored end", "by the other end", "exact before the other end", "exact behind it",
         "from a mirrored end", "between mirrored ends", "only beside the mirror", "no path"],
)  # fmt: skip
def test_the_link_before_each_triple(joints: list[Joint], expected: list[Link]) -> None:
    assert links(joints) == expected


def test_a_way_through_a_mirrored_name_is_the_way_that_it_mirrors() -> None:
    """Ana (0) owns a firm (1), which built and ran a dock (3), and knows somebody (4) who drew it. Context
    calls the firm by another name (2) too: of five paths three state different facts."""

    def arc(edge: str, tail: int, head: int, mirrored: bool = False) -> Arc:
        return Arc(edge, tail, head, "", "", "", mirrored)

    web = (
        (arc("owns", 0, 1), arc("owns'", 0, 2, mirrored=True), arc("knows", 0, 4)),
        (arc("built", 1, 3), arc("ran", 1, 3), arc("built'", 2, 3, mirrored=True),
         arc("ran'", 2, 3, mirrored=True), arc("drew", 4, 3)),
    )  # fmt: skip
    facts = {one.edge: one.edge.rstrip("'") for arcs in web for one in arcs}
    assert len(list(list_paths(web))) == 5
    told = [[one.edge for one in path] for path in list_by_facts(web, facts)]
    assert told == [["owns", "built"], ["owns", "ran"], ["knows", "drew"]]
    assert count_by_facts(web, facts) == 3


def test_a_way_of_stated_facts_comes_before_one_over_a_mirrored_edge() -> None:
    """Of Ana (0) a firm (1) that context calls by her name tells where it sails (2) and swims (3), and she
    sails there herself: the first edge that is stored is the mirrored one."""
    web = (
        (Arc("swims'", 0, 1, "", "", "", True), Arc("sails", 0, 1, "", "", "", False)),
        (Arc("ends", 1, 2, "", "", "", False),),
    )
    facts = {one.edge: one.edge.rstrip("'") for arcs in web for one in arcs}
    told = [[one.edge for one in path] for path in list_by_facts(web, facts)]
    assert told == [["sails", "ends"], ["swims'", "ends"]]
    assert count_by_facts(web, facts) == 2


@given(worlds(), st.data())
def test_of_each_sequence_of_facts_the_path_with_fewest_mirrored_edges_is_listed(
    world: World, data: st.DataObject
) -> None:
    engine = SparseEngine(world.table())
    for web in engine.webs(pairs_of(engine)):
        edges = sorted({arc.edge for arcs in web for arc in arcs})
        facts = {edge: data.draw(st.sampled_from(edges[:3])) for edge in edges}
        by_facts: dict[tuple[str, ...], list[int]] = {}
        for path in list_paths(web):
            told = tuple(facts[arc.edge] for arc in path)
            by_facts.setdefault(told, []).append(sum(arc.mirrored for arc in path))
        listed = {
            tuple(facts[arc.edge] for arc in path): sum(arc.mirrored for arc in path)
            for path in list_by_facts(web, facts)
        }
        assert listed == {told: min(mirrored) for told, mirrored in by_facts.items()}
        assert count_by_facts(web, facts) == len(by_facts)
