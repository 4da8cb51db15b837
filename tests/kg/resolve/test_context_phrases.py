"""Contextual links that need an article, a table of peoples, or common neighbours."""

from kg.model import EntityType
from kg.resolve.cluster_context import EntityCard, Fact
from kg.resolve.contextual import contextual_links


def card(name: str, kind: EntityType, *articles: str) -> EntityCard:
    return EntityCard(name, name, kind, frozenset(articles or ("a1",)))


def fact(subject: str, predicate: str, other: str) -> Fact:
    return Fact(f"{subject}|{predicate}|{other}", subject, predicate, other, "claim-1")


def pairs(*entities: EntityCard, facts: tuple[Fact, ...] = ()) -> set[frozenset[str]]:
    return {frozenset({link.a, link.b}) for link in contextual_links("c1", entities, facts)}


def test_the_company_is_the_only_one_of_its_article() -> None:
    company = card("company", "CONCEPT")
    assert pairs(company, card("Halden Robotics", "ORG"), card("Ana Brel", "PERSON")) == {
        frozenset({"company", "Halden Robotics"})
    }
    assert pairs(company, card("Halden Robotics", "ORG"), card("Vell Foods", "ORG")) == set()
    assert pairs(company, card("Halden Robotics", "ORG", "a2")) == set()


def test_a_phrase_of_several_articles_stands_for_no_one() -> None:
    company = card("company", "CONCEPT", "a1", "a2")
    assert pairs(company, card("Halden Robotics", "ORG", "a1", "a2")) == set()


def test_a_people_and_its_country_in_one_article() -> None:
    people = card("Norwegians", "NORP")
    assert pairs(people, card("Norway", "GPE")) == {frozenset({"Norwegians", "Norway"})}
    assert pairs(people, card("Norway", "GPE", "a2")) == set()
    assert pairs(people, card("Sweden", "GPE")) == set()


def test_phrases_of_which_two_facts_say_the_same() -> None:
    entities = (card("ketamine level", "CONCEPT"), card("raised ketamine level", "CONCEPT"))
    ends = (card("Ana Brel", "PERSON"), card("coma", "CONCEPT"))
    told = tuple(
        fact(one.name, predicate, end.name)
        for one in entities
        for predicate, end in zip(("was found in", "led to"), ends, strict=True)
    )
    expected = {frozenset({"ketamine level", "raised ketamine level"})}
    assert pairs(*entities, *ends, facts=told) == expected
    assert pairs(*entities, *ends, facts=told[:3]) == set()


def test_two_names_with_common_neighbours_are_two_things_of_a_kind() -> None:
    entities = (card("Vell Works", "ORG"), card("Harrow Works", "ORG"))
    ends = (card("Ana Brel", "PERSON"), card("coma", "CONCEPT"))
    told = tuple(fact(one.name, "hired", end.name) for one in entities for end in ends)
    assert pairs(*entities, *ends, facts=told) == set()


def test_a_title_before_a_surname_is_no_hindrance() -> None:
    assert pairs(card("Mayor Brel", "PERSON"), card("Ana Brel", "PERSON", "a2")) == {
        frozenset({"Mayor Brel", "Ana Brel"})
    }


def test_a_name_that_ends_one_and_begins_another_is_neither() -> None:
    assert pairs(card("Brel", "ORG"), card("Otto Brel", "ORG"), card("Brel Foods", "ORG")) == set()


def test_one_word_of_an_institution_needs_an_article_with_the_whole() -> None:
    assert pairs(card("the Observatory", "FAC"), card("Vell Observatory", "FAC")) == {
        frozenset({"the Observatory", "Vell Observatory"})
    }
    assert pairs(card("the Observatory", "FAC"), card("Vell Observatory", "FAC", "a2")) == set()
    assert pairs(card("Samoa", "GPE"), card("American Samoa", "GPE")) == set()


def test_a_university_by_its_two_names() -> None:
    names = (card("Vell University", "ORG"), card("University of Vell", "ORG"))
    assert pairs(*names) == {frozenset({"Vell University", "University of Vell"})}


def test_a_ship_is_no_role_of_a_person() -> None:
    told = (fact("Kaimana", "is", "research ship"), fact("research ship", "left", "Vell"))
    assert (
        pairs(card("Kaimana", "PERSON"), card("research ship", "CONCEPT"), card("Vell", "GPE"), facts=told)
        == set()
    )
