"""Which facts are true of many, so that nobody can be asked for the one."""

from kg.model import EntityType
from services.questions.composed.rule_parts import true_of_many
from tests.examples import examples
from tests.services.questions.composed.test_comparing import known


@examples("subject, of, predicate, place, many")
def test_many_live_and_work_somewhere_and_one_leads(
    subject: str, of: EntityType, predicate: str, place: str, many: bool
) -> None:
    type_: EntityType = "GPE" if place in {"France", "Kenya", "Iran", "Greymoor"} else "ORG"
    assert true_of_many(known(subject, predicate, place, type_, of)) is many
