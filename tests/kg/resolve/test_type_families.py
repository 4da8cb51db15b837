import pytest

from kg.model import EntityType
from kg.resolve.name_pool import compatible, voted_type


@pytest.mark.parametrize(
    ("one", "other", "fits"),
    [
        ("PERSON", "PERSON", True),
        ("PERSON", "ORG", False),
        ("PERSON", "GPE", False),
        ("GPE", "LOC", True),
        ("MISC", "PERSON", True),
        ("CONCEPT", "MISC", True),
        ("DATE", "DATE", True),
        ("DATE", "MISC", False),
        ("NUMBER", "CONCEPT", False),
    ],
)
def test_which_types_can_be_one_thing(one: EntityType, other: EntityType, fits: bool) -> None:
    assert compatible(one, other) is fits
    assert compatible(other, one) is fits


def test_ties_go_by_the_order_of_the_types() -> None:
    assert voted_type({"ORG": 2, "PERSON": 2}) == voted_type({"PERSON": 2, "ORG": 2}) == "PERSON"
    assert voted_type({"MISC": 9, "CONCEPT": 1}) == "CONCEPT"
    assert voted_type({"MISC": 1}) == "MISC"
