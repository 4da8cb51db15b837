"""Which kinds of things go with a predicate."""

from kg.model import EntityType
from services.questions.draft import Fact
from services.questions.fitting import is_of_a_body, may_have, may_lack
from services.questions.misreadings import misread_in_chain
from tests.examples import examples


@examples("subject, predicate, object_, fits")
def test_what_does_not_go_with_its_ends_is_told(
    subject: EntityType, predicate: str, object_: EntityType, fits: bool
) -> None:
    assert may_have(subject, predicate, object_) is fits


@examples("name, predicate, object_, lacks")
def test_what_somebody_may_lack_is_told(name: str, predicate: str, object_: EntityType, lacks: bool) -> None:
    assert may_lack("PERSON", predicate, object_, name) is lacks


@examples("predicate, place, of_a_body")
def test_an_office_of_a_body_in_a_place_is_told(predicate: str, place: str, of_a_body: bool) -> None:
    assert is_of_a_body(predicate, place) is of_a_body


def test_no_chain_goes_over_an_office_of_a_body_in_a_place() -> None:
    leads = Fact(1, "c", "t", "Ada Greer", "is leader of", "Ely", "a", "Ada Greer, the Ely leader, left.")
    assert "a body in Ely" in misread_in_chain(leads, "PERSON", "GPE")
    assert misread_in_chain(leads, "PERSON", "ORG") == ""
