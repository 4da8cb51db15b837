"""Chain questions over predicates as the extractor writes them."""

import re
from collections.abc import Sequence
from dataclasses import replace

from hypothesis import given
from hypothesis import strategies as st

from kg.model import EntityType
from services.questions.draft import Fact, Stop
from services.questions.wording.chain import (
    chain_question,
    described,
    event_clause,
    order_question,
    relation_question,
    same_object_question,
)
from services.rag.decompose_rules import decompose
from tests.examples import examples, read_examples

Hop = tuple[str, str, EntityType]
"""Predicate, name and type of what it leads to."""


def chain(start: str, *hops: Hop, kind: EntityType = "ORG") -> tuple[list[Stop], list[Fact]]:
    stops = [Stop("0", start, kind)]
    facts = []
    for index, (predicate, name, type_) in enumerate(hops, 1):
        facts.append(Fact(index, "", "", stops[-1].name, predicate, name, "", ""))
        stops.append(Stop(str(index), name, type_))
    return stops, facts


def asked(start: str, *hops: Hop, kind: EntityType = "ORG") -> str:
    return chain_question(*chain(start, *hops, kind=kind))


@examples("start, hops, question")
def test_worked_examples(start: str, hops: Sequence[Hop], question: str) -> None:
    assert asked(start, *hops) == question


@examples("predicate, name, kind, question")
def test_the_last_fact_is_asked_in_the_form_that_its_predicate_needs(
    predicate: str, name: str, kind: EntityType, question: str
) -> None:
    assert asked("Acme", (predicate, name, kind), kind="MISC") == question


def test_a_fact_that_is_walked_backwards_is_worded_from_its_object() -> None:
    stops = [
        Stop("a", "Dunmarrow", "GPE"),
        Stop("b", "Lorrimer Clinic", "ORG"),
        Stop("c", "Amara Quillan", "PERSON"),
    ]
    facts = [
        Fact(1, "", "", "Lorrimer Clinic", "is located in", "Dunmarrow", "", "", reversed=True),
        Fact(2, "", "", "Amara Quillan", "directs", "Lorrimer Clinic", "", "", reversed=True),
    ]
    assert chain_question(stops, facts) == "Who directs the clinic located in Dunmarrow?"
    assert described(stops, facts) == "the person who directs the clinic located in Dunmarrow"


def test_a_noun_is_left_out_where_it_would_name_an_entity_on_the_way() -> None:
    stops, facts = chain("Ann Bell", ("leads", "Comet Dome", "ORG"), ("is located in", "Rell", "GPE"))
    assert chain_question(stops, facts) == "Where is the stadium that Ann Bell leads?"
    named = Stop("1", "Comet Dome", "ORG", aliases=("Stadium",))
    assert "stadium" not in chain_question([stops[0], named, stops[2]], facts)


def test_the_article_of_a_name_is_taken_from_the_sentence() -> None:
    stops, facts = chain("Forge", ("owns", "Rell Hotel", "ORG"))
    said = [Fact(1, "", "", "Forge", "owns", "Rell Hotel", "", "Since 2030 the Forge has owned a hotel.")]
    assert chain_question(stops, facts) == "Which hotel does Forge own?"
    assert chain_question(stops, said) == "Which hotel does the Forge own?"
    hills, facts = chain("Rell Hills", ("is located in", "Ostrel", "GPE"), kind="GPE")
    assert "the Rell Hills" in chain_question(hills, facts)
    assert "the" not in chain_question(hills, [replace(facts[0], sentence="He lives in Rell Hills, Ostrel.")])
    houses, facts = chain("Glass Houses", ("was released by", "Ann Bell", "PERSON"))
    assert "the Glass Houses" in chain_question(houses, facts)
    assert "the" not in chain_question([replace(houses[0], type="WORK"), *houses[1:]], facts).split()


def test_schools_are_attended_by_pupils_and_churches_by_others() -> None:
    hops: list[Hop] = [("is mother of", "Carl Tamm", "PERSON")]
    school = asked("Ann Bell", *hops, ("was educated at", "Rell College", "ORG"), kind="PERSON")
    church = asked("Ann Bell", *hops, ("was educated at", "Rell Church", "ORG"), kind="PERSON")
    assert school == "Which college was attended by the person whose mother is Ann Bell?"
    assert church == "At which church was the person whose mother is Ann Bell educated?"


def test_the_same_verb_never_stands_twice_in_a_row() -> None:
    text = asked("Drug Agency", ("approved", "Velimab", "GPE"), ("was approved on", "1 May 2031", "DATE"))
    assert text == "When was the approval of the product approved by the Drug Agency?"


PREDICATES = (
    """
leads; owns; was founded by; is governed by; is located in; was born in; studied at; plays for; is
married to; was named after; was tested at; gave medal to; gave scholarship to; lies in; owns stake in;
forged frame of; drew plans of; has ordered doses of; took image of; took charge of; raised money for;
has sent team to; flows into; rises in; was launched from; is derived from; is daughter of; is capital
of; became president of; is investigating; has recalled; will buy; trained engineers of; carries camera
by; approved barrage by; tried to wave; is headquartered in; compete in; are owned by; was operated at;
breeds in; attended launch of; is patrolled by; named hall after; reported harm from; works at; won; is
largest shareholder of; provides cover for
""".replace("\n", " ")
    .strip()
    .split("; ")
)
NAMES = (
    """
Velimab; Port Averell; Isle of Tavisk; Northern Fever Institute; Ann Bell; Kittiwake 2; Brannock Bay;
Ministry of Health; Tour of the Marches; Averell Mariners; Rell; Quorran Sports; St Brannoc Hospital
""".replace("\n", " ")
    .strip()
    .split("; ")
)
TYPES: list[EntityType] = ["PERSON", "ORG", "GPE", "LOC", "FAC", "MISC", "WORK", "EVENT", "NORP", "PRODUCT"]


@st.composite
def chains(draw: st.DrawFn) -> tuple[list[Stop], list[Fact]]:
    hops = draw(st.integers(1, 5))
    names = draw(st.lists(st.sampled_from(NAMES), min_size=hops + 1, max_size=hops + 1, unique=True))
    types = draw(st.lists(st.sampled_from(TYPES), min_size=hops + 1, max_size=hops + 1))
    predicates = draw(st.lists(st.sampled_from(PREDICATES), min_size=hops, max_size=hops))
    backwards = draw(st.lists(st.booleans(), min_size=hops, max_size=hops))
    stops = [Stop(str(at), name, kind) for at, (name, kind) in enumerate(zip(names, types, strict=True))]
    facts = [
        Fact(at + 1, "", "", names[at + back], predicate, names[at + 1 - back], "", "", reversed=back)
        for at, (predicate, back) in enumerate(zip(predicates, backwards, strict=True))
    ]
    return stops, facts


@given(chains())
def test_every_chain_gives_one_question_that_names_its_start_and_nothing_else(
    made: tuple[list[Stop], list[Fact]],
) -> None:
    stops, facts = made
    text = chain_question(stops, facts)
    assert text.endswith("?") and text.count("?") == 1
    assert text[0].isupper() and text == " ".join(text.split())
    assert re.search(rf"(?<!\w){re.escape(stops[0].name)}(?!\w)", text)
    assert not [stop.name for stop in stops[1:] if re.search(rf"(?<!\w){re.escape(stop.name)}(?!\w)", text)]
    assert text == chain_question(stops, facts)


@given(chains())
def test_every_chain_question_is_taken_apart_into_its_hops(made: tuple[list[Stop], list[Fact]]) -> None:
    stops, facts = made
    parts = decompose(chain_question(stops, facts))
    assert len(parts) == len(facts)
    assert stops[0].name in parts[0]
    for number, part in enumerate(parts[1:], 1):
        assert re.findall(r"#(\d+)", part) == [str(number)]


WORDS: list[str] = list(read_examples("services/questions/wording/chain")["words"])


@given(st.lists(st.lists(st.sampled_from([*WORDS, "\u2014", "(", "12"]), max_size=6), min_size=1, max_size=3))
def test_a_predicate_that_no_rule_knows_still_gives_a_question(predicates: list[list[str]]) -> None:
    hops: list[Hop] = [(" ".join(words), f"Rell {at}", "MISC") for at, words in enumerate(predicates)]
    text = asked("Ann Bell", *hops)
    assert text.endswith("?") and "Ann Bell" in text


@examples("subject, predicate, name, kind, question")
def test_a_single_fact_is_asked_for_its_object(
    subject: str, predicate: str, name: str, kind: EntityType, question: str
) -> None:
    assert relation_question(subject, predicate, Stop("s", name, kind)) == question


@examples("predicate, noun, question")
def test_two_are_asked_whether_they_share_an_object(predicate: str, noun: str, question: str) -> None:
    assert same_object_question("Acme", "Health Board", predicate, noun) == question


@examples("subject, predicate, object, clause")
def test_a_fact_becomes_a_clause(subject: str, predicate: str, object: str, clause: str) -> None:  # noqa: A002
    assert event_clause(subject, predicate, object) == clause


@examples("first, second, question")
def test_two_events_are_asked_for_their_order(first: str, second: str, question: str) -> None:
    assert order_question(first, second) == question
