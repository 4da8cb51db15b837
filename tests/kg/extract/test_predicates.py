"""Predicates of a model: what relates nothing is refused, what is merely odd is mended."""

import pytest

from kg.extract.predicates import TWO_PREPOSITIONS, allowed, empty_relation, mended


@pytest.mark.parametrize(
    ("predicate", "subject_type", "object_type"),
    [
        ("is of", "PERSON", "GPE"),
        ("is for", "EVENT", "ORG"),
        ("is in context of", "EVENT", "EVENT"),
        ("has been with", "PERSON", "ORG"),
        ("had at least", "GPE", "NUMBER"),
        ("had delegates numbering", "PERSON", "NUMBER"),
        ("is in", "PERSON", "GPE"),
        ("is in", "GPE", "ORG"),
        ("was after", "EVENT", "DATE"),
    ],
)
def test_a_predicate_that_relates_nothing_is_told(
    predicate: str, subject_type: str, object_type: str
) -> None:
    assert empty_relation(predicate, subject_type, object_type)


@pytest.mark.parametrize(
    ("predicate", "subject_type", "object_type"),
    [
        ("is in", "GPE", "GPE"),
        ("is in", "ORG", "GPE"),
        ("is in", "CONCEPT", "GPE"),
        ("was on", "EVENT", "DATE"),
        ("is from", "PERSON", "GPE"),
        ("is", "PERSON", "CONCEPT"),
        ("had", "PERSON", "NUMBER"),
        ("voted for", "PERSON", "PERSON"),
        ("is mayor of", "PERSON", "GPE"),
        ("", "PERSON", "GPE"),
    ],
)
def test_a_predicate_that_says_something_is_none_of_these(
    predicate: str, subject_type: str, object_type: str
) -> None:
    assert not empty_relation(predicate, subject_type, object_type)


@pytest.mark.parametrize(
    ("predicate", "dated", "wanted"),
    [
        ("is scheduled for", True, "is scheduled for"),
        ("is scheduled for on", True, "is scheduled on"),
        ("was appointed", True, "was appointed on"),
        ("went on to", False, "went on to"),
        ("dropped out of", False, "dropped out of"),
    ],
)
def test_one_preposition_ends_a_predicate(predicate: str, dated: bool, wanted: str) -> None:
    found = mended(predicate, dated, "3 May 2031", ())
    assert (found.predicate, found.refused) == (wanted, "")


@pytest.mark.parametrize(("predicate", "dated"), [("met with", True), ("was voted for in", False)])
def test_two_that_nothing_decides_between_are_refused(predicate: str, dated: bool) -> None:
    assert mended(predicate, dated, "3 May 2031", ()).refused == TWO_PREPOSITIONS


def test_a_ban_is_no_denial() -> None:
    assert allowed("must cite", negated=True) == ("is forbidden to cite", False)
    assert allowed("must cite", negated=False) == ("must cite", False)
    assert allowed("cites", negated=True) == ("cites", True)
