"""How triples join: worked examples, each a path as an article's reader would put it down.

Paths that state the same facts, once under a name that only context knows: one.
"""

from typing import Any

from hypothesis import given
from hypothesis import strategies as st

from kg.paths.path_rows import Joint, Link, count_by_facts, links, list_by_facts
from kg.paths.protocol import Arc
from kg.paths.sparse import SparseEngine
from tests.examples import examples
from tests.kg.paths.tables import World, list_paths, worlds
from tests.kg.paths.test_sparse import pairs_of


@examples("joints, expected")
def test_the_link_before_each_triple(joints: list[tuple[Any, ...]], expected: list[Link]) -> None:
    assert links([Joint(*one) for one in joints]) == expected


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
