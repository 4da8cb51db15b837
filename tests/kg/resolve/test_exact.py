"""Names of people: titles, middle names, short forms, surnames."""

import random
from typing import Any

from hypothesis import given, settings
from hypothesis import strategies as st

from kg.model import EntityName, EntityType
from kg.resolve.bonds import Bond
from kg.resolve.exact import merge_exact
from kg.resolve.name_pool import compatible
from kg.resolve.people import NAMESAKES, are_alike, person_words
from tests.examples import examples


def name(
    text: str, kind: EntityType = "ORG", count: int = 1, surfaces: tuple[str, ...] = (), article: str = "a1"
) -> EntityName:
    return EntityName(text, kind, frozenset({article}), count, frozenset(surfaces))


def test_spellings_of_one_key_merge_into_the_most_frequent_tidy_form() -> None:
    merges = merge_exact(
        [
            name("the Vellmouth Rovers", count=9),
            name("VELLMOUTH ROVERS", count=8),
            name("Vellmouth Rovers", count=3),
            name("Vellmouth Rovers'"),
        ]
    )
    assert set(merges.canonical.values()) == {"Vellmouth Rovers"}
    assert merges.type_of == {"Vellmouth Rovers": "ORG"}
    assert {(alias.alias_name, alias.score) for alias in merges.aliases} == {
        ("the Vellmouth Rovers", 1.0),
        ("VELLMOUTH ROVERS", 1.0),
        ("Vellmouth Rovers'", 1.0),
    }
    assert 'same normal form "vellmouth rovers"' in merges.aliases[0].evidence
    assert merges.split == []


def test_a_town_and_a_person_of_one_name_are_kept_apart_and_reported() -> None:
    merges = merge_exact(
        [name("Vell Bay", "GPE", 5), name("The Vell Bay", "PERSON", 4), name("VELL BAY", "MISC", 1)]
    )
    assert all(alias == canonical for alias, canonical in merges.canonical.items())
    (split,) = merges.split
    assert set(split.names) == {"Vell Bay", "The Vell Bay", "VELL BAY"}
    assert "types" in split.reason


def test_a_vague_name_goes_with_the_family_that_dominates() -> None:
    merges = merge_exact(
        [name("Vell Bay", "GPE", 19), name("the Vell Bay", "PERSON", 1), name("VELL BAY", "MISC", 3)]
    )
    assert merges.canonical["VELL BAY"] == "Vell Bay"
    assert merges.canonical["the Vell Bay"] == "the Vell Bay"
    assert len(merges.split) == 1


def test_misc_and_concept_lose_against_a_specific_type() -> None:
    merges = merge_exact([name("Green Party", "ORG", 1), name("the green party", "CONCEPT", 7)])
    assert merges.type_of == {"Green Party": "ORG"}
    merges = merge_exact([name("Bird flu", "MISC", 9), name("bird flu", "CONCEPT", 2)])
    assert list(merges.type_of.values()) == ["CONCEPT"]


def test_rows_of_one_name_are_one_entity_of_the_majority_type() -> None:
    merges = merge_exact([name("Vell", "GPE", 2), name("Vell", "LOC", 3), name("Vell", "MISC", 50)])
    assert merges.type_of == {"Vell": "LOC"}
    assert merges.aliases == []


HVMA = "Harrow Valley Medicines Agency"


def test_a_declared_acronym_merges_with_its_only_long_name() -> None:
    merges = merge_exact(
        [name(HVMA, surfaces=("HVMA", HVMA)), name(f"the {HVMA}", count=5), name("HVMA", "MISC", 40)]
    )
    assert set(merges.canonical.values()) == {HVMA}
    alias = next(alias for alias in merges.aliases if alias.alias_name == "HVMA")
    assert alias.score < 1
    assert "HVMA" in alias.evidence
    assert HVMA in alias.evidence


def test_a_chain_is_as_strong_as_its_weakest_link() -> None:
    merges = merge_exact([name(HVMA, surfaces=("HVMA",)), name("HVMA"), name("HVMA's")])
    chained = next(alias for alias in merges.aliases if alias.alias_name == "HVMA's")
    assert chained.canonical == HVMA
    assert chained.score == min(alias.score for alias in merges.aliases) < 1


def test_an_acronym_that_stands_for_two_names_merges_with_neither() -> None:
    other = "Hill Village Music Association"
    merges = merge_exact([name(HVMA, surfaces=("HVMA",)), name(other, surfaces=("HVMA",)), name("HVMA")])
    assert merges.canonical == {HVMA: HVMA, other: other, "HVMA": "HVMA"}
    (split,) = merges.split
    assert set(split.names) == {HVMA, other, "HVMA"}


@examples("names, canonical")
def test_what_each_name_is_merged_into(names: list[tuple[Any, ...]], canonical: dict[str, str]) -> None:
    merged = merge_exact([name(*one) for one in names]).canonical
    assert {one: merged[one] for one in canonical} == canonical


def test_a_well_known_acronym_may_be_spelt_out_inside_a_name() -> None:
    merges = merge_exact([name("U.S. Senate", count=3), name("United States Senate"), name("US Senate")])
    assert set(merges.canonical.values()) == {"U.S. Senate"}
    (spelt,) = [one for one in merges.aliases if one.alias_name == "United States Senate"]
    assert (spelt.score, "united states senate" in spelt.evidence) == (0.95, True)
    merges = merge_exact([name("Us and Them", "WORK"), name("United States and Them", "WORK")])
    assert len(merges.type_of) == 2


def test_two_letters_with_dots_and_without_need_an_article_with_both() -> None:
    merges = merge_exact([name("D.C.", "GPE"), name("DC", "GPE", article="a2")])
    assert len(merges.type_of) == 2
    assert "two letters" in merges.split[0].reason
    assert len(merge_exact([name("D.C.", "GPE"), name("DC", "GPE")]).type_of) == 1
    assert len(merge_exact([name("U.S.", "GPE"), name("US", "GPE", article="a2")]).type_of) == 1


def test_an_acronym_of_another_type_is_not_chained_in() -> None:
    merges = merge_exact([name(HVMA, surfaces=("HVMA",)), name("HVMA", "PERSON")])
    assert merges.canonical["HVMA"] == "HVMA"
    assert len(merges.split) == 1


def test_an_acronym_is_not_a_word_that_is_spelt_alike() -> None:
    merges = merge_exact([name("WHO"), name("the WHO"), name("The Who"), name("who", "CONCEPT")])
    assert merges.canonical["the WHO"] == "WHO"
    assert merges.canonical["The Who"] != "WHO"
    assert merges.canonical["who"] != "WHO"
    merges = merge_exact([name("Apple", "ORG"), name("apple", "CONCEPT")])
    assert len(merges.type_of) == 2
    merges = merge_exact([name("NATO", count=2), name("Nato")])
    assert len(merges.type_of) == 1


def test_mr_and_mrs_are_two_people() -> None:
    merges = merge_exact([name("Mr Brel", "PERSON"), name("Mrs Brel", "PERSON"), name("Brel", "PERSON")])
    assert len(merges.type_of) == 3
    assert len(merges.split) == 1
    merges = merge_exact([name("Mr Brel", "PERSON"), name("Brel", "PERSON")])
    assert len(merges.type_of) == 1


def test_dates_and_numbers_merge_only_when_written_alike() -> None:
    merges = merge_exact(
        [name("5", "NUMBER"), name("-5", "NUMBER"), name("5", "NUMBER"), name("(5)", "MISC")]
    )
    assert len(merges.type_of) == 3
    merges = merge_exact([name("Monday", "DATE"), name("monday", "DATE"), name("Monday's", "ORG")])
    assert merges.canonical["Monday's"] == "Monday's"
    assert merges.canonical["Monday"] == merges.canonical["monday"]


WORDS = ["The", "Dr", "Mr", "Mrs", "Ana", "Brel", "brel", "BREL", "AB", "Bay", "Co", "-"]
ENTITY_NAMES = st.lists(
    st.builds(
        EntityName,
        name=st.lists(st.sampled_from(WORDS), min_size=1, max_size=3).map(" ".join),
        type=st.sampled_from(["PERSON", "ORG", "GPE", "LOC", "MISC", "CONCEPT", "NUMBER"]),
        articles=st.just(frozenset({"a1"})),
        count=st.integers(1, 30),
        surfaces=st.frozensets(st.sampled_from(["AB", "BB", "Brel"]), max_size=2),
    ),
    max_size=14,
)


@settings(max_examples=150, deadline=None)
@given(ENTITY_NAMES, st.randoms(use_true_random=False))
def test_the_map_is_closed_typed_and_blind_to_order(names: list[EntityName], order: random.Random) -> None:
    merges = merge_exact(names)
    assert merges.canonical.keys() == {entry.name for entry in names}
    for entry in names:
        canonical = merges.canonical[entry.name]
        assert merges.canonical[canonical] == canonical
        assert canonical in merges.type_of
    assert {alias.alias_name: alias.canonical for alias in merges.aliases} == {
        alias: canonical for alias, canonical in merges.canonical.items() if alias != canonical
    }
    shuffled = names.copy()
    order.shuffle(shuffled)
    assert merge_exact(shuffled) == merges


@settings(max_examples=150, deadline=None)
@given(ENTITY_NAMES)
def test_no_group_holds_types_that_cannot_be_one_thing(names: list[EntityName]) -> None:
    one_type_each = list({entry.name: entry for entry in names}.values())
    merges = merge_exact(one_type_each)
    for one in one_type_each:
        for other in one_type_each:
            if merges.canonical[one.name] == merges.canonical[other.name]:
                assert compatible(one.type, other.type)


def test_an_award_or_a_nickname_is_not_what_a_person_is_called() -> None:
    given = [
        name("Oda Wexler", "PERSON", 2),
        name("2031 Harbour Cup MVP", "MISC", 9),
        name("Keeper", "PERSON", 9),
    ]
    bonds = [
        Bond(("Oda Wexler", "2031 Harbour Cup MVP"), 0.9, "model"),
        Bond(("Keeper", "Oda Wexler"), 0.9, "model"),
    ]
    merges = merge_exact(given, bonds)
    assert set(merges.canonical.values()) == {"Oda Wexler"}
    assert merges.type_of == {"Oda Wexler": "PERSON"}


def merged(one: str, other: str, kind: EntityType = "PERSON", *, same_article: bool = False) -> bool:
    names = [
        EntityName(one, kind, frozenset({"a1"}), 2),
        EntityName(other, kind, frozenset({"a1" if same_article else "a2"}), 1),
    ]
    return len(merge_exact(names).type_of) == 1


@examples("one, other, kind")
def test_slips_and_transliterations_are_one(one: str, other: str, kind: EntityType) -> None:
    assert merged(one, other, kind)


@examples("one, other, kind")
def test_near_names_of_two_things_are_two(one: str, other: str, kind: EntityType) -> None:
    assert not merged(one, other, kind)


def test_one_article_that_has_both_means_two() -> None:
    assert not merged("Ahmad Ali Butt", "Ahmed Ali Butt", same_article=True)


def test_many_names_are_not_compared_all_with_all() -> None:
    letters = random.Random(1)
    names = [
        EntityName("".join(letters.choices("abcdefghij", k=12)).title(), "PERSON", frozenset({f"a{i}"}), 1)
        for i in range(4_000)
    ]
    slip = EntityName(f"{names[7].name[:6]}x{names[7].name[6:]}", "PERSON", frozenset({"other"}), 1)
    merges = merge_exact([*names, slip])
    assert merges.canonical[slip.name] == merges.canonical[names[7].name]


def one_of(text: str, *articles: str, kind: EntityType = "PERSON", count: int = 1) -> EntityName:
    return EntityName(text, kind, frozenset(articles or ("a1",)), count)


def groups(*names: EntityName) -> list[set[str]]:
    """The groups of two names or more."""
    merges = merge_exact(names)
    found: dict[str, set[str]] = {}
    for name, canonical in merges.canonical.items():
        found.setdefault(canonical, set()).add(name)
    return [members for members in found.values() if len(members) > 1]


def test_titles_and_suffixes_are_no_words_of_a_name() -> None:
    assert person_words("prime minister ana brel jr") == ("ana", "brel")
    assert person_words("mayor") == ("mayor",)


@examples("one, other, alike")
def test_full_names_are_alike_if_given_name_and_surname_agree(one: str, other: str, alike: bool) -> None:
    assert are_alike(one, other) == alike


@examples("names, joined")
def test_who_is_one_person(names: list[tuple[str, ...]], joined: bool) -> None:
    texts = {text for text, *_ in names}
    assert groups(*(one_of(*one) for one in names)) == ([texts] if joined else [])


def test_the_only_bearer_whom_several_articles_name_in_full_needs_no_first_name() -> None:
    known, short = one_of("Ana Brel", "a1", "a2", "a3"), one_of("Brel", "a4")
    assert groups(known, short, one_of("Mayor Brel", "a5")) == [{"Ana Brel", "Brel", "Mayor Brel"}]
    (alias,) = merge_exact([known, short]).aliases
    assert (alias.score, "in any article" in alias.evidence) == (0.8, True)
    assert groups(one_of("Ana Brel", "a1", "a2"), short) == []
    assert groups(known, short, one_of("Otto Brel", "a9")) == []
    assert groups(known, one_of("Brel", "a4", kind="GPE")) == []


def test_middle_names_and_initials() -> None:
    assert groups(one_of("Ana Brel"), one_of("Ana Maria Brel")) == [{"Ana Brel", "Ana Maria Brel"}]
    works = one_of("Halden Works", "a1", "a2", kind="ORG")
    assert groups(works, one_of("Ana M. Brel", "a1"), one_of("Ana Maria Brel", "a2")) == [
        {"Ana M. Brel", "Ana Maria Brel"}
    ]


def test_a_middle_name_in_an_article_that_shares_nothing_is_a_namesakes() -> None:
    """A singer called Ana Brel, and a minister called Ana M. Brel in an article about her alone."""
    singer, minister = one_of("Ana Brel", "a1"), one_of("Ana M. Brel", "a2")
    place, first = one_of("Halden", "a1", "a2", kind="GPE"), one_of("Otto", "a1", "a2")
    merges = merge_exact([singer, minister, place, first])
    assert merges.canonical["Ana Brel"] != merges.canonical["Ana M. Brel"]
    assert [(split.names, split.reason) for split in merges.split] == [
        (("Ana Brel", "Ana M. Brel"), NAMESAKES)
    ]
    third = one_of("Otto Vell", "a1", "a2")
    assert {"Ana Brel", "Ana M. Brel"} in groups(singer, minister, place, third)


def test_the_whole_name_is_the_canonical_one() -> None:
    merges = merge_exact([one_of("Brel", count=9), one_of("Ana Brel", count=2)])
    assert merges.canonical["Brel"] == "Ana Brel"
