"""Every rule makes of its example what it says it makes."""

import pytest

from kg.extract.grammar import RULES
from tests.kg.extract.conftest import Read, triples_of


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
