"""The filter "only answer" on small graphs."""

from dataclasses import replace
from typing import Any

import pytest

from kg.model import EntityType
from services.questions.draft import Draft
from services.questions.filters.rivals import OnlyAnswer, may_answer_alike
from tests.examples import examples
from tests.services.questions.filters.little_world import CHAIN, Said, World


def said(world: World, draft: Draft) -> str:
    (found,) = OnlyAnswer(world.graph, world.corpus).check([draft])
    return found.reason


def test_the_only_end_of_the_walk_is_the_only_answer(world: World) -> None:
    world.plant(*CHAIN)
    assert said(world, world.chain()) == ""


@pytest.mark.parametrize(
    "rival",
    [
        (Said("Halden Shipping", "was founded by", "Otto Pelham", "k4"),),
        (Said("Halden Shipping", "is founded by", "Otto Pelham", "k4"),),
        (Said("Halden Shipping", "was founded by", "Otto Pelham", "k4", "attributed"),),
        (Said("Halden Shipping", "was founded by", "Otto Pelham", "k4", "low confidence"),),
        (
            Said("Ostby Rovers", "are owned by", "Brandt Towing", "k4"),
            Said("Brandt Towing", "was founded by", "Otto Pelham", "k5"),
        ),
    ],
    ids=["same words", "other tense", "attributed", "unsure", "another way"],
)
def test_another_end_by_the_same_predicates_is_a_rival(world: World, rival: tuple[Said, ...]) -> None:
    world.plant(*CHAIN, *rival, Otto_Pelham="PERSON")
    assert said(world, world.chain()) == '"Otto Pelham" would be right as well'


@examples("harmless")
def test_what_does_not_fit_the_question_is_no_rival(world: World, harmless: tuple[Any, ...]) -> None:
    years: dict[str, EntityType] = {"Otto_Pelham": "PERSON", "1904": "DATE"}
    world.plant(*CHAIN, Said(*harmless), **years)
    assert said(world, world.chain()) == ""


def test_a_sentence_of_which_no_fact_was_read_may_have_a_rival(world: World) -> None:
    """Claims name the club; of none of them was it read that it left a league."""
    left = Said("Ostby Rovers", "left", "Tarn League", "k4")
    unread = Said("Ostby Rovers", "is known in", "Norholm League", "k5")
    chain = world.chain(CHAIN[0], left, answer_type="ORG")
    world.plant(CHAIN[0], left, unread)
    assert said(world, chain) == ""
    for text, rival in (
        ("In Norholm League there was joy as Ostby Rovers left.", False),
        ("Ostby Rovers left the old Norholm League.", True),
        ("It left. Norholm League mourned Ostby Rovers.", False),
        ("Ostby Rovers were leaving Norholm League.", True),
        ("Ostby Rovers joined Norholm League.", False),
    ):
        world.word(unread, text)
        reason = 'by a sentence of which no fact was read, "Norholm League" may be right as well'
        assert said(world, chain) == (reason if rival else "")
        assert said(world, replace(chain, generator="model-2/x/write-question@3")) == ""


def test_of_what_is_asked_anything_is_a_rival(world: World) -> None:
    """Films by their names are people and companies to the graph; "What did she direct?" asks for any."""
    directed = Said("Greta Lindqvist", "directed", "Tarn Two", "k4")
    facts = (CHAIN[2], directed)
    world.plant(*facts, Said("Greta Lindqvist", "directed", "Never Say Rell", "k5"), Tarn_Two="PERSON")
    for text, rival in (
        ("What did the person who founded Halden Shipping direct?", True),
        ("Halden Shipping was founded by a person. What did that person direct?", True),
        ("Whom did the person who founded Halden Shipping direct?", False),
    ):
        reason = '"Never Say Rell" would be right as well'
        assert said(world, world.chain(*facts, text=text)) == (reason if rival else "")


def test_backwards_a_rival_stands_before_the_verb(world: World) -> None:
    founded = Said("Greta Lindqvist", "founded", "Halden Shipping", "k3")
    unread = Said("Otto Pelham", "is known in", "Halden Shipping", "k4")
    world.plant(founded, unread, Otto_Pelham="PERSON")
    forward = world.chain(founded)
    chain = replace(
        forward,
        stops=forward.stops[::-1],
        facts=tuple(replace(fact, reversed=True) for fact in forward.facts),
    )
    assert said(world, chain) == ""
    world.word(unread, "Halden Shipping founded a bank with Otto Pelham.")
    assert said(world, chain) == ""
    world.word(unread, "Otto Pelham founded Halden Shipping.")
    assert "Otto Pelham" in said(world, chain)


def test_an_organisation_and_its_building_are_rivals() -> None:
    assert may_answer_alike("ORG", "FAC")
    assert may_answer_alike("FAC", "ORG")
    assert not may_answer_alike("PERSON", "ORG")
    assert not may_answer_alike("DATE", "FAC")


def test_the_same_thing_is_no_rival(world: World) -> None:
    world.plant(*CHAIN, Said("Halden Shipping", "was founded by", "the founder", "k4"), the_founder="PERSON")
    assert said(world, world.chain()) != ""
    world.alike("the founder", "Greta Lindqvist")
    assert said(world, world.chain()) == ""


def test_a_date_rules_out_another_and_not_a_coarser_one(world: World) -> None:
    opened = Said("Halden Shipping", "opened in", "May 1904", "k3")
    dates: dict[str, EntityType] = {"May_1904": "DATE", "1904": "DATE", "3_May_1904": "DATE", "1905": "DATE"}
    finer = Said("Halden Shipping", "opened in", "3 May 1904", "k4")
    coarser = Said("Halden Shipping", "opened in", "1904", "k5")
    world.plant(*CHAIN[:2], opened, finer, coarser, **dates)
    draft = world.chain(*CHAIN[:2], opened, answer_type="DATE")
    assert said(world, draft) == ""
    world.plant(Said("Halden Shipping", "opened in", "1905", "k6"), **dates)
    assert '"1905"' in said(world, draft)


def test_a_hop_may_be_walked_from_its_object(world: World) -> None:
    owns = Said("Halden Shipping", "owns", "Ostby Rovers", "k2")
    world.plant(CHAIN[0], owns, CHAIN[2])
    draft = world.chain()
    draft = replace(
        draft, facts=(draft.facts[0], replace(world.fact(2, owns), reversed=True), draft.facts[2])
    )
    assert said(world, draft) == ""
    other = Said("Brandt Towing", "owned", "Ostby Rovers", "k4")
    world.plant(other, Said("Brandt Towing", "was founded by", "Otto Pelham", "k5"), Otto_Pelham="PERSON")
    assert "Otto Pelham" in said(world, draft)


def test_each_side_of_a_comparison_has_one_value(world: World) -> None:
    one, other = CHAIN[1], Said("Vell Bears", "is owned by", "Brandt Towing", "k4")
    world.plant(one, other)
    draft = world.comparison(one, other, "Do Ostby Rovers and Vell Bears have the same owner?", "No")
    assert said(world, draft) == ""
    world.plant(Said("Vell Bears", "is owned by", "Pelham and Sons", "k5"))
    assert '"Pelham and Sons"' in said(world, draft)


def test_sources_that_disagree_are_no_rivals_of_each_other(world: World) -> None:
    one = Said("Ostby Rovers", "was founded in", "1904", "k1")
    other = Said("Ostby Rovers", "was founded in", "1905", "k2")
    years: dict[str, EntityType] = {"1904": "DATE", "1905": "DATE"}
    world.plant(one, other, **years)
    draft = world.comparison(one, other, "Do the Post and the Mail agree on when it was?", "No")
    assert said(world, replace(draft, kind="temporal")) == ""


def test_a_bridge_is_the_only_one_that_fits_all_its_facts(world: World) -> None:
    plays, owned = CHAIN[0], CHAIN[1]
    world.plant(plays, owned, Said("Mira Tolland", "played for", "Vell Bears", "k4"))
    bridge = replace(
        world.chain(plays, owned, text="Which club does Mira Tolland play for that Halden Shipping owns?"),
        kind="bridge entity",
        answered_by=world.id("Ostby Rovers"),
    )
    assert said(world, bridge) == ""
    world.plant(Said("Vell Bears", "were owned by", "Halden Shipping", "k5"))
    assert '"Vell Bears"' in said(world, bridge)


def test_a_null_question_has_no_rivals(world: World) -> None:
    world.plant(*CHAIN)
    assert said(world, world.null(*CHAIN[:2], text="Who sold the owner of the Rovers?")) == ""


def test_a_county_and_a_town_are_no_rivals_to_a_country(world: World) -> None:
    born, lies = (
        Said("Mira Tolland", "was born in", "Bergen", "k1"),
        Said("Bergen", "is located in", "Norway", "k2"),
    )
    counties = [
        Said("Bergen", "is located in", "Hordaland", "k3"),
        Said("Hordaland", "is located in", "Norway", "k4"),
    ]
    places: dict[str, EntityType] = dict.fromkeys(("Bergen", "Norway", "Hordaland", "Ohio", "Sweden"), "GPE")
    world.plant(born, lies, *counties, Said("Bergen", "is located in", "Ohio", "k5"), **places)
    country = world.chain(
        born, lies, text="Which country contains the city where Mira Tolland was born?", answer_type="GPE"
    )
    assert said(world, country) == ""
    larger = replace(country, text="Which larger place contains the city where Mira Tolland was born?")
    assert said(world, larger) == '"Hordaland" and 1 more would be right as well'
    world.plant(Said("Bergen", "is located in", "Sweden", "k6"), **places)
    assert said(world, country) == '"Sweden" would be right as well'
