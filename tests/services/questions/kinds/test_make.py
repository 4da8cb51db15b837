"""All kinds from one small graph: whole drafts, the same ones each time, the kinds that were asked for."""

import pytest

from kg.model import EntityType
from kg.progress import Silent
from kg.store.graph import Graph
from services.answers import INSUFFICIENT
from services.questions.choice import QuestionChoice
from services.questions.draft import Draft
from services.questions.kinds.make import draft_kinds
from tests.services.questions.kinds.told_world import Told, World, draw_path, tell

ARTICLES = {
    "0": ("Ostby Post", "2031-01-04"),
    "1": ("Norholm Courier", "2031-02-04"),
    "2": ("Verrin Review", "2031-03-04"),
    "3": ("Corrin Herald", "2031-04-04"),
}
PATH = (
    Told("0", "Mira Brel", "advised", "Otto Pelham"),
    Told("1", "Otto Pelham", "founded", "Halden Shipping"),
)
FACTS = (
    *PATH,
    Told("2", "Ana Tolland", "founded", "Brask Foundry"),
    Told("3", "Ana Tolland", "is married to", "Karl Moor"),
    Told("1", "Greta Lindqvist", "founded", "Corvane Bank"),
    Told("2", "Greta Lindqvist", "is married to", "Ida Venning"),
    Told("0", "Halden Shipping", "was founded in", "1904"),
    Told("3", "Brask Foundry", "was founded in", "1911"),
    Told("2", "Corvane Bank", "was founded in", "1911"),
    Told("3", "Halden Shipping", "acquired", "Brask Foundry"),
    Told("0", "Halden Shipping", "is headquartered in", "Ostby"),
    Told("1", "Corvane Bank", "is headquartered in", "Ostby"),
    Told("2", "Brask Foundry", "is headquartered in", "Kaldmere"),
)
TYPES: dict[str, EntityType] = {
    "1904": "DATE",
    "1911": "DATE",
    "Ostby": "GPE",
    "Kaldmere": "GPE",
    "Mira Brel": "PERSON",
    "Otto Pelham": "PERSON",
    "Ana Tolland": "PERSON",
    "Karl Moor": "PERSON",
    "Greta Lindqvist": "PERSON",
    "Ida Venning": "PERSON",
}


@pytest.fixture
def drafts(graph: Graph, corpus: str) -> list[Draft]:
    tell(graph, corpus, World(ARTICLES, FACTS, types=TYPES))
    draw_path(graph, corpus, PATH)
    return list(draft_kinds(graph, corpus, QuestionChoice().other_kinds, 20, 0, Silent()))


def test_every_kind_comes_whole_and_in_its_turn(graph: Graph, corpus: str, drafts: list[Draft]) -> None:
    kinds = [draft.kind for draft in drafts]
    assert [*dict.fromkeys(kinds)] == list(QuestionChoice().other_kinds)
    for draft in drafts:
        assert draft.text.endswith("?")
        assert draft.answer in draft.accepted
        assert (draft.answer == INSUFFICIENT) == (draft.kind == "null") == bool(draft.absent)
        assert all(fact.chunks for fact in draft.facts)
        assert [fact.index for fact in draft.facts] == list(range(1, len(draft.facts) + 1))
        assert len(draft.facts) >= 2 or draft.kind == "null"
        assert all(source in draft.text for source in draft.sources)
        assert not any(name in draft.text for name in draft.hidden)
    again = list(draft_kinds(graph, corpus, QuestionChoice().other_kinds, 20, 0, Silent()))
    assert again == drafts
    only = list(draft_kinds(graph, corpus, ["null"], 20, 0, Silent()))
    assert only == [draft for draft in drafts if draft.kind == "null"]


def test_an_empty_corpus_has_no_questions(graph: Graph, corpus: str) -> None:
    assert list(draft_kinds(graph, corpus, QuestionChoice().other_kinds, 20, 0, Silent())) == []
