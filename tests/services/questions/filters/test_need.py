"""The filters about evidence, with the solver by rules, and the guess without any."""

from dataclasses import replace

from services.questions.draft import Draft
from services.questions.filters.hiding import RetrievalNecessary
from services.questions.filters.need import EveryHopNeeded, Solvable, read_restated, tells_more
from services.questions.filters.protocol import Filter
from services.questions.filters.solver import RuleSolver, SolveTask
from tests.services.questions.filters.little_world import CHAIN, Said, World

OWNED_TWICE = Said("Ostby Rovers", "were owned by", "Halden Shipping", "k3")
SAME_OWNER = "Do Ostby Rovers and Vell Bears have the same owner?"


def said(check: Filter, draft: Draft) -> str:
    (found,) = check.check([draft])
    return found.reason


def test_a_chain_is_solvable_and_every_hop_is_needed(world: World) -> None:
    world.plant(*CHAIN)
    solver = RuleSolver(world.graph)
    assert said(Solvable(solver), world.chain()) == ""
    assert said(EveryHopNeeded(solver), world.chain()) == ""


def test_evidence_that_does_not_state_a_hop_leads_nowhere(world: World) -> None:
    world.plant(*CHAIN)
    chain = world.chain()
    lost = replace(chain.facts[1], chunks=chain.facts[0].chunks)
    draft = replace(chain, facts=(chain.facts[0], lost, chain.facts[2]))
    assert said(Solvable(RuleSolver(world.graph)), draft) == "its evidence leads nowhere"


def test_a_hop_that_other_evidence_states_in_other_words_is_not_needed(world: World) -> None:
    world.plant(*CHAIN, OWNED_TWICE)
    (found,) = EveryHopNeeded(RuleSolver(world.graph)).check([world.chain()])
    assert (found.reason, found.hop) == ("it is answered without the evidence of hop 2", 2)


def test_a_chain_is_restated_where_evidence_of_another_hop_names_both_ends(world: World) -> None:
    world.plant(*CHAIN, Said("Vell Bears", "thanked", "Mira Tolland", "k3"))
    chain = replace(world.chain(), path="path-1")
    assert read_restated(world.graph, [chain]) == set()
    world.plant(Said("Ostby Rovers", "thanked", "Halden Shipping", "k1"))
    assert read_restated(world.graph, [chain]) == {"path-1"}


def test_a_claim_that_names_a_third_entity_of_the_chain_tells_more_than_its_fact(world: World) -> None:
    chain = world.chain()
    assert not tells_more(chain)
    first = replace(chain.facts[0], statement="Mira Tolland plays for the Ostby Rovers of Halden Shipping.")
    assert tells_more(replace(chain, facts=(first, *chain.facts[1:])))


def test_a_denied_fact_is_no_evidence(world: World) -> None:
    denied = Said("Ostby Rovers", "is owned by", "Halden Shipping", "k2", "negated")
    world.plant(CHAIN[0], denied, CHAIN[2])
    assert said(Solvable(RuleSolver(world.graph)), world.chain()) == "its evidence leads nowhere"


def test_a_hop_may_be_followed_from_its_object(world: World) -> None:
    owns = Said("Halden Shipping", "owns", "Ostby Rovers", "k2")
    world.plant(CHAIN[0], owns, CHAIN[2])
    chain = world.chain()
    forwards = replace(chain, facts=(chain.facts[0], world.fact(2, owns), chain.facts[2]))
    backwards = replace(
        chain, facts=(chain.facts[0], replace(world.fact(2, owns), reversed=True), chain.facts[2])
    )
    solver = RuleSolver(world.graph)
    assert said(Solvable(solver), forwards) == "its evidence leads nowhere"
    assert said(Solvable(solver), backwards) == ""


def test_a_comparison_needs_both_its_sides(world: World) -> None:
    one, other = CHAIN[1], Said("Vell Bears", "is owned by", "Brandt Towing", "k4")
    world.plant(one, other)
    draft = world.comparison(one, other, SAME_OWNER, "No")
    solver = RuleSolver(world.graph)
    assert said(Solvable(solver), draft) == ""
    assert said(EveryHopNeeded(solver), draft) == ""
    assert not solver.solve([SolveTask(draft, draft.facts[0].chunks)])[0].right


def test_what_a_named_source_says_counts_from_its_own_article_only(world: World) -> None:
    one = CHAIN[1]
    again = replace(one, chunk="k4")
    world.plant(one, again)
    draft = world.comparison(one, again, "Do the Post and the Mail say so?")
    solver = RuleSolver(world.graph)
    first = SolveTask(draft, draft.facts[0].chunks)
    assert solver.solve([first])[0].right
    named = SolveTask(replace(draft, sources=("Post", "Mail")), draft.facts[0].chunks)
    assert not solver.solve([named])[0].right


def test_nothing_is_found_for_a_null_question(world: World) -> None:
    world.plant(*CHAIN)
    draft = world.null(*CHAIN[:2], text="Who sold the owner of the club that Mira Tolland plays for?")
    solver = RuleSolver(world.graph)
    assert said(Solvable(solver), draft) == ""
    assert said(EveryHopNeeded(solver), draft) == ""


def test_the_most_named_entity_of_the_asked_type_is_a_guess(world: World) -> None:
    world.plant(*CHAIN, Said("Greta Lindqvist", "leads", "Vell Bears", "k4"))
    assert "most articles name it" in said(RetrievalNecessary(world.graph, world.corpus), world.chain())
    world.plant(*(Said("Otto Pelham", "leads", f"Club {n}", f"p{n}") for n in range(3)), Otto_Pelham="PERSON")
    assert said(RetrievalNecessary(world.graph, world.corpus), world.chain()) == ""


def test_what_the_question_names_is_no_guess(world: World) -> None:
    world.plant(*CHAIN, *(Said("Mira Tolland", "left", f"Club {n}", f"p{n}") for n in range(3)))
    found = said(RetrievalNecessary(world.graph, world.corpus), world.chain())
    assert found == '"Greta Lindqvist" is guessed without reading: most articles name it'


def test_nobody_guesses_a_word(world: World) -> None:
    world.plant(*CHAIN)
    draft = world.comparison(CHAIN[0], CHAIN[1], SAME_OWNER)
    assert said(RetrievalNecessary(world.graph, world.corpus), draft) == ""
