from typing import Any

from kg.model import EntityName, EntityType
from kg.resolve.bonds import Bond
from kg.resolve.exact import merge_exact
from tests.examples import examples


def name(text: str, kind: EntityType = "ORG", *articles: str) -> EntityName:
    return EntityName(text, kind, frozenset(articles or ("a1",)), 1)


def whole(short: EntityName, *others: EntityName) -> str:
    """What a short name was merged into."""
    return merge_exact([short, *others]).canonical[short.name]


@examples("names, merged")
def test_a_name_is_short_for_the_only_one_that_it_begins(names: list[tuple[Any, ...]], merged: str) -> None:
    assert whole(*(name(*one) for one in names)) == merged


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
