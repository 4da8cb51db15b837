"""Types by the vote of a corpus: predicates win over a wrong label, and too few of them win over nothing."""

import pytest

from kg.model import EntityType
from kg.resolve.bonds import Bond
from kg.resolve.name_pool import NameVotes, PredicateSide, Side, defined_kind, vote_types
from kg.stages.resolution_names import CorpusTriple, NameTable, vote_name_types
from tests.examples import examples


def votes(name: str, mentions: dict[EntityType, int], *said: str) -> NameVotes:
    """What is said of a name: "- is from" has it as its subject, "operates -" as its object."""
    found = frozenset(_said(one) for one in said)
    return NameVotes((name,), mentions, found)


def _said(text: str) -> PredicateSide:
    side: Side = "subject" if text.startswith("- ") else "object"
    return PredicateSide(text.removeprefix("- ").removesuffix(" -"), side)


@examples("name, mentions, said, wanted")
def test_a_type_needs_a_lead_of_one_over_the_mentions(
    name: str, mentions: dict[EntityType, int], said: tuple[str, ...], wanted: EntityType
) -> None:
    assert vote_types([votes(name, mentions, *said)]) == {name: wanted}


def test_ten_clear_names_teach_what_a_predicate_takes() -> None:
    # 2 votes for the place of two mentions in three; for the person 1 and two predicates
    doubtful = votes("Moor", {"GPE": 2, "PERSON": 1}, "- skippers", "captains -")
    clear = [votes(f"{n}", {"PERSON": 3}, "- skippers", "captains -") for n in range(10)]
    assert vote_types([doubtful, *clear[:9]])["Moor"] == "GPE"
    assert vote_types([doubtful, *clear])["Moor"] == "PERSON"


@pytest.mark.parametrize(
    ("phrase", "kind"),
    [("new heart drug of the firm", "PRODUCT"), ("virus", "MISC"), ("hope for many", None)],
)
def test_a_noun_says_what_a_thing_is(phrase: str, kind: EntityType | None) -> None:
    assert defined_kind(phrase) == kind


@pytest.mark.parametrize(("extractor", "wanted"), [("rules-9/any", "PRODUCT"), ("model-3/any", "GPE")])
def test_declared_aliases_vote_short_forms_follow_and_a_models_types_stay(
    extractor: str, wanted: EntityType
) -> None:
    names = NameTable()
    for name in ("Velantide", "Pelodrine"):
        names.add(name, "GPE", "a", 2, name)
    names.add("Velantide", "GPE", "a", 1, "Vel")
    names.add("Vel", "GPE", "b", 1, "Vel")
    said = {"Velantide": ("approved", "recalled"), "Pelodrine": ("has recalled", "injected")}
    triples = [
        CorpusTriple("", "", "", "", "", "Board", predicate, name, "ORG", "GPE", False, "", extractor)
        for name, predicates in said.items()
        for predicate in predicates
    ]
    vote_name_types(names, triples, [Bond(("Pelodrine", "Velantide"), 1.0, "stated")])
    assert {row.name: row.type for row in names.entity_names()} == dict.fromkeys((*said, "Vel"), wanted)
