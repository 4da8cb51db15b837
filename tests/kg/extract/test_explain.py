"""What `kg corpus explain` shows is what the extractor does."""

import pytest

from kg.extract.article import explain
from kg.extract.pipeline import Model, load_model
from tests.kg.extract.conftest import FRIDAY, Read

TEXT = (
    "Anna Keller, the founder of Nova Labs, was not in Oslo on Monday. She hired a great new singer. "
    "Did Peter Novak agree?"
)


@pytest.fixture(scope="module")
def model() -> Model:
    return load_model()


def test_it_shows_what_the_extractor_reads(read: Read, model: Model) -> None:
    extraction = read(TEXT)
    shown = explain(model, TEXT, "", FRIDAY)
    claims = [(one.sentence, one.claim, one.doubt, one.factual) for one in shown if one.statement]
    assert claims == [(one.sentence, one.text, one.doubt, one.factual) for one in extraction.claims]
    triples = {item.triple for one in shown for item in one.triples}
    assert triples == {triple for claim in extraction.claims for triple in claim.triples}
    assert [mention for one in shown for mention in one.mentions] == list(extraction.mentions)


def test_every_triple_names_a_rule_with_an_example(model: Model) -> None:
    items = [item for one in explain(model, TEXT, "", FRIDAY) for item in one.triples]
    assert items
    for item in items:
        assert item.rule is not None
        assert item.rule.name == item.triple.rule
        assert item.rule.example


def test_signs_and_substitutions_are_shown(model: Model) -> None:
    first, second, question = explain(model, TEXT, "", FRIDAY)
    assert {sign.rule for sign in first.signs} >= {"time", "name"}
    assert [(made.old, made.new) for made in second.substitutions] == [("She", "Anna Keller")]
    assert any(sign.rule == "praise or blame" and sign.weight < 0 for sign in second.signs)
    assert not question.statement


def test_what_was_proposed_and_not_taken_is_shown(model: Model) -> None:
    (one,) = explain(model, "A rescue team arrived in Hamburg.", "", FRIDAY)
    assert one.triples == ()
    assert [(found.predicate, found.object) for found in one.refused] == [("arrived in", "Hamburg")]


@pytest.mark.parametrize("text", ["", "  \n"])
def test_nothing_gives_nothing(model: Model, text: str) -> None:
    assert explain(model, text, "", None) == []
