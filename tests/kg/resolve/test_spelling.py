import random

import pytest

from kg.model import EntityName, EntityType
from kg.resolve.exact import merge_exact


def merged(one: str, other: str, kind: EntityType = "PERSON", *, same_article: bool = False) -> bool:
    names = [
        EntityName(one, kind, frozenset({"a1"}), 2),
        EntityName(other, kind, frozenset({"a1" if same_article else "a2"}), 1),
    ]
    return len(merge_exact(names).type_of) == 1


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Volodymyr Zelensky", "Volodymyr Zelenskiy", "PERSON"),
        ("Ahmad Ali Butt", "Ahmed Ali Butt", "PERSON"),
        ("Zelensky", "Zelenskyy", "PERSON"),
        ("Harrow Medecines Agency", "Harrow Medicines Agency", "ORG"),
        ("Kyzylorda Province", "Kyzilorda Province", "GPE"),
        ("Ministry of Health", "Health Ministry", "ORG"),
    ],
)
def test_slips_and_transliterations_are_one(one: str, other: str, kind: EntityType) -> None:
    assert merged(one, other, kind)


@pytest.mark.parametrize(
    ("one", "other", "kind"),
    [
        ("Vell Trophy 2019", "Vell Trophy 2018", "EVENT"),
        ("Daniel Kowalski", "Daniela Kowalski", "PERSON"),
        ("Maria Kowalski", "Mario Kowalski", "PERSON"),
        ("Northern Harrow", "Southern Harrow", "LOC"),
        ("Harrow Ranger", "Harrow Rangers", "ORG"),
        ("Jon Abel", "Jan Abel", "PERSON"),
        ("first quarter", "first quartet", "CONCEPT"),
        ("University of Washington", "Washington University", "ORG"),
        ("Terminal A1 Harrow", "Terminal A2 Harrow", "FAC"),
    ],
)
def test_near_names_of_two_things_are_two(one: str, other: str, kind: EntityType) -> None:
    assert not merged(one, other, kind)


def test_one_article_that_has_both_means_two() -> None:
    assert not merged("Ahmad Ali Butt", "Ahmed Ali Butt", same_article=True)


def test_a_people_has_one_name_and_is_not_its_country() -> None:
    names = [
        EntityName("Norwegian", "NORP", frozenset({"a1"}), 3),
        EntityName("Norwegians", "NORP", frozenset({"a2"}), 1),
        EntityName("Norway", "GPE", frozenset({"a1"}), 5),
    ]
    merges = merge_exact(names)
    assert merges.canonical == {"Norwegian": "Norwegian", "Norwegians": "Norwegian", "Norway": "Norway"}


def test_many_names_are_not_compared_all_with_all() -> None:
    letters = random.Random(1)
    names = [
        EntityName("".join(letters.choices("abcdefghij", k=12)).title(), "PERSON", frozenset({f"a{i}"}), 1)
        for i in range(4_000)
    ]
    slip = EntityName(f"{names[7].name[:6]}x{names[7].name[6:]}", "PERSON", frozenset({"other"}), 1)
    merges = merge_exact([*names, slip])
    assert merges.canonical[slip.name] == merges.canonical[names[7].name]
