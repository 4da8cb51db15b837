"""What questions of other kinds than chains are not about: half names, and citizens that are nobody."""

from dataclasses import replace

from kg.model import EntityType
from kg.store.graph import Graph
from services.questions.checkable import CheckableFacts
from services.questions.draft import Draft, Fact
from services.questions.kinds.bridge_entity import bridge_entities
from services.questions.kinds.comparison import comparison_candidates
from tests.examples import examples
from tests.services.questions.kinds.told_world import Told, World, tell

ARTICLES = {"0": ("Ostby Post", "2031-01-04"), "1": ("Verrin Review", "2031-02-04")}


def refused(graph: Graph, corpus: str, draft: Draft) -> str:
    """Why the check for facts refuses a draft, empty where it passes."""
    (verdict,) = CheckableFacts(graph, corpus).check([draft])
    return verdict.reason


@examples("kind, sentence, asked")
def test_only_a_person_is_asked_for_by_a_citizenship(
    graph: Graph, corpus: str, kind: EntityType, sentence: str, asked: bool
) -> None:
    facts = (
        Told("0", "Maud Tarn", "is citizen of", "Liberia"),
        Told("1", "Greta Lindqvist", "mentored", "Maud Tarn"),
    )
    types: dict[str, EntityType] = {"Liberia": "GPE", "Greta Lindqvist": "PERSON", "Maud Tarn": kind}
    tell(graph, corpus, World(ARTICLES, facts, types=types))
    (draft,) = bridge_entities(graph, corpus, 40, seed=0)
    said = tuple(
        replace(fact, sentence=sentence) if "citizen" in fact.predicate else fact for fact in draft.facts
    )
    assert (refused(graph, corpus, replace(draft, facts=said)) == "") is asked


@examples("name, kind, asked")
def test_half_a_name_is_neither_compared_nor_described_by_nor_asked_for(
    graph: Graph, corpus: str, name: str, kind: EntityType, asked: bool
) -> None:
    compared = (
        Told("0", name, "collaborated with", "Ostby School"),
        Told("1", "Karl Moor", "collaborated with", "Ostby School"),
    )
    described = (
        Told("0", name, "taught", "Verrin School"),
        Told("1", "Greta Lindqvist", "bought", "Verrin School"),
        Told("1", "Greta Lindqvist", "mentored", name),
    )
    types: dict[str, EntityType] = {"Greta Lindqvist": "PERSON", "Karl Moor": kind, name: kind}
    tell(graph, corpus, World(ARTICLES, (*compared, *described), types=types))
    drafts = [one.draft for one in comparison_candidates(graph, corpus, 40, seed=0)]
    drafts += [one for one in bridge_entities(graph, corpus, 40, seed=0) if one.answer != "Ostby School"]
    assert {draft.answer for draft in drafts} == {"Yes", name, "Verrin School"}
    # As "University" stands in "the University of Verrin": only a part of what the article says.
    longer = {"University": "University of Verrin"}.get(name, name)
    said = [
        replace(draft, facts=tuple(_saying(fact, name, longer) for fact in draft.facts)) for draft in drafts
    ]
    for draft in said:
        assert (refused(graph, corpus, draft) == "") is asked


def _saying(fact: Fact, name: str, longer: str) -> Fact:
    return replace(fact, sentence=fact.sentence.replace(name, longer))
