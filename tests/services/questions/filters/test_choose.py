"""The chain of filters as a whole."""

import random

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from services.questions.draft import Check, Draft, Made
from services.questions.filters.choose import FILTERS, describe, rule_filters, was_checked
from services.questions.filters.protocol import run_filters
from tests.services.questions.filters.little_world import CHAIN, Said, World

RULES = FILTERS[1:12]


@pytest.fixture
def drafts(world: World) -> list[Draft]:
    """One question that passes, and one for each of several filters that fails there."""
    clubs = (
        Said("Ana Brel", "plays for", "Ostby Rovers", "k4"),
        Said("Otto Pelham", "plays for", "Vell Bears", "k5"),
        Said("Vell Bears", "is owned by", "Brandt Towing", "k6"),
        Said("Vell Bears", "is owned by", "Corrin Press", "k7"),
        Said("Nils Holm", "plays for", "Grey Foxes", "k8"),
        Said("Grey Foxes", "is owned by", "Tarn Quays", "k9"),
        Said("Nils Holm", "works for", "Tarn Quays", "k10"),
        Said("Edda Moor", "plays for", "Red Hares", "k11"),
        Said("Red Hares", "is owned by", "Lund Mills", "k11"),
        *(Said("Pelham and Sons", "sells", f"Barge {n}", f"p{n}") for n in range(3)),
    )
    people = dict.fromkeys(("Ana_Brel", "Otto_Pelham", "Nils_Holm", "Edda_Moor"), "PERSON")
    world.plant(*CHAIN, *clubs, **people)  # type: ignore[arg-type]
    asked = "Which company owns the club that {} plays for?"

    def owner(person: Said, club: Said, text: str = asked) -> Draft:
        return world.chain(person, club, text=text.format(person.subject), answer_type="ORG")

    ana, otto, bears, _, nils, foxes, _, edda, hares, *_ = clubs
    return [
        owner(ana, CHAIN[1]),
        owner(ana, CHAIN[1], "Which company"),
        owner(ana, CHAIN[1], "Does Halden Shipping own the club that {} plays for?"),
        owner(ana, CHAIN[1], "Which company owns Ostby Rovers, the club of {}?"),
        owner(ana, CHAIN[1], "Which club does {} play for, and who owns it?"),
        owner(ana, CHAIN[1], "Which company owns the club that {} plays for this season?"),
        owner(otto, bears),
        owner(nils, foxes),
        owner(edda, hares),
    ]


EXPECTED = [
    None, "well formed", "answer hidden", "middle hidden", "not concatenated", "stands alone", "only answer",
    "no shortcut", "no shortcut",
]  # fmt: skip


def failures(made: list[Made]) -> list[str | None]:
    return [one.failed.filter if one.failed else None for one in made]


def test_each_question_falls_at_the_filter_that_it_was_made_for(world: World, drafts: list[Draft]) -> None:
    filters = rule_filters(world.graph, world.corpus)
    assert tuple(one.name for one in filters) == RULES
    made = run_filters(filters, drafts)
    assert failures(made) == EXPECTED
    assert [check.filter for check in made[0].checks] == list(RULES)
    assert made[6].failed is not None
    assert made[6].failed.reason == '"Corrin Press" would be right as well'


@settings(max_examples=8, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(seed=st.integers(0, 10_000), size=st.integers(1, 9))
def test_neither_order_nor_company_changes_a_verdict(
    world: World, drafts: list[Draft], seed: int, size: int
) -> None:
    order = random.Random(seed).sample(range(len(drafts)), size)
    made = run_filters(rule_filters(world.graph, world.corpus), [drafts[at] for at in order])
    assert failures(made) == [EXPECTED[at] for at in order]


def test_no_drafts_are_no_work(world: World) -> None:
    assert run_filters(rule_filters(world.graph, world.corpus), []) == []
    assert all(one.check([]) == [] for one in rule_filters(world.graph, world.corpus))


@pytest.mark.parametrize("name", FILTERS)
def test_every_filter_is_described_in_a_line(name: str) -> None:
    assert 20 < len(describe(name)) < 90


def test_a_verdict_is_told_from_none() -> None:
    assert was_checked(Check("x", passed=True))
    assert was_checked(Check("x", passed=False, reason="unclear: no name"))
    assert not was_checked(Check("x", passed=False, reason="not checked: time-out"))
