"""Invented names sound like the corpus and stand nowhere in it."""

from kg.model import EntityType
from kg.store.graph import Graph
from services.questions.kinds.invented_names import invented_names
from tests.services.questions.kinds.told_world import Told, World, tell

PEOPLE = ("Mira Brel", "Otto Pelham", "Ana Tolland")


def test_a_name_is_mixed_from_two_and_is_nobodys(graph: Graph, corpus: str) -> None:
    facts = tuple(Told("0", one, "advised", other) for one in PEOPLE for other in PEOPLE if one < other)
    said = (("0", "Mira Pelham sang, and so did Ana Brel.", True, ()),)
    tell(graph, corpus, World({"0": ("Post", "")}, facts, types=dict.fromkeys(PEOPLE, "PERSON"), said=said))
    wanted = {str(number): "PERSON" for number in range(20)}
    made = invented_names(graph, corpus, wanted, seed=0)
    free = {"Mira Tolland", "Otto Brel", "Otto Tolland", "Ana Pelham"}
    assert {*made.values()} <= free
    assert len({*made.values()}) == len(made) > 0


def test_places_and_firms_make_no_persons(graph: Graph, corpus: str) -> None:
    facts = (
        Told("0", "Sable Harbour", "advised", "Halden Shipping"),
        Told("0", "Mira Brel", "advised", "Sable Bank"),
    )
    types: dict[str, EntityType] = {"Sable Harbour": "PERSON", "Mira Brel": "PERSON"}
    tell(graph, corpus, World({"0": ("Post", "")}, facts, types=types))
    assert invented_names(graph, corpus, {"a": "PERSON"}, seed=0) == {}
