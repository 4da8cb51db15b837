"""Numbers with units: what they measure, which is surely more, and the questions that compare them."""

from collections.abc import Iterator
from typing import Any

import pytest

from kg.corpus import drop_corpus
from kg.progress import Silent
from kg.store.graph import Graph
from services.questions.composed.measures import (
    Measure,
    measure_question,
    measuring_words,
    parse_measure,
    surely_more,
)
from services.questions.composed.pipeline import ComposeSize, Composing, Place, compose
from services.questions.composed.rule_parts import rule_parts
from services.questions.composed.stock import read_partners
from tests.examples import examples
from tests.names import unique_name
from tests.services.questions.kinds.told_world import Told, World, tell


@examples("text, amount, kind")
def test_a_number_with_a_unit_is_measured_in_its_base(text: str, amount: float, kind: str) -> None:
    found = parse_measure(text)
    assert found is not None
    assert found.amount == pytest.approx(amount)
    assert found.kind == kind


@examples("text")
def test_what_measures_nothing_is_no_measure(text: str) -> None:
    assert parse_measure(text) is None


@examples("one, other, more")
def test_one_is_more_from_a_tenth_on(one: tuple[Any, ...], other: tuple[Any, ...], more: bool | None) -> None:
    assert surely_more(Measure(*one), Measure(*other)) is more


def test_a_figure_is_asked_for_in_the_words_of_its_verb() -> None:
    cost = measuring_words("costs", Measure(40, "dollar"))
    raised = measuring_words("raised", Measure(40, "euro"))
    assert cost is not None
    assert raised is not None
    assert measure_question("Ostrivax", "costs", cost) == "How much does Ostrivax cost?"
    assert measure_question("Norvane", "raised", raised) == "How much money did Norvane raise?"
    assert measuring_words("raised", Measure(40, "canadian dollar")) == raised
    assert measuring_words("raised", Measure(40, "time")) is None
    assert measuring_words("admires", Measure(40, "dollar")) is None


WORLD = World(
    {name: (f"Paper {name}", "") for name in "abcdefgh"},
    (
        Told("a", "Ostrivax", "costs", "40 dollars"),
        Told("b", "Nephrolan", "costs", "55 dollars"),
        Told("c", "Quellamin", "costs", "42 dollars"),
        Told("d", "Linnet Viaduct", "spans", "1.2 kilometres"),
        Told("e", "Alva Bridge", "spans", "900 metres"),
        Told("f", "Ostrivax", "was developed by", "Norvane"),
        Told("g", "Nephrolan", "was developed by", "Sable Works"),
        Told("g", "Quellamin", "was developed by", "Halden Shipping"),
        Told("h", "Norvane", "owns", "12 boats"),
        # The number that most articles name, which the filters take for a guess.
        Told("f", "Norvane", "hired", "7 clerks"),
        Told("h", "Sable Works", "hired", "7 clerks"),
    ),
    types={
        "Ostrivax": "PRODUCT",
        "Nephrolan": "PRODUCT",
        "Quellamin": "PRODUCT",
        "Linnet Viaduct": "FAC",
        "Alva Bridge": "FAC",
        "40 dollars": "NUMBER",
        "55 dollars": "NUMBER",
        "42 dollars": "NUMBER",
        "1.2 kilometres": "NUMBER",
        "900 metres": "NUMBER",
        "12 boats": "CONCEPT",
        "7 clerks": "NUMBER",
    },
)


@pytest.fixture(scope="module")
def corpus(graph: Graph) -> Iterator[str]:
    name = unique_name("measured", "module")
    tell(graph, name, WORLD)
    yield name
    drop_corpus(graph, name)


@pytest.fixture(scope="module")
def made(graph: Graph, corpus: str) -> Composing:
    wanted = ComposeSize(per_hops=30, max_domain_share=1.0)
    return compose(Place(graph, corpus), rule_parts(graph, corpus, 0), wanted, Silent())


def test_rules_compare_what_is_surely_more_across_units_and_nothing_else(made: Composing) -> None:
    found = {
        one.last.question: one.last.answer for one in made.selected[2].kept if "Which of" in one.last.question
    }
    assert len(found) == 3
    for question, answer in found.items():
        larger = "Linnet Viaduct" if "spans" in question else "Nephrolan"
        asks_for_more = "longer" in question or "more" in question
        assert (answer == larger) is asks_for_more, question
        assert not any(figure in question for figure in ("40", "55", "42", "1.2", "900"))
    assert not any({"Ostrivax", "Quellamin"} <= {*question.replace("?", "").split()} for question in found)
    assert made.depths[2].refused["which of the two numbers is more is not sure"]
    hops = {hop.atom.question for one in made.selected[2].kept for hop in one.hops}
    assert "How much does Ostrivax cost?" in hops


def test_what_a_comparison_of_figures_chose_is_asked_on_from(made: Composing) -> None:
    longer = [one for one in made.selected[3].kept if one.hops[1].topology == "comparison"]
    assert {one.last.answer for one in longer} <= {"Norvane", "Sable Works", "Halden Shipping"}
    assert longer
    assert all("the one of" in one.last.question for one in longer)


def test_models_are_led_to_things_that_are_counted_alike(graph: Graph, corpus: str) -> None:
    groups = read_partners(graph, corpus, 0, "articles")._groups
    assert {(key, kind) for key, _, kind in groups if kind} == {
        ("cost", "dollar"),
        ("span", "length"),
        ("own", "boat"),
        ("hire", "clerk"),
    }
