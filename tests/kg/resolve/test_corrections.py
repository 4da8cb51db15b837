"""What a person says of names holds against rules, types and whatever comes later."""

from datetime import UTC, datetime

import pytest

from kg.model import EntityName, EntityType
from kg.resolve.bonds import APPLIED, Correction, CorrectionKind, Corrections
from kg.resolve.exact import ExactMerges, merge_exact


def name(text: str, kind: EntityType = "ORG", count: int = 2) -> EntityName:
    return EntityName(text, kind, frozenset({f"article of {text}"}), count, frozenset({text}))


def says(kind: CorrectionKind, one: str, other: str) -> Correction:
    return Correction(f"{kind} {one} {other}", kind, one, other, "", "ana", datetime(2031, 1, 9, tzinfo=UTC))


def resolve(names: list[EntityName], *made: Correction) -> tuple[ExactMerges, dict[str, str]]:
    corrections = Corrections(made, {one.name for one in names})
    merges = merge_exact(names, corrections.bonds, corrections.apart)
    return merges, corrections.effects(merges.canonical)


def groups(merges: ExactMerges) -> set[frozenset[str]]:
    return {
        frozenset(one for one, chosen in merges.canonical.items() if chosen == canonical)
        for canonical in merges.canonical.values()
    }


def test_a_merge_joins_what_no_rule_would() -> None:
    names = [name("Brel Works"), name("the Old Foundry", "FAC"), name("Ostby")]
    merges, effects = resolve(names, says("merge", "Brel Works", "the Old Foundry"))
    assert groups(merges) == {frozenset({"Brel Works", "the Old Foundry"}), frozenset({"Ostby"})}
    assert list(effects.values()) == [APPLIED]
    (alias,) = merges.aliases
    assert alias.evidence == "by hand"


def test_a_split_undoes_what_the_rules_join_and_leaves_the_rest() -> None:
    names = [name("Halden Shipping"), name("Halden Shipping Ltd"), name("Haldenshipping")]
    together, _ = resolve(names)
    assert len(groups(together)) == 1
    merges, effects = resolve(names, says("split", "Haldenshipping", "Halden Shipping"))
    assert frozenset({"Haldenshipping"}) in groups(merges)
    assert frozenset({"Halden Shipping", "Halden Shipping Ltd"}) in groups(merges)
    assert list(effects.values()) == [APPLIED]


def test_a_split_wins_over_a_merge_in_a_roundabout_way_which_says_so() -> None:
    names = [name("Alder"), name("Birch"), name("Cedar")]
    made = [says("merge", "Alder", "Birch"), says("merge", "Birch", "Cedar"), says("split", "Alder", "Cedar")]
    merges, effects = resolve(names, *made)
    assert merges.canonical["Alder"] != merges.canonical["Cedar"]
    assert sorted(effects.values())[0] == APPLIED
    assert sum("were split by hand" in effect for effect in effects.values()) == 1


def test_another_spelling_of_the_name_is_enough_after_another_extraction() -> None:
    names = [name("the Brel Works"), name("Old Foundry", "FAC")]
    merges, effects = resolve(names, says("merge", "Brel Works", "the Old Foundry"))
    assert len(groups(merges)) == 1
    assert list(effects.values()) == [APPLIED]


@pytest.mark.parametrize("kind", ["merge", "split"])
def test_names_that_are_gone_or_several_have_no_effect_and_say_so(kind: CorrectionKind) -> None:
    names = [name("Apple", "ORG"), name("apple", "CONCEPT"), name("Birch")]
    merges, effects = resolve(names, says(kind, "Birch", "Cedar"), says(kind, "APPLE", "Birch"))
    assert groups(merges) == groups(resolve(names)[0])
    assert all(effect.startswith("without effect") for effect in effects.values())
