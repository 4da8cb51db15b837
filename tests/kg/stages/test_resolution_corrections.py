"""Corrections by hand: the next build applies them; they outlive re-runs, re-extraction and new articles."""

from datetime import UTC, datetime, timedelta

import pytest

from kg.corpus import drop_corpus, fingerprint
from kg.errors import NothingToDoError
from kg.ledger import Outcome
from kg.progress import Silent
from kg.stages.build import build_graph
from kg.stages.resolution_corrections import (
    PENDING,
    Signature,
    describe_entity,
    find_entity,
    list_corrections,
    merge_entities,
    read_corrections,
    split_entity,
    undo_correction,
)
from kg.store.graph import Graph
from tests.examples import examples
from tests.graph_reading import change, read, value
from tests.small_world import ARTICLES, OPTIONS, ingest, tools

NOON = datetime(2031, 1, 9, 12, tzinfo=UTC)
ANA = Signature("ana", NOON, "read both articles")
FACTS = """
MATCH (s:Entity {corpus: $corpus})-[r:RELATES]->(o)
RETURN s.name + ' ' + r.predicate + ' ' + o.name AS fact
"""


def later(minutes: int) -> Signature:
    return Signature("otto", NOON + timedelta(minutes=minutes))


def build(graph: Graph, corpus: str) -> Outcome:
    return build_graph(graph, corpus, OPTIONS.build, tools(), Silent())


def entity_of(graph: Graph, corpus: str, name: str) -> str:
    return str(find_entity(graph, corpus, name)["name"])


def facts(graph: Graph, corpus: str) -> set[str]:
    return {row["fact"] for row in read(graph, FACTS, corpus=corpus)}


@pytest.fixture
def own(graph: Graph, corpus: str) -> str:
    """A built corpus that a test may change."""
    ingest(graph, corpus)
    build(graph, corpus)
    return corpus


def test_a_merge_takes_effect_with_the_next_build_and_keeps_both_names(graph: Graph, own: str) -> None:
    before = facts(graph, own)
    assert not build(graph, own).ran
    merge_entities(graph, own, "Mira Tolland", "Verrin University", ANA)
    assert [row["effect"] for row in list_corrections(graph, own)] == [PENDING]
    assert build(graph, own).ran
    assert entity_of(graph, own, "Verrin University") == entity_of(graph, own, "Mira Tolland")
    (kept,) = list_corrections(graph, own)
    assert (kept["effect"], kept["by"], kept["reason"]) == ("applied", "ana", "read both articles")
    assert kept["created_at"] == NOON
    found = describe_entity(graph, own, find_entity(graph, own, "Mira Tolland"))
    assert [alias["evidence"] for alias in found["aliases"]] == ["by hand"]
    assert {row["name"] for row in found["names"]} == {"Mira Tolland", "Verrin University"}
    assert facts(graph, own) != before
    assert not build(graph, own).ran


@pytest.mark.campaign
def test_a_split_gives_an_alias_its_own_entity_again(graph: Graph, own: str) -> None:
    assert entity_of(graph, own, "NHB") == "Norholm Health Board"
    split_entity(graph, own, "NHB", None, ANA)
    build(graph, own)
    assert entity_of(graph, own, "NHB") == "NHB"
    founder = [fact for fact in facts(graph, own) if fact.endswith("Otto Pelham")]
    assert len(founder) == 1
    assert founder[0].startswith("NHB ")


def test_a_split_holds_for_links_in_context_too(graph: Graph, own: str) -> None:
    links = "MATCH (:Entity {corpus: $corpus, name: 'Venning'})-[l:CONTEXT_EQUIVALENT]-() RETURN count(l)"
    assert value(graph, links, corpus=own) == 1
    split_entity(graph, own, "Venning", "Orla Venning", ANA)
    build(graph, own)
    assert value(graph, links, corpus=own) == 0
    assert value(graph, "MATCH ()-[m:MIRRORED {corpus: $corpus}]->() RETURN count(m)", corpus=own) == 0


@pytest.mark.campaign
def test_undoing_corrections_gives_the_graph_back(graph: Graph, own: str) -> None:
    seen = []
    for _ in range(2):  # a graph that was built more than once has counts of no answers on its nodes
        merge_entities(graph, own, "Mira Tolland", "Verrin University", ANA)
        split_entity(graph, own, "NHB", None, later(1))
        build(graph, own)
        corrected = fingerprint(graph, own)
        assert undo_correction(graph, own, None).kind == "split"
        (left,) = read_corrections(graph, own)
        assert undo_correction(graph, own, left.id).kind == "merge"
        build(graph, own)
        seen.append(fingerprint(graph, own))
        assert seen[-1] != corrected
    assert seen[0] == seen[1]
    with pytest.raises(NothingToDoError, match="no correction"):
        undo_correction(graph, own, None)


@pytest.mark.campaign
def test_the_last_word_on_two_names_counts(graph: Graph, own: str) -> None:
    split_entity(graph, own, "NHB", None, ANA)
    build(graph, own)
    merge_entities(graph, own, "NHB", "Norholm Health Board", later(1))
    (kept,) = read_corrections(graph, own)
    assert (kept.kind, kept.by) == ("merge", "otto")
    build(graph, own)
    assert entity_of(graph, own, "NHB") == "Norholm Health Board"


@pytest.mark.campaign
def test_corrections_survive_new_articles_and_another_extraction(
    graph: Graph, corpus: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    ingest(graph, corpus, ["rovers", "owner", "board", "history"])
    build(graph, corpus)
    split_entity(graph, corpus, "NHB", None, ANA)
    merge_entities(graph, corpus, "Mira Tolland", "Halden Shipping", later(1))
    build(graph, corpus)
    monkeypatch.setitem(
        ARTICLES, "more", "The NHB was praised by Mira Tolland. The Norholm Health Board slept."
    )
    ingest(graph, corpus, [*ARTICLES])
    build(graph, corpus)
    reread = "MATCH (a:Article {corpus: $corpus}) SET a.extracted = null"
    change(graph, reread, corpus=corpus)
    change(graph, "MATCH ()-[r:RELATES {corpus: $corpus}]->() DELETE r", corpus=corpus)
    change(graph, "MATCH (c:Claim {corpus: $corpus}) DETACH DELETE c", corpus=corpus)
    change(graph, "MATCH (s:Stage {corpus: $corpus, name: 'claims'}) SET s.state = 'outdated'", corpus=corpus)
    change(graph, "MATCH (s:Stage {corpus: $corpus, name: 'resolution'}) DELETE s", corpus=corpus)
    build(graph, corpus)
    assert entity_of(graph, corpus, "NHB") == "NHB"
    assert entity_of(graph, corpus, "Mira Tolland") == entity_of(graph, corpus, "Halden Shipping")
    assert {row["effect"] for row in list_corrections(graph, corpus)} == {"applied"}


@pytest.mark.campaign
def test_a_correction_of_names_that_left_the_corpus_says_so(graph: Graph, own: str) -> None:
    split_entity(graph, own, "NHB", None, ANA)
    gone = "MATCH (c:Correction {corpus: $corpus}) SET c.name = 'Nobody Atall'"
    change(graph, gone, corpus=own)
    build(graph, own)
    (kept,) = list_corrections(graph, own)
    assert "no longer has both names" in kept["effect"]


@examples("alias, owner, words")
def test_what_can_not_be_split_is_told(
    graph: Graph, built: str, alias: str, owner: str | None, words: str
) -> None:
    with pytest.raises(NothingToDoError, match=words):
        split_entity(graph, built, alias, owner, ANA)
    assert read_corrections(graph, built) == []


@examples("one, other, words")
def test_what_can_not_be_merged_is_told(graph: Graph, built: str, one: str, other: str, words: str) -> None:
    with pytest.raises(NothingToDoError, match=words):
        merge_entities(graph, built, one, other, ANA)
    assert read_corrections(graph, built) == []


def test_a_name_within_articles_only_is_no_merge(graph: Graph, built: str) -> None:
    assert entity_of(graph, built, "Tolland") == "Mira Tolland"
    with pytest.raises(NothingToDoError, match="what articles call 'Mira Tolland'"):
        split_entity(graph, built, "Tolland", "Mira Tolland", ANA)


def test_an_entity_is_found_by_any_spelling_and_near_names_are_suggested(graph: Graph, built: str) -> None:
    for text in ("Ostby Rovers", "the Ostby Rovers", "OSTBY ROVERS"):
        assert entity_of(graph, built, text) == "Ostby Rovers"
    found = find_entity(graph, built, "Ostby Rovers")
    assert find_entity(graph, built, found["id"]) == find_entity(graph, built, found["id"][:-4]) == found
    with pytest.raises(NothingToDoError, match=r"'entity-' may mean \d+ entities: (.*, ){4}.* \.\.\.\. Give"):
        find_entity(graph, built, "entity-")
    with pytest.raises(NothingToDoError, match="near: 'Ostby Rovers'") as caught:
        find_entity(graph, built, 'Ostby (Wanderers) "x"')
    assert "kg corpus build" in caught.value.remedy


def test_a_text_that_means_several_lists_them(graph: Graph, corpus: str) -> None:
    change(
        graph,
        """
        UNWIND ['one', 'two'] AS id
        CREATE (e:Entity {id: $corpus + id, corpus: $corpus, name: 'Brel ' + id, aliases: ['Brel']})
        SET e.type = 'PERSON'
        """,
        corpus=corpus,
    )
    with pytest.raises(NothingToDoError, match="may mean 2 entities") as caught:
        find_entity(graph, corpus, "Brel")
    assert f"'Brel one' (PERSON, {corpus}one)" in str(caught.value)


def test_corrections_go_with_their_corpus(graph: Graph, corpus: str) -> None:
    change(graph, "CREATE (:Correction {id: $corpus + 'c', corpus: $corpus})", corpus=corpus)
    drop_corpus(graph, corpus)
    assert value(graph, "MATCH (c:Correction {corpus: $corpus}) RETURN count(c)", corpus=corpus) == 0
