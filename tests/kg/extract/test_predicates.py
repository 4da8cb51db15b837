"""Predicates of a model: what relates nothing is refused, what is merely odd is mended.

Every rule makes of its example what it says it makes.
"""

import pytest

from kg.extract.grammar import RULES
from kg.extract.predicates import TWO_PREPOSITIONS, allowed, empty_relation, mended
from tests.examples import examples
from tests.kg.extract.conftest import Read, triples_of


@examples("predicate, subject_type, object_type")
def test_a_predicate_that_relates_nothing_is_told(
    predicate: str, subject_type: str, object_type: str
) -> None:
    assert empty_relation(predicate, subject_type, object_type)


@examples("predicate, subject_type, object_type")
def test_a_predicate_that_says_something_is_none_of_these(
    predicate: str, subject_type: str, object_type: str
) -> None:
    assert not empty_relation(predicate, subject_type, object_type)


@examples("predicate, dated, wanted")
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


@pytest.mark.parametrize("name", RULES)
def test_a_rule_makes_the_triple_of_its_example(read: Read, name: str) -> None:
    rule = RULES[name]
    made = [
        (triple.subject, triple.predicate, triple.object)
        for triple in triples_of(read(rule.example))
        if triple.rule == name
    ]
    assert made == [rule.triple]


@pytest.mark.parametrize("name", RULES)
def test_a_rule_says_what_it_reads_and_how_far_it_is_trusted(name: str) -> None:
    rule = RULES[name]
    assert rule.name == name
    assert rule.reads
    assert 0 < rule.trust <= 1
