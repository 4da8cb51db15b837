from kg.model import EntityName, EntityType
from kg.resolve.bonds import Bond
from kg.resolve.exact import merge_exact


def name(text: str, kind: EntityType = "ORG", *articles: str) -> EntityName:
    return EntityName(text, kind, frozenset(articles or ("a1",)), 1)


def whole(short: EntityName, *others: EntityName) -> str:
    """What a short name was merged into."""
    return merge_exact([short, *others]).canonical[short.name]


def test_a_firm_goes_by_the_beginning_of_its_name() -> None:
    assert whole(name("Nordvik"), name("Nordvik Aerospace")) == "Nordvik Aerospace"
    assert whole(name("Nordvik", "ORG", "a1", "a2"), name("Nordvik Aerospace")) == "Nordvik Aerospace"
    assert whole(name("Nordvik", "ORG", "a2"), name("Nordvik Aerospace")) == "Nordvik"


def test_two_firms_that_begin_alike_are_neither() -> None:
    short = name("Nordvik", "ORG", "a1", "a2")
    assert whole(short, name("Nordvik Aerospace"), name("Nordvik Foods", "ORG", "a2")) == "Nordvik"


def test_a_part_or_a_product_is_not_the_firm() -> None:
    assert whole(name("Nordvik"), name("Nordvik Music")) == "Nordvik"
    assert whole(name("Nordvik"), name("Nordvik Heavy", "PRODUCT")) == "Nordvik"


def test_a_firm_that_is_called_like_a_town_or_a_person_is_not_shortened() -> None:
    assert whole(name("Brel"), name("Brel Foods"), name("Ana Brel", "PERSON")) == "Brel"
    assert whole(name("Denmark"), name("Denmark Foods")) == "Denmark"


def test_a_common_word_needs_its_whole_name_in_every_article() -> None:
    assert whole(name("the Foundation"), name("Brel Foundation")) == "Brel Foundation"
    assert whole(name("the Foundation", "ORG", "a1", "a2"), name("Brel Foundation")) == "the Foundation"
    assert whole(name("the Foundation"), name("Brel Foundation"), name("Ode Foundation")) == "the Foundation"


def test_what_the_corpus_writes_small_is_a_common_word() -> None:
    mariners = name("the Mariners", "ORG", "a1", "a2")
    assert whole(mariners, name("Averell Mariners")) == "Averell Mariners"
    assert whole(mariners, name("Averell Mariners"), name("old mariners", "CONCEPT")) == "the Mariners"


def test_a_compass_point_makes_another_thing() -> None:
    assert whole(name("Harrow Mills"), name("North Harrow Mills")) == "Harrow Mills"


def test_a_place_is_the_isle_of_that_name_but_no_longer_name_else() -> None:
    assert whole(name("Tavik", "LOC"), name("Isle of Tavik", "LOC")) == "Isle of Tavik"
    assert whole(name("Samoa", "GPE"), name("American Samoa", "GPE")) == "Samoa"


def test_a_thing_that_is_called_after_a_firm_does_not_make_its_name_ambiguous() -> None:
    short, firm = name("Nordvik", "ORG", "a1", "a2"), name("Nordvik Aerospace")
    assert whole(short, firm, name("Nordvik Cup", "EVENT", "a2")) == "Nordvik Aerospace"


def test_a_part_of_one_of_a_thing_s_names_is_not_short_for_another() -> None:
    long = EntityName("University of Hawaii at Tavik", "ORG", frozenset({"a1"}), 9, frozenset({"UH Tavik"}))
    merges = merge_exact(
        [name("Tavik"), name("UH Tavik"), long], [Bond(("UH Tavik", long.name), 0.85, "article has it")]
    )
    assert merges.canonical["UH Tavik"] == long.name
    assert merges.canonical["Tavik"] == "Tavik"


def test_a_name_that_nearly_always_stands_alone_is_short_for_nothing() -> None:
    often = name("Nordvik", "ORG", *(f"a{number}" for number in range(8)))
    assert whole(often, name("Nordvik Aerospace")) == "Nordvik"
    assert whole(often, name("Nordvik Aerospace", "ORG", "a1", "a2")) == "Nordvik Aerospace"
    assert whole(often, name("Nordvik AG", "ORG", "a1")) == "Nordvik AG"
