"""To what a verb belongs where its sentence allows two readings."""

from services.questions.attachment import acts_on_another
from services.questions.draft import Fact
from tests.examples import examples


@examples("predicate, sentence, other")
def test_whom_a_dated_deed_is_done_to_stands_behind_its_verb(
    predicate: str, sentence: str, other: str
) -> None:
    assert acts_on_another(Fact(1, "c", "t", "Ada Greer", predicate, "1990", "a", sentence)) == other
