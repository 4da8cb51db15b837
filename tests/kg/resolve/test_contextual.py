import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from kg.model import EntityType
from kg.resolve.cluster_context import ContextLink, EntityCard, Fact
from kg.resolve.contextual import contextual_links
from tests.examples import examples


def cards(**types: EntityType) -> list[EntityCard]:
    """Cards whose ids are their names, with blanks for underscores."""
    return [EntityCard(text.replace("_", " "), text.replace("_", " "), kind) for text, kind in types.items()]


def card(name: str, kind: EntityType) -> EntityCard:
    return EntityCard(name, name, kind)


def in_one_article(entities: list[EntityCard]) -> list[EntityCard]:
    return [EntityCard(one.id, one.name, one.type, frozenset({"a1"})) for one in entities]


def fact(subject: str, predicate: str, other: str, *, negated: bool = False) -> Fact:
    return Fact(f"{subject}|{predicate}|{other}", subject, predicate, other, "claim-1", negated)


def pairs(entities: list[EntityCard], *facts: Fact) -> set[frozenset[str]]:
    return {frozenset({link.a, link.b}) for link in contextual_links("c1", entities, facts)}


def test_a_lone_surname_is_the_only_person_who_has_it() -> None:
    (link,) = contextual_links("c1", cards(Brel="PERSON", Ana_Brel="PERSON", Jan_Ode="PERSON"), [])
    assert (link.a, link.b, link.cluster) == ("Ana Brel", "Brel", "c1")
    assert 0 < link.score <= 1
    assert '"Ana Brel"' in link.evidence
    assert '"Brel"' in link.evidence


@examples("types, linked")
def test_names_alone_link_few(types: dict[str, EntityType], linked: set[frozenset[str]]) -> None:
    assert pairs([card(name, kind) for name, kind in types.items()]) == linked


@examples("short, full, rival")
def test_a_shortened_organisation_is_the_only_one_of_that_name(short: str, full: str, rival: str) -> None:
    organisations = [card(short, "ORG"), card(full, "ORG")]
    assert pairs(organisations) == {frozenset({short, full})}
    assert pairs([*organisations, card(rival, "ORG")]) == set()


def test_a_role_is_its_only_holder() -> None:
    entities = in_one_article(
        cards(Ana_Brel="PERSON", Jan_Ode="PERSON", harbour_commissioner="CONCEPT", port="CONCEPT")
    )
    said = fact("Ana Brel", "is", "harbour commissioner")
    closed = fact("harbour commissioner", "closed", "port")
    assert pairs(entities, said, closed) == {frozenset({"Ana Brel", "harbour commissioner"})}
    assert pairs(entities, said, fact("Jan Ode", "was", "harbour commissioner"), closed) == set()
    assert pairs(entities, fact("Ana Brel", "is", "harbour commissioner", negated=True), closed) == set()
    denied = fact("Jan Ode", "is", "harbour commissioner", negated=True)
    assert pairs(entities, said, denied, closed) == {frozenset({"Ana Brel", "harbour commissioner"})}
    assert pairs(entities, fact("Ana Brel", "met", "harbour commissioner"), closed) == set()
    sworn_in = fact("Jan Ode", "was sworn in as", "harbour commissioner")
    assert pairs(entities, said, sworn_in, closed) == set()
    assert pairs(entities, sworn_in, closed) == set()
    unsure = [EntityCard("Jan Ode", "Jan Ode", "MISC"), *(one for one in entities if one.id != "Jan Ode")]
    assert pairs(unsure, said, sworn_in, closed) == set()


def test_a_bare_noun_is_not_a_role_and_a_concept_holds_none() -> None:
    people = cards(Ana_Brel="PERSON", skipper="CONCEPT", port="CONCEPT")
    assert pairs(people, fact("Ana Brel", "is", "skipper"), fact("skipper", "closed", "port")) == set()
    diseases = cards(bird_flu="CONCEPT", viral_disease="CONCEPT", port="CONCEPT")
    said = [fact("bird flu", "is", "viral disease"), fact("viral disease", "closed", "port")]
    assert pairs(diseases, *said) == set()


def test_a_role_of_which_nothing_more_is_told_bridges_nothing() -> None:
    entities = cards(Ana_Brel="PERSON", harbour_commissioner="CONCEPT")
    assert pairs(entities, fact("Ana Brel", "is", "harbour commissioner")) == set()


@pytest.mark.parametrize(
    ("articles", "linked"), [({"a1"}, True), ({"a1", "a2"}, True), ({"a1", "a3"}, False), (set(), False)]
)
@pytest.mark.parametrize("role", ["former president", "mayor of Vell"])
def test_an_office_needs_its_holder_in_each_article(role: str, articles: set[str], linked: bool) -> None:
    office = EntityCard(role, role, "CONCEPT", frozenset(articles))
    holder = EntityCard("Ana Brel", "Ana Brel", "PERSON", frozenset({"a1", "a2"}))
    said = [fact("Ana Brel", "is", role), fact(role, "closed", "port")]
    assert bool(pairs([office, holder], *said)) is linked


@pytest.mark.parametrize(
    ("short", "whole"),
    [("House", "White House"), ("Supreme Court", "Harrow Supreme Court"), ("Senate", "Harrow Senate")],
)
def test_common_words_mean_something_else_in_another_article(short: str, whole: str) -> None:
    long = EntityCard(whole, whole, "ORG", frozenset({"a1"}))
    for articles, linked in (({"a1"}, True), ({"a1", "a2"}, False)):
        assert bool(pairs([EntityCard(short, short, "ORG", frozenset(articles)), long])) is linked


def test_short_and_full_name_are_one_holder() -> None:
    entities = in_one_article(
        cards(Ana_Brel="PERSON", Brel="PERSON", harbour_commissioner="CONCEPT", port="CONCEPT")
    )
    said = [fact("Ana Brel", "is", "harbour commissioner"), fact("Brel", "was", "harbour commissioner")]
    assert pairs(entities, *said, fact("harbour commissioner", "closed", "port")) == {
        frozenset({"Ana Brel", "Brel"}),
        frozenset({"Ana Brel", "harbour commissioner"}),
    }


def test_a_complement_with_of_must_stand_in_each_article_of_the_short_phrase() -> None:
    def phrase(name: str, *articles: str) -> EntityCard:
        return EntityCard(name, name, "CONCEPT", frozenset(articles))

    effects = phrase("side effects of ketamine", "a1", "a2")
    assert len(pairs([phrase("side effects", "a2"), effects])) == 1
    assert pairs([phrase("side effects", "a2", "a3"), effects]) == set()
    assert pairs([phrase("side effects"), phrase("side effects of ketamine")]) == set()


def test_what_a_fact_relates_is_two_things() -> None:
    entities = cards(Brel="PERSON", Ana_Brel="PERSON")
    assert pairs(entities, fact("Ana Brel", "married", "Brel")) == set()
    assert pairs(entities, fact("Brel", "is", "Ana Brel", negated=True)) == set()
    assert len(pairs(entities, fact("Brel", "also known as", "Ana Brel"))) == 1


NAMES = ["Ana Brel", "Jan Brel", "Brel", "Vellmouth", "Vellmouth Rovers", "VR", "harbour commissioner", "Ode"]
NAMES += ["harbour commissioner of Vellmouth", "Vellmouth, Harrow", "the Rovers"]
CARDS = st.lists(
    st.builds(card, st.sampled_from(NAMES), st.sampled_from(["PERSON", "ORG", "GPE", "MISC", "CONCEPT"])),
    unique_by=lambda entity: entity.id,
    max_size=len(NAMES),
)
FACTS = st.lists(
    st.builds(
        fact,
        st.sampled_from(NAMES),
        st.sampled_from(["is", "was", "met", "also known as"]),
        st.sampled_from(NAMES),
        negated=st.booleans(),
    ),
    max_size=6,
)


@settings(max_examples=120, deadline=None)
@given(CARDS, FACTS, st.randoms(use_true_random=False))
def test_links_are_blind_to_order_and_never_against_a_fact(
    entities: list[EntityCard], facts: list[Fact], order: random.Random
) -> None:
    links = contextual_links("c1", entities, facts)
    full_names = {entity.id for entity in entities if entity.type == "PERSON" and " " in entity.name}
    related = {frozenset({said.subject, said.object}) for said in facts if said.predicate == "met"}
    for link in links:
        assert link.a < link.b
        assert frozenset({link.a, link.b}) not in related
        assert not {link.a, link.b} <= full_names - {"the Rovers"}
    mixed_entities, mixed_facts = entities.copy(), facts.copy()
    order.shuffle(mixed_entities)
    order.shuffle(mixed_facts)
    shuffled: list[ContextLink] = contextual_links("c1", mixed_entities, mixed_facts)
    assert shuffled == links
