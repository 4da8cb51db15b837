"""The filters that look at a draft alone: a worked pass and a worked fail of each."""

from dataclasses import replace
from pathlib import Path

import pytest
import yaml

from kg.model import EntityType
from services.questions.draft import Draft, Fact, Stop
from services.questions.filters.form import MOST_PREDICATE_WORDS, NOT_CONCATENATED, WELL_FORMED
from services.questions.filters.hiding import ANSWER_HIDDEN, MIDDLE_HIDDEN
from services.questions.filters.protocol import Rule
from services.questions.wording.chain import GENERATOR
from tests.examples import examples


def fact(index: int, subject: str, predicate: str, other: str) -> Fact:
    return Fact(index, f"c{index}", f"t{index}", subject, predicate, other, "a", "")


GOOD = Draft(
    kind="chain",
    text="Which company owns the club that Mira Tolland plays for?",
    answer="Halden Shipping",
    accepted=("Halden Shipping", "Halden"),
    answer_type="ORG",
    generator="test",
    stops=(
        Stop("m", "Mira Tolland", "PERSON", ("Tolland",)),
        Stop("r", "Ostby Rovers", "ORG", ("the Rovers",)),
        Stop("h", "Halden Shipping", "ORG", ("HSC",)),
    ),
    facts=(
        fact(1, "Mira Tolland", "plays for", "Ostby Rovers"),
        fact(2, "The Rovers", "is owned by", "Halden Shipping"),
    ),
    answered_by="h",
    hidden=("Ostby Rovers", "the Rovers"),
)
SAME_OWNER = replace(
    GOOD,
    kind="comparison",
    text="Do the Ostby Rovers and the Vell Bears have the same owner?",
    answer="Yes",
    accepted=("Yes",),
    answer_type="YES_NO",
    stops=(Stop("r", "Ostby Rovers", "ORG"), Stop("v", "Vell Bears", "ORG")),
    facts=(fact(1, "Ostby Rovers", "is owned by", "Halden"), fact(2, "Vell Bears", "was owned by", "Brandt")),
    answered_by="",
    hidden=("Halden", "Brandt"),
)


BY_MODEL = "model-2/any/write-question@3"
WORDINGS = yaml.safe_load((Path(__file__).parents[3] / "data" / "model_wordings.yaml").read_text("utf-8"))


def verdict(rule: Rule, draft: Draft) -> str:
    (found,) = rule.check([draft])
    return found.reason


@pytest.mark.parametrize(
    "rule", [WELL_FORMED, ANSWER_HIDDEN, MIDDLE_HIDDEN, NOT_CONCATENATED], ids=lambda r: r.name
)
@pytest.mark.parametrize("draft", [GOOD, SAME_OWNER], ids=lambda draft: draft.kind)
def test_good_questions_pass(rule: Rule, draft: Draft) -> None:
    assert rule.check([draft])[0].passed
    assert verdict(rule, draft) == ""


@pytest.mark.parametrize(
    ("text", "reason"),
    [
        ("Mira Tolland plays for which club.", "question mark"),
        ("Which club? Which owner?", "question mark"),
        ("Which club? Tell me the owner.", "question mark"),
        ("Who owns it?", "3 words"),
        (f"Who {'really ' * 100} owns the club?", "more than 90"),
        ("which company owns the club that she plays for?", "capital"),
        ("Which company owns {middle} of Mira Tolland?", '"{" is left over'),
        ("Which company owns None of Mira Tolland?", '"None" is left over'),
        ("Which company owns #1 of Mira Tolland?", '"#1" is left over'),
        ("Which company  owns the club of Mira Tolland?", "blanks"),
        ('Which company owns the "club of Mira Tolland?', "not closed"),
        ("Which company owns the club (of Mira Tolland?", "not closed"),
    ],
)
def test_a_text_that_is_no_question_is_told(text: str, reason: str) -> None:
    assert reason in verdict(WELL_FORMED, replace(GOOD, text=text))


def test_a_question_may_end_in_a_quote() -> None:
    assert verdict(WELL_FORMED, replace(GOOD, text='Who wrote the song "Where is the moon?"')) == ""


@pytest.mark.parametrize(
    ("predicate", "reason"),
    [
        (" ", "hop 2 is empty"),
        ("word " * (MOST_PREDICATE_WORDS + 1), "half a sentence"),
    ],
)
def test_a_predicate_that_no_question_can_use_is_told(predicate: str, reason: str) -> None:
    facts = (GOOD.facts[0], fact(2, "Rovers", predicate, "Halden"))
    assert reason in verdict(WELL_FORMED, replace(GOOD, facts=facts))


@examples("text, reason")
def test_a_verb_that_is_read_with_the_one_before_it_is_told(text: str, reason: str) -> None:
    assert reason in verdict(WELL_FORMED, replace(GOOD, text=text))
    assert bool(reason) is not WELL_FORMED.check([replace(GOOD, text=text)])[0].passed


def test_a_verb_far_behind_its_subject_is_told_of_a_long_chain() -> None:
    text = "When was the player signed by Mira Tolland cleared?"
    long = replace(GOOD, text=text, facts=(*GOOD.facts, fact(3, "Halden", "was cleared on", "1 May 2031")))
    assert "Tolland" in verdict(WELL_FORMED, long)


@examples("text, told")
def test_clauses_that_wait_for_their_verbs_are_told(text: str, told: bool) -> None:
    assert ("waits for its verb" in verdict(WELL_FORMED, replace(GOOD, text=text))) is told


@examples("text, told")
def test_a_missing_fact_that_nobody_would_ask_for_is_told(text: str, told: bool) -> None:
    draft = replace(GOOD, kind="null", text=text, generator=GENERATOR, facts=())
    assert ("is asked of what has none" in verdict(WELL_FORMED, draft)) is told


@examples("predicate, other, kind, told")
def test_a_name_before_a_preposition_is_told_but_for_dates(
    predicate: str, other: str, kind: EntityType, told: bool
) -> None:
    draft = replace(
        GOOD,
        stops=(*GOOD.stops[:2], replace(GOOD.stops[2], type=kind)),
        facts=(GOOD.facts[0], fact(2, "The Rovers", predicate, other)),
    )
    assert ("a name inside" in verdict(WELL_FORMED, draft)) is told


def test_a_chain_that_comes_back_under_another_name_is_told() -> None:
    last = replace(GOOD.facts[1], object="Tolland")
    again = replace(GOOD, facts=(GOOD.facts[0], last))
    assert 'back to "Tolland"' in verdict(NOT_CONCATENATED, again)


@examples("text, named")
def test_an_answer_in_the_question_is_told_under_any_name(text: str, named: str) -> None:
    assert named in verdict(ANSWER_HIDDEN, replace(GOOD, text=text))


def test_an_answer_that_is_the_start_is_told() -> None:
    again = replace(GOOD, text="Who met whom and where was it?", accepted=("The Tolland",))
    assert "same name" in verdict(ANSWER_HIDDEN, again)


def test_a_comparison_may_name_its_answer() -> None:
    which = replace(
        SAME_OWNER, text="Which of Ostby Rovers and Vell Bears is owned by Halden?", answer="Ostby Rovers",
        accepted=("Ostby Rovers",), answer_type="ORG", answered_by="r", hidden=(),
    )  # fmt: skip
    assert verdict(ANSWER_HIDDEN, which) == ""


def test_a_middle_entity_in_the_question_is_told_under_any_name() -> None:
    assert '"the Rovers"' in verdict(
        MIDDLE_HIDDEN, replace(GOOD, text="Which company owns the Rovers of Mira Tolland?")
    )
    assert '"Halden"' in verdict(MIDDLE_HIDDEN, replace(SAME_OWNER, text="Do both belong to Halden?"))


def test_a_shared_surname_gives_nobody_away() -> None:
    father = Stop("f", "Elias Tolland", "PERSON", ("Tolland",))
    draft = replace(
        GOOD,
        text="Which company did the father of Mira Tolland found?",
        stops=(GOOD.stops[0], father, GOOD.stops[2]),
        hidden=father.names,
    )
    assert verdict(MIDDLE_HIDDEN, draft) == ""
    alone = replace(draft, text="Which company did Tolland, the father of Mira Tolland, found?")
    assert '"Tolland"' in verdict(MIDDLE_HIDDEN, alone)
    house = replace(draft, stops=(Stop("t", "Tolland House", "FAC"), *draft.stops[1:]))
    house = replace(house, text="Which company did the owner of Tolland House found?")
    assert '"Tolland"' in verdict(MIDDLE_HIDDEN, house)


@examples("text, tail")
def test_a_second_question_behind_an_and_is_told(text: str, tail: str) -> None:
    assert tail in verdict(NOT_CONCATENATED, replace(GOOD, text=text))
    assert bool(tail) == bool(verdict(NOT_CONCATENATED, replace(GOOD, text=text)))


def test_facts_that_do_not_belong_together_are_told() -> None:
    round_trip = replace(GOOD, stops=(*GOOD.stops[:2], GOOD.stops[0]))
    assert "lead back" in verdict(NOT_CONCATENATED, round_trip)
    twice = replace(GOOD, facts=(GOOD.facts[0], replace(GOOD.facts[0], index=2)))
    assert "same fact" in verdict(NOT_CONCATENATED, twice)
    torn = replace(GOOD, stops=GOOD.stops[:2])
    assert "2 entities" in verdict(NOT_CONCATENATED, torn)
    unlike = replace(SAME_OWNER, facts=(SAME_OWNER.facts[0], fact(2, "Vell Bears", "lost against", "Brandt")))
    assert "neither" in verdict(NOT_CONCATENATED, unlike)


def test_a_bridge_needs_an_entity_that_its_facts_share() -> None:
    bridge = replace(
        GOOD, kind="bridge entity", text="Which club does Mira Tolland play for that Halden owns?"
    )
    assert verdict(NOT_CONCATENATED, bridge) == ""
    apart = replace(bridge, facts=(bridge.facts[0], fact(2, "Vell Bears", "is owned by", "Brandt")))
    assert "share an entity" in verdict(NOT_CONCATENATED, apart)


@pytest.mark.parametrize("text", WORDINGS["ordinary"])
def test_no_rule_on_wording_refuses_the_words_of_a_model(text: str) -> None:
    draft = replace(GOOD, text=text, generator=BY_MODEL)
    assert [verdict(rule, draft) for rule in (WELL_FORMED, NOT_CONCATENATED)] == ["", ""]


@pytest.mark.parametrize("row", WORDINGS["recorded"], ids=lambda row: row["question"][-40:])
def test_no_predicate_costs_a_question_that_a_model_could_word(row: dict[str, object]) -> None:
    names, predicates = row["stops"], row["predicates"]
    assert isinstance(names, list)
    assert isinstance(predicates, list)
    stops = tuple(Stop(f"s{at}", name, "MISC") for at, name in enumerate(names))
    facts = tuple(
        fact(at, names[at - 1], predicate, names[at]) for at, predicate in enumerate(predicates, start=1)
    )
    draft = replace(GOOD, text=str(row["question"]), generator=BY_MODEL, stops=stops, facts=facts)
    assert verdict(WELL_FORMED, draft) == ""


def test_what_a_model_leaves_unfinished_is_refused_all_the_same() -> None:
    draft = replace(GOOD, text="Which company owns {club}?", generator=BY_MODEL)
    assert verdict(WELL_FORMED, draft) == '"{" is left over from a template'
