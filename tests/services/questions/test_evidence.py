"""What states a fact once more, in other words, is evidence for it as well."""

from services.questions.chains import read_stating_chunks, with_all_evidence
from services.questions.filters.need import EveryHopNeeded
from services.questions.filters.solver import RuleSolver
from tests.examples import examples
from tests.services.questions.filters.conftest import world
from tests.services.questions.filters.little_world import CHAIN, Said, World

__all__ = ["world"]
OWNED = CHAIN[1]
"""Ostby Rovers is owned by Halden Shipping."""


def chunks(world: World) -> set[str]:
    triple = world.triple(OWNED)
    found = read_stating_chunks(world.graph, [triple])[triple]
    return {chunk.removeprefix(f"{world.corpus}-") for chunk in found}


@examples("text, states")
def test_a_claim_that_names_both_ends_and_the_deed_restates_a_fact(
    world: World, text: str, states: bool
) -> None:
    other = Said("Ostby Rovers", "thank", "Halden Shipping", "k9")
    world.plant(*CHAIN, other)
    world.alias("the Rovers", "Ostby Rovers")
    world.word(other, text)
    assert chunks(world) == ({"k2", "k9"} if states else {"k2"})


def test_the_same_triple_in_another_tense_restates_it_and_a_denied_one_does_not(world: World) -> None:
    past = Said("Ostby Rovers", "were owned by", "Halden Shipping", "k8")
    denied = Said("Ostby Rovers", "was owned by", "Halden Shipping", "k9", "negated")
    world.plant(*CHAIN, past, denied)
    assert chunks(world) == {"k2", "k8"}


def test_what_was_not_verified_is_no_evidence(world: World) -> None:
    past = Said("Ostby Rovers", "were owned by", "Halden Shipping", "k8")
    world.plant(*CHAIN, past)
    world.word(past, past.text, verified=False)
    assert chunks(world) == {"k2"}


def test_a_hop_is_needed_though_the_news_repeats_it(world: World) -> None:
    world.plant(*CHAIN, Said("Ostby Rovers", "were owned by", "Halden Shipping", "k3"))
    needed = EveryHopNeeded(RuleSolver(world.graph))
    assert [one.passed for one in needed.check([world.chain()])] == [False]
    (widened,) = with_all_evidence(world.graph, [world.chain()])
    assert [one.passed for one in needed.check([widened])] == [True]
