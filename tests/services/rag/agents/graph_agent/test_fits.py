"""Which fact answers a part of a question: by its words, its direction, and what it leads to."""

import pytest

from kg.model import EntityType
from services.rag.agents.graph_agent.seen import Claim, Fact, Node
from services.rag.agents.graph_agent.walk import LEAST_FIT, Part, Way, fit_of, go_on


def node(name: str, kind: EntityType = "PERSON") -> Node:
    return Node(f"entity-{name}", name, kind)


ANN, BO, CLUB = node("Ann Brel"), node("Bo Carr"), node("Ostby Rovers", "ORG")
HILL = node("Hill", "ORG")


def fact(start: Node, predicate: str, end: Node, forward: bool = True, likeness: float = 0.5) -> Fact:
    return Fact(start, predicate, end, forward, f"claim-{predicate}", likeness, mirrored=False)


@pytest.mark.parametrize(
    ("question", "better", "worse"),
    [
        ("Whom did Ann Brel succeed?", fact(ANN, "succeeded", BO), fact(ANN, "succeeded", BO, False)),
        ("Who succeeded Ann Brel?", fact(ANN, "succeeded", BO, False), fact(ANN, "succeeded", BO)),
        ("Who was succeeded by Ann Brel?", fact(ANN, "succeeded", BO), fact(ANN, "succeeded", BO, False)),
        ("Who was Ann Brel succeeded by?", fact(ANN, "succeeded", BO, False), fact(ANN, "succeeded", BO)),
        ("Who sold Ann Brel?", fact(ANN, "was sold by", BO), fact(ANN, "was sold by", BO, False)),
        ("Which club does Ann Brel play for?", fact(ANN, "plays for", CLUB), fact(ANN, "sued", CLUB)),
        ("Who trained Ann Brel?", fact(ANN, "trained", BO, False), fact(ANN, "trained", CLUB, False)),
        ("Where does Ann Brel work?", fact(ANN, "works at", CLUB), fact(ANN, "lives near", CLUB)),
        ("Which rovers did Ann Brel join?", fact(ANN, "joined", CLUB), fact(ANN, "joined", HILL)),
    ],
)  # fmt: skip
def test_the_fact_that_is_asked_for_fits_better(question: str, better: Fact, worse: Fact) -> None:
    part = Part(question, ("Ann Brel",))
    assert fit_of(part, better) > fit_of(part, worse)


def test_a_place_that_contains_is_found_from_what_is_located_there() -> None:
    dome, town = node("Comet Dome", "FAC"), node("Lindhaven", "GPE")
    part = Part("Which town contains the Comet Dome?", ("Comet Dome",))
    located = fact(dome, "is located in", town)
    assert fit_of(part, located) > fit_of(part, fact(dome, "is located in", town, False))


def test_a_claim_that_has_the_words_makes_a_fact_surer() -> None:
    part = Part("When was the opening of the Comet Dome?", ("Comet Dome",))
    dated = fact(node("Comet Dome", "FAC"), "dates from", node("4 May 2031", "DATE"))
    claim = Claim(
        "claim-1", "The Comet Dome opened on 4 May 2031.", "It opened then.", "", "", "", ("chunk-1",)
    )
    assert fit_of(part, dated, claim) > fit_of(part, dated)


def test_ways_go_on_from_what_earlier_parts_led_to_and_never_back() -> None:
    way = Way((fact(ANN, "plays for", CLUB),), (0.9,), ("Which club does Ann Brel play for?",))
    owned = fact(CLUB, "are owned by", node("Halden Shipping", "ORG"))
    back = fact(CLUB, "signed", ANN)
    foreign = fact(BO, "own", node("Kell", "ORG"))
    (longer,) = go_on([way], "Which company owns #1?", {}, [back, foreign, owned])
    assert [one.end.name for one in longer.facts] == ["Ostby Rovers", "Halden Shipping"]
    assert longer.texts[-1] == "Which company owns Ostby Rovers?"
    assert longer.worth == pytest.approx(0.9 * longer.fits[-1])
    assert go_on([way], "Which company owns #1?", {}, [back]) == []
    unlike = fact(CLUB, "sued", node("Kell", "ORG"), likeness=0.0)
    assert go_on([way], "Which company owns #1?", {}, [unlike]) == []
    assert longer.fits[-1] >= LEAST_FIT
