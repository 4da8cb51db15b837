"""Composing by rules over a told world: what is joined, what stays apart, and that it comes again."""

from collections.abc import Iterator

import pytest

from kg.corpus import corpus_id, drop_corpus
from kg.ids import node_id
from kg.progress import Silent
from kg.stages.resolution import ResolutionChoice, write_resolution_choice
from kg.store.graph import Graph
from services.questions.composed.atoms_by_rules import FactShelf
from services.questions.composed.pipeline import ComposeSize, Composing, Place, compose
from services.questions.composed.protocol import Atom, Composed
from services.questions.composed.rule_parts import ClearNames, rule_parts
from tests.graph_reading import change
from tests.names import unique_name
from tests.services.questions.kinds.told_world import Told, World, chunk_id, tell

ARTICLES = {name: (f"Paper {name}", "") for name in tuple("abcdefghijkl")}
WORLD = World(
    ARTICLES,
    (
        Told("a", "Halden Shipping", "was founded in", "1904"),
        Told("b", "Brask Foundry", "was founded in", "1931"),
        Told("c", "Mira Tolland", "leads", "Halden Shipping"),
        Told("d", "Mira Tolland", "was born in", "Ostby"),
        Told("e", "Ostby", "is twinned with", "Merrowgate"),
        Told("f", "Quorran Press", "was founded in", "1950"),
        Told("g", "Sable Works", "was founded in", "1950"),
        Told("h", "Otto Pelham", "leads", "Brask Foundry"),
        Told("i", "Halden Shipping", "sponsors", "Averell Cup"),
        Told("j", "Brask Foundry", "forged", "Kaldmere Bell"),
        Told("k", "Vera Lindqvist", "was appointed by", "Otto Pelham"),
        Told("l", "Otto Pelham", "appointed", "Nils Abernock"),
    ),
    types={
        "Mira Tolland": "PERSON",
        "Merrowgate": "GPE",
        "Otto Pelham": "PERSON",
        "Vera Lindqvist": "PERSON",
        "Nils Abernock": "PERSON",
        "Averell Cup": "EVENT",
        "Kaldmere Bell": "PRODUCT",
        "Ostby": "GPE",
        "1904": "DATE",
        "1931": "DATE",
        "1950": "DATE",
    },
)
_CATEGORIES = """
CYPHER 25
MATCH (a:Article {corpus: $corpus}) SET a.category = CASE WHEN a.title IN $sport THEN 'sport' ELSE 'trade' END
"""
_NAMESAKE = """
CYPHER 25
CREATE (:Entity {id: $id, corpus: $corpus, name: 'Ostby', key: 'ostby', type: 'ORG', aliases: []})
"""
_KEY = "CYPHER 25 MATCH (e:Entity {corpus: $corpus, name: 'Ostby'}) SET e.key = 'ostby'"


@pytest.fixture(scope="module")
def told(graph: Graph) -> Iterator[str]:
    name = unique_name("told", "module")
    tell(graph, name, WORLD)
    change(graph, _CATEGORIES, corpus=name, sport=["News c"])
    change(graph, _KEY, corpus=name)
    yield name
    drop_corpus(graph, name)


def composed(graph: Graph, corpus: str, **wanted: object) -> Composing:
    choice = ComposeSize(**({"per_hops": 30, "max_domain_share": 1.0} | wanted))  # type: ignore[arg-type]
    return compose(Place(graph, corpus), rule_parts(graph, corpus, 0), choice, Silent())


@pytest.fixture(scope="module")
def made(graph: Graph, told: str) -> Composing:
    return composed(graph, told)


def kept(made: Composing, hops: int) -> list[Composed]:
    return list(made.selected[hops].kept)


def test_a_question_is_asked_on_hop_by_hop_without_losing_its_chain(told: str, made: Composing) -> None:
    (found,) = [
        one
        for one in kept(made, 3)
        if one.topology == "inference" and one.hops[0].atom.question.startswith("Who leads Halden")
    ]
    assert [hop.answer for hop in found.hops] == ["Mira Tolland", "Ostby", "Merrowgate"]
    assert [hop.topology for hop in found.hops] == [None, "inference", "inference"]
    assert [hop.atom.chunk for hop in found.hops] == [chunk_id(told, key) for key in "cde"]
    assert found.hops[0].question == found.hops[0].atom.question
    assert found.hops[1].question in {one.last.question for one in kept(made, 2)}
    assert "Mira Tolland" not in found.last.question
    assert "Ostby" not in found.last.question
    assert found.domain == "sport"


def test_questions_on_nouns_are_composed_where_the_corpus_takes_concepts(graph: Graph) -> None:
    name = unique_name("concepts", "module")
    facts = (
        Told("a", "Mira Tolland", "discovered", "ketamine"),
        Told("b", "ketamine", "causes", "respiratory depression"),
    )
    types = {"Mira Tolland": "PERSON", "ketamine": "CONCEPT", "respiratory depression": "CONCEPT"}
    tell(graph, name, World(ARTICLES, facts, types=types))  # type: ignore[arg-type]
    change(graph, "CREATE (:Corpus {id: $id, corpus: $corpus})", id=corpus_id(name), corpus=name)
    try:
        for concepts in (False, True):
            write_resolution_choice(graph, name, ResolutionChoice(concepts=concepts))
            parts = rule_parts(graph, name, 0)
            made = parts.atom_maker.atoms([chunk_id(name, key) for key in "ab"])
            atoms = [one for one in made if isinstance(one, Atom) and one.answer in types]
            named = [one for one in parts.atom_filters if one.name in {"stands alone", "answer specific"}]
            doubts = {one.answer: {f.check([one])[0].reason for f in named} - {""} for one in atoms}
            assert set(doubts) == set(types)
            assert all(doubts.values()) is not concepts
            assert any(doubts.values()) is not concepts
    finally:
        drop_corpus(graph, name)


def test_two_dates_are_compared_and_asked_on_from_the_one_chosen(made: Composing) -> None:
    pairs = [one for one in kept(made, 2) if one.topology == "comparison"]
    (halden,) = [one for one in pairs if {"Halden", "Brask"} <= {*one.last.question.split()}]
    assert halden.last.answer in {"Halden Shipping", "Brask Foundry"}
    assert halden.answered_by
    longer = [one for one in kept(made, 3) if one.hops[1].question == halden.last.question]
    leaders = {"Halden Shipping": "Mira Tolland", "Brask Foundry": "Otto Pelham"}
    assert {one.last.answer for one in longer} == {leaders[halden.last.answer]}
    assert all("the one of" in one.last.question for one in longer)
    assert all([hop.topology for hop in one.hops] == [None, "comparison", "inference"] for one in longer)


def test_no_two_hops_are_read_in_one_chunk_and_no_answer_stands_in_a_question(made: Composing) -> None:
    for hops in (2, 3, 4):
        for one in kept(made, hops):
            chunks = [hop.atom.chunk for hop in one.hops]
            assert len(set(chunks)) == len(chunks) == hops
            assert not any(hop.atom.answer in one.last.question for hop in one.hops), one.last.question


def test_the_same_graph_and_seed_give_the_same_questions(graph: Graph, told: str, made: Composing) -> None:
    again = composed(graph, told)
    assert again.selected == made.selected
    assert {n: depth.rejected for n, depth in again.depths.items()} == {
        n: depth.rejected for n, depth in made.depths.items()
    }


def test_a_domain_has_its_share_and_what_is_left_out_says_so(graph: Graph, told: str) -> None:
    found = composed(graph, told, hops=(2,), max_domain_share=0.5).selected[2]
    for way in ("inference", "comparison"):
        domains = [one.domain for one in found.kept if one.topology == way]
        assert domains.count("sport") * 2 <= max(2, len(domains))
        assert domains.count("trade") * 2 <= max(2, len(domains))
    assert found.left_out
    assert {one.checks[-1].filter for one in found.left_out} == {"domain share"}


def test_a_name_that_two_entities_have_is_not_asked_through(graph: Graph, told: str, made: Composing) -> None:
    filter_ = ClearNames(FactShelf(graph), told)
    through = [one for one in kept(made, 2) if any(hop.atom.answer == "Ostby" for hop in one.hops)]
    assert through
    assert all(check.passed for check in filter_.check(through))
    change(graph, _NAMESAKE, corpus=told, id=f"{told}-namesake")
    try:
        checks = ClearNames(FactShelf(graph), told).check(through)
    finally:
        change(graph, "CYPHER 25 MATCH (e:Entity {id: $id}) DETACH DELETE e", id=f"{told}-namesake")
    assert {check.reason for check in checks} == {'2 entities are called "Ostby"'}


def test_what_only_one_of_two_has_is_not_asked_of_the_one_chosen(made: Composing) -> None:
    lost = [one for one in made.depths[3].rejected if one.checks[-1].filter == "comparison needed"]
    assert {one.last.answer for one in lost} in ({"Averell Cup"}, {"Kaldmere Bell"})
    assert all("leads on" in one.checks[-1].reason for one in lost)


def test_nobody_is_asked_for_by_the_relation_that_led_there(made: Composing) -> None:
    assert made.depths[2].refused["it asks what else has the relation by which it came"]
    appointed = [one for one in kept(made, 2) if one.last.answer in {"Nils Abernock", "Vera Lindqvist"}]
    assert appointed
    assert not any("appointed" in one.hops[0].atom.question for one in appointed)


_MOVE = """
CYPHER 25
MATCH (k:Chunk {id: $chunk})<-[old:HAS_CHUNK]-(), (a:Article {id: $article})
DELETE old CREATE (a)-[:HAS_CHUNK]->(k)
"""


def test_hops_are_of_different_articles_unless_chunks_of_one_will_do(
    graph: Graph, told: str, made: Composing
) -> None:
    """The chunk on Mira Tolland's birth comes to stand in the article on what she leads, and the one on
    Brask Foundry's founding in that on Halden Shipping's."""

    def article(key: str) -> str:
        return node_id(told, "article", key)

    def pairs(found: Composing) -> set[tuple[str, ...]]:
        return {tuple(hop.atom.chunk for hop in one.hops) for one in kept(found, 2)}

    moved = {chunk_id(told, "d"): "c", chunk_id(told, "b"): "a"}
    lost = {(chunk_id(told, "c"), chunk_id(told, "d")), (chunk_id(told, "a"), chunk_id(told, "b"))}
    lost |= {pair[::-1] for pair in lost}
    assert len(pairs(made) & lost) == 2
    try:
        for chunk, home in moved.items():
            change(graph, _MOVE, chunk=chunk, article=article(home))
        across = composed(graph, told)
        assert not pairs(across) & lost
        for hops in (2, 3, 4):
            for one in kept(across, hops):
                assert len({hop.atom.article for hop in one.hops}) == hops
        assert pairs(composed(graph, told, across="chunks")) & lost == pairs(made) & lost
    finally:
        for chunk, home in zip(moved, "db", strict=True):
            change(graph, _MOVE, chunk=chunk, article=article(home))


def test_the_text_of_the_key_stays_so_that_what_is_composed_stays_done() -> None:
    text = "Wanted(hops=(2, 3, 4), per_hops=50, max_domain_share=0.16, seed=0, across='articles')"
    assert repr(ComposeSize(most_chunks=7)) == text
