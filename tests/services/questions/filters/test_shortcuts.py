"""The filter "no shortcut" on small graphs."""

from dataclasses import replace

import pytest

from services.questions.draft import Draft
from services.questions.filters.choose import NoShortcut
from services.questions.filters.solver import RuleSolver
from tests.services.questions.filters.little_world import CHAIN, Said, World


def said(world: World, draft: Draft) -> str:
    (found,) = NoShortcut(world.graph, world.corpus, RuleSolver(world.graph)).check([draft])
    return found.reason


def test_a_chain_without_another_way_passes(world: World) -> None:
    world.plant(*CHAIN, Said("Greta Lindqvist", "coaches", "Mira Tolland", "k4"))
    assert said(world, world.chain()) == ""


def test_a_shorter_path_is_told(world: World) -> None:
    hub = Said("Vell Bears", "thanked", "Greta Lindqvist", "k5", "hub")
    world.plant(*CHAIN, Said("Mira Tolland", "left", "Vell Bears", "k4"), hub)
    assert said(world, world.chain()) == (
        "a path of 2 hops leads there: Mira Tolland > Vell Bears > Greta Lindqvist"
    )


@pytest.mark.parametrize("clubs", [("Abel Club", "Zell Club"), ("Zell Club", "Abel Club")])
def test_of_equal_ways_the_first_by_name_is_told_whichever_was_written_first(
    world: World, clubs: tuple[str, str]
) -> None:
    ways = [
        fact
        for at, club in enumerate(clubs)
        for fact in (
            Said("Mira Tolland", "left", club, f"k{4 + at}"),
            Said(club, "thanked", "Greta Lindqvist", f"k{6 + at}"),
        )
    ]
    world.plant(*CHAIN, *ways)
    assert said(world, world.chain()).endswith("leads there: Mira Tolland > Abel Club > Greta Lindqvist")


def test_the_shortest_of_the_shorter_paths_is_told(world: World) -> None:
    world.plant(
        *CHAIN,
        Said("Mira Tolland", "left", "Vell Bears", "k4"),
        Said("Vell Bears", "thanked", "Greta Lindqvist", "k5"),
        Said("Mira Tolland", "met", "Greta Lindqvist", "k6", "attributed"),
    )
    assert said(world, world.chain()) == "a path of 1 hop leads there: Mira Tolland > Greta Lindqvist"


def test_denied_facts_and_common_nouns_are_no_way(world: World) -> None:
    world.plant(
        *CHAIN,
        Said("Mira Tolland", "met", "Greta Lindqvist", "k4", "negated"),
        Said("Mira Tolland", "wore", "scarf", "k5", "unnamed"),
        Said("scarf", "belongs to", "Greta Lindqvist", "k6", "unnamed"),
        scarf="CONCEPT",
    )
    assert said(world, world.chain()) == ""


def test_another_entity_of_the_same_name_is_a_way(world: World) -> None:
    world.plant(*CHAIN, Said("Tolland", "met", "Greta Lindqvist", "k4"), Tolland="PERSON")
    assert said(world, world.chain()) == ""
    world.alias("Mira Tolland", "Tolland")
    assert "Tolland > Greta Lindqvist" in said(world, world.chain())


def test_a_chunk_that_states_everything_is_told(world: World) -> None:
    together = tuple(Said(fact.subject, fact.predicate, fact.object, "k1") for fact in CHAIN)
    world.plant(*together)
    assert said(world, world.chain(*together)) == "it is answered by a single chunk"


def test_a_chunk_with_both_sides_of_a_comparison_is_told(world: World) -> None:
    one, other = CHAIN[1], Said("Vell Bears", "is owned by", "Brandt Towing", "k4")
    world.plant(one, other)
    text = "Do Ostby Rovers and Vell Bears have the same owner?"
    assert said(world, world.comparison(one, other, text)) == ""
    beside = Said("Vell Bears", "is owned by", "Brandt Towing", "k2")
    world.plant(beside)
    assert said(world, world.comparison(one, beside, text)) == "it is answered by a single chunk"


def test_in_a_model_s_words_only_a_path_that_answers_the_question_is_a_shortcut(world: World) -> None:
    """The chain asks who founded the owner of the club; to have met somebody is no answer to that."""
    by_model = replace(world.chain(), generator="model-2/any/write-question@3")
    world.plant(*CHAIN, Said("Mira Tolland", "met", "Greta Lindqvist", "k4"))
    assert said(world, world.chain()) != ""
    assert said(world, by_model) == ""
    world.plant(Said("Mira Tolland", "was founded by", "Greta Lindqvist", "k5"))
    assert said(world, by_model) == "a path of 1 hop leads there: Mira Tolland > Greta Lindqvist"


def test_a_longer_way_round_that_ends_alike_is_told_in_a_model_s_words(world: World) -> None:
    by_model = replace(world.chain(), generator="model-2/any/write-question@3")
    world.plant(*CHAIN, Said("Mira Tolland", "met", "Greta Lindqvist", "k4"))
    world.plant(Said("Mira Tolland", "works for", "Vell Bears", "k5"))
    world.plant(Said("Vell Bears", "was founded by", "Greta Lindqvist", "k6"))
    assert said(world, by_model) == (
        "a path of 2 hops leads there: Mira Tolland > Vell Bears > Greta Lindqvist"
    )
