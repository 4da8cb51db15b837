"""What the rules can't word well, and what they can."""

from collections.abc import Sequence

from kg.model import EntityType
from services.questions.draft import Fact, Stop
from services.questions.wording.chain import chain_question
from services.questions.wording.doubts import doubt, scene
from tests.examples import examples

Hop = tuple[str, str, EntityType]


def chain(
    start: str, *hops: Hop, kind: EntityType = "PERSON", sentence: str = ""
) -> tuple[list[Stop], list[Fact]]:
    stops, facts = [Stop("0", start, kind)], []
    for index, (predicate, name, type_) in enumerate(hops, 1):
        facts.append(Fact(index, "", "", stops[-1].name, predicate, name, "", sentence))
        stops.append(Stop(str(index), name, type_))
    return stops, facts


def doubted(start: str, *hops: Hop, kind: EntityType = "PERSON", sentence: str = "") -> str:
    stops, facts = chain(start, *hops, kind=kind, sentence=sentence)
    return doubt(stops, facts, chain_question(stops, facts))


@examples("predicate, dated, told")
def test_a_scene_is_told_from_a_relation(predicate: str, dated: bool, told: bool) -> None:
    assert bool(scene(predicate, dated)) is told


@examples("hops, reason")
def test_what_can_t_be_described_is_told(hops: Sequence[Hop], reason: str) -> None:
    assert reason in doubted("Carl Tamm", *hops)


def test_a_country_acts_and_is_called_one() -> None:
    assert doubted("Ann Bell", ("is citizen of", "France", "GPE"), ("banned", "Mahan Air", "ORG")) == ""


def test_an_office_cut_short_is_told_by_its_sentence() -> None:
    hops: list[Hop] = [("is chief of", "Rolf Varn", "PERSON"), ("appointed", "Carl Tamm", "PERSON")]
    assert "only a part" in doubted("Ann Bell", *hops, sentence="Ann Bell is chief of staff of Rolf Varn.")
    assert "is a person" in doubted("Ann Bell", *hops, sentence="Ann Bell, Varn's chief, left.")
    named: list[Hop] = [("is chief of", "Port Authority", "ORG"), ("appointed", "Carl Tamm", "PERSON")]
    assert doubted("Ann Bell", *named, sentence="Ann Bell is chief of the Port Authority.") == ""


def test_a_river_is_no_place_but_is_a_river_where_its_sentence_says_so() -> None:
    hops: list[Hop] = [("lies on", "Ostrel", "GPE"), ("was polluted by", "Rell Foods", "ORG")]
    stops, facts = chain("Rell", *hops, kind="GPE", sentence="The Ostrel was polluted.")
    assert "no town" in doubt(stops, facts)
    said = chain("Acme", ("polluted", "Ostrel", "GPE"), ("is located in", "Ohio", "GPE"), kind="ORG",
                 sentence="Acme polluted the river Ostrel.")  # fmt: skip
    assert doubt(*said) == "" and "the river" in chain_question(*said)


def test_a_long_wait_for_the_verb_is_told() -> None:
    stops, facts = chain(
        "Ann Bell", ("appointed", "Carl Tamm", "PERSON"), ("attended Rell Fair on", "1966", "DATE")
    )
    waiting = (
        "When did the person "
        + "whose mother is the person " * 3
        + "whose son is Ann Bell attend the Rell Fair?"
    )
    assert "before its verb" in doubt(stops, facts, waiting)
    assert doubt(stops, facts, chain_question(stops, facts)) == ""
