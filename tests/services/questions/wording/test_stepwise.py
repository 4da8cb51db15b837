"""Chain questions with a sentence for each fact."""

from dataclasses import replace

from kg.model import EntityType
from services.questions.chains import draft_chain, prefix_by_rules
from services.questions.draft import Chain, Fact, Stop
from services.questions.filters.form import WELL_FORMED
from services.questions.wording.chain import GENERATOR
from services.questions.wording.stepwise import STEPWISE, stepwise_question
from tests.examples import examples
from tests.services.questions.wording.test_chain import Hop, chain

GREER: Hop = ("endorsed", "Ada Greer", "PERSON")
PARTY: Hop = ("joined", "Tarn Party", "ORG")


def as_chain(start: str, hops: list[Hop], kind: EntityType = "ORG") -> Chain:
    stops, facts = chain(start, *hops, kind=kind)
    return Chain("path", tuple(stops), tuple(facts))


@examples("start, hops, question")
def test_each_fact_is_a_sentence_and_names_hide_behind_what_they_are(
    start: str, hops: list[Hop], question: str
) -> None:
    assert stepwise_question(*chain(start, *hops)) == question


def test_a_fact_that_is_walked_from_its_object_keeps_its_own_direction() -> None:
    stops = (Stop("0", "Tarn Act", "LAW"), Stop("1", "Ada Greer", "PERSON"), Stop("2", "Tarn Party", "ORG"))
    facts = (
        Fact(1, "", "", "Ada Greer", "endorsed", "Tarn Act", "", "", reversed=True),
        Fact(2, "", "", "Ada Greer", "joined", "Tarn Party", "", ""),
    )
    question = "A person endorsed the Tarn Act. Which party did that person join?"
    assert stepwise_question(stops, facts) == question


def test_a_chain_is_nested_where_that_reads_well_and_stepwise_elsewhere() -> None:
    rovers: Hop = ("plays for", "Tarn Rovers", "ORG")
    nested = as_chain("Roz Vale", [rovers, ("was founded in", "2031", "DATE")], "PERSON")
    left: Hop = ("voted to leave", "Rell Union", "ORG")
    told = as_chain("Tarn Party", [GREER, left, ("owns", "Tarn Works", "ORG")])
    assert [draft_chain(one).generator for one in (nested, told)] == [GENERATOR, STEPWISE]
    assert draft_chain(nested, "stepwise").generator == STEPWISE
    only_nested = draft_chain(told, "nested")
    assert only_nested.generator == GENERATOR
    assert not WELL_FORMED.check([only_nested])[0].passed
    assert WELL_FORMED.check([draft_chain(told)])[0].passed
    # The first hops of a chain are worded by the same rule, and a single one is nothing to take apart.
    assert prefix_by_rules(draft_chain(told), 1).generator == GENERATOR


def test_a_mere_scene_is_worded_stepwise_only_where_that_is_wished_or_for_a_models_first_hops() -> None:
    scene = as_chain("Tarn Party", [("reached out to", "Ada Greer", "PERSON"), PARTY, PARTY])
    usual = draft_chain(scene)
    assert usual.generator == GENERATOR
    assert not WELL_FORMED.check([usual])[0].passed
    wished = draft_chain(scene, "stepwise")
    assert wished.generator == STEPWISE
    assert WELL_FORMED.check([wished])[0].passed
    assert prefix_by_rules(usual, 2).generator == GENERATOR
    by_model = replace(usual, generator="model-2/name/write-question@3")
    assert prefix_by_rules(by_model, 2).generator == STEPWISE


def test_what_is_only_reported_begins_with_whose_word_it_is() -> None:
    rovers: Hop = ("plays for", "Tarn Rovers", "ORG")
    one = as_chain("Roz Vale", [rovers, ("was founded in", "2031", "DATE")], "PERSON")
    for at, question in (
        (0, "According to the mayor, Roz Vale plays for a club. In which year was that club founded?"),
        (1, "Roz Vale plays for a club. According to the mayor, in which year was that club founded?"),
    ):
        facts = tuple(
            replace(fact, attributed_to="the mayor") if number == at else fact
            for number, fact in enumerate(one.facts)
        )
        draft = draft_chain(replace(one, facts=facts))
        assert (draft.generator, draft.text) == (STEPWISE, question)
        assert WELL_FORMED.check([draft])[0].passed
