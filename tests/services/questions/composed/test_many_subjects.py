"""Which facts are true of many, so that nobody can be asked for the one."""

import pytest

from kg.model import EntityType
from services.questions.composed.rule_parts import true_of_many
from tests.services.questions.composed.test_comparing import known


@pytest.mark.parametrize(
    ("subject", "of", "predicate", "place", "many"),
    [
        ("Jacques Chirac", "PERSON", "died in", "France", True),
        ("Eliud Kipchoge", "PERSON", "is a citizen of", "Kenya", True),
        ("Anne Sacoolas", "PERSON", "has left", "France", True),
        ("Leonie Sabrecourt", "PERSON", "formerly worked at", "Lorrimer Clinic", True),
        ("Leonie Sabrecourt", "PERSON", "directs", "Lorrimer Clinic", False),
        ("Boris Johnson", "PERSON", "is prime minister of", "France", False),
        ("Revolutionary Guard Corps", "ORG", "belongs to", "Iran", True),
        ("Marcher Wheelers", "ORG", "is based in", "Greymoor", True),
        ("Hope Hospital", "ORG", "is located in", "France", True),
        ("Greymoor Observatory", "ORG", "is located in", "Greymoor", False),
        ("Quorran Sports", "ORG", "sponsors", "Averell Cup", False),
    ],
)
def test_many_live_and_work_somewhere_and_one_leads(
    subject: str, of: EntityType, predicate: str, place: str, many: bool
) -> None:
    type_: EntityType = "GPE" if place in {"France", "Kenya", "Iran", "Greymoor"} else "ORG"
    assert true_of_many(known(subject, predicate, place, type_, of)) is many
