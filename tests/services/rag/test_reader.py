"""The extractive reader on passages written by hand.

What sources say: nothing without their articles, "Yes" where each says its part.
The reader as a generator: what it makes of sub-questions and their answers.
What a model wrote as a short answer.

Which things a question names, as titles and names of the passages tell.
"""

import random

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.model import EntityType
from services.rag.model_generator import short_answer
from services.rag.protocol import Passage, ReadTask
from services.rag.question_words import weight_of
from services.rag.reader import (
    NO_ANSWER,
    THRESHOLD,
    RulesGenerator,
    names_missing_source,
    read_answer,
    read_on_the_way,
)
from services.rag.sentence_match import Reading, find_thing, find_two_things, fold_name, names_in
from tests.examples import examples
from tests.services.rag.passages import NAMES, passage

PERSON: EntityType = "PERSON"
ORG: EntityType = "ORG"

VALLEY = (
    "Mira Tolland plays for the Ostby Rovers. The Ostby Rovers are based in Kaldmere. "
    "The Corrin Medal was awarded to Mira Tolland on 3 May 1912. The Rovers sold 2,000 tickets. "
    "The Harbour Fair takes place in Kaldmere. Anton Brask wrote The Grey Rope."
)
CHAIN = [
    passage(
        "Mira Tolland plays for the Ostby Rovers. The crowd likes her left foot.",
        1,
        facts=[("Mira Tolland", "plays for", "Ostby Rovers")],
    ),
    passage(
        "The Ostby Rovers are owned by Halden Shipping. Some supporters grumble.",
        2,
        facts=[("Ostby Rovers", "are owned by", "Halden Shipping")],
    ),
    passage(
        "Halden Shipping was founded by Greta Lindqvist. Norholm Cement was founded by Anton Brask.",
        3,
        facts=[
            ("Halden Shipping", "was founded by", "Greta Lindqvist"),
            ("Norholm Cement", "was founded by", "Anton Brask"),
        ],
    ),
]
CHAIN_QUESTION = "Mira Tolland plays for a club that is owned by a company that was founded by which person?"


@examples("question, answer")
def test_what_is_asked_for_is_answered_in_its_type(question: str, answer: str) -> None:
    assert read_answer(question, [passage(VALLEY)]).answer == answer


def test_a_chain_of_facts_is_followed_through_three_passages() -> None:
    found = read_answer(CHAIN_QUESTION, CHAIN)
    assert (found.answer, found.entity, found.chunk) == (
        "Greta Lindqvist",
        "entity-Greta Lindqvist",
        "chunk-3",
    )
    assert THRESHOLD < found.fit < 1


def test_a_description_inside_another_is_followed_from_its_end() -> None:
    question = "Who founded the company that owns the club that Mira Tolland plays for?"
    assert read_answer(question, CHAIN).answer == "Greta Lindqvist"


@pytest.mark.parametrize("missing", [0, 1, 2])
def test_a_chain_that_lacks_a_fact_has_no_answer(missing: int) -> None:
    rest = [one for number, one in enumerate(CHAIN) if number != missing]
    assert read_answer(CHAIN_QUESTION, rest).answer != "Greta Lindqvist"


def test_on_the_way_the_farthest_name_of_any_type_counts() -> None:
    assert read_on_the_way(CHAIN_QUESTION, CHAIN[:1]).answer == "Ostby Rovers"
    assert read_on_the_way(CHAIN_QUESTION, CHAIN[:2]).answer == "Halden Shipping"
    assert read_on_the_way(CHAIN_QUESTION, []) == Reading(NO_ANSWER)


def test_a_name_within_a_longer_one_is_not_named() -> None:
    text = "The Kaldmere Clinic was founded by Anton Brask. Kaldmere is twinned with Ostby."
    names = {**NAMES, "Kaldmere Clinic": ORG}
    facts = [("Kaldmere Clinic", "was founded by", "Anton Brask"), ("Kaldmere", "is twinned with", "Ostby")]
    found = passage(text, names=names, facts=facts)
    assert set(names_in("Who founded the Kaldmere Clinic?", [found])) == {"entity-Kaldmere Clinic"}
    assert read_answer("Who founded the Kaldmere Clinic?", [found]).answer == "Anton Brask"


def test_a_threshold_of_nothing_lets_any_fit_pass() -> None:
    poor = "Who sold the tickets of the Grey Rope to a band of the Harbour Fair on a Sunday?"
    assert read_answer(poor, [passage(VALLEY)]).answer == NO_ANSWER
    assert read_answer(poor, [passage(VALLEY)], threshold=0).answer != NO_ANSWER


def test_it_says_where_it_read_the_answer() -> None:
    other = passage("The band played until the lamps went out.", 1)
    found = read_answer("Where are the Ostby Rovers based?", [other, passage(VALLEY, 2)])
    assert found == Reading(
        "Kaldmere", "entity-Kaldmere", "chunk-2", "The Ostby Rovers are based in Kaldmere."
    )


def test_a_literal_has_no_entity() -> None:
    found = read_answer("When was the Corrin Medal awarded?", [passage(VALLEY)])
    assert (found.answer, found.entity) == ("3 May 1912", "")


@pytest.mark.parametrize(
    ("question", "passages"),
    [
        ("Who plays for the Ostby Rovers?", []),
        ("Who plays for the Ostby Rovers?", [passage("The lamps went out over the empty stand.")]),
        ("Who sleeps on the minutes?", [passage(VALLEY)]),
        ("When are the Ostby Rovers based in Kaldmere?", [passage("The Ostby Rovers are in Kaldmere.")]),
        ("", [passage(VALLEY)]),
    ],
    ids=["no passage", "no name", "no shared word", "nothing of the type", "no question"],
)
def test_it_abstains_where_nothing_fits(question: str, passages: list[Passage]) -> None:
    assert read_answer(question, passages) == Reading(NO_ANSWER)


def test_what_the_question_names_is_no_answer() -> None:
    text = "Mira Tolland met Anton Brask. Mira met a dog."
    names = dict.fromkeys(("Mira Tolland", "Anton Brask", "Mira"), PERSON)
    assert read_answer("Who met Mira Tolland?", [passage(text, names=names)]).answer == "Anton Brask"
    both = "Who met Mira Tolland and Anton Brask?"
    assert read_answer(both, [passage(text, names=names)]).answer == NO_ANSWER


def test_the_first_of_two_equal_passages_counts_more() -> None:
    one = passage("Ana Brel won the prize.", 1, {"Ana Brel": "PERSON"})
    other = passage("Jan Ode won the prize.", 2, {"Jan Ode": "PERSON"})
    assert read_answer("Who won the prize?", [one, other]).answer == "Ana Brel"
    assert read_answer("Who won the prize?", [other, one]).answer == "Jan Ode"


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    text = "The club met Ana Brel. The club met Eva Rust. The club sold Jan Ode. The club met Ida Holm."
    names = dict.fromkeys(("Ana Brel", "Eva Rust", "Jan Ode", "Ida Holm"), PERSON)
    assert read_answer("Who was sold by the club?", [passage(text, names=names)]).answer == "Jan Ode"


def test_a_name_that_is_only_near_does_not_answer_for_another_relation() -> None:
    text = "Mira Tolland met Anton Brask. Greta Lindqvist escorted Mira Tolland."
    seen = [
        passage(
            text,
            facts=[
                ("Mira Tolland", "met", "Anton Brask"),
                ("Greta Lindqvist", "escorted", "Mira Tolland"),
            ],
        )
    ]
    assert read_answer("Who is married to Mira Tolland?", seen).answer == NO_ANSWER
    assert (
        read_answer("Who is married to the person that Greta Lindqvist escorted?", seen).answer == NO_ANSWER
    )
    assert read_answer("Who met the person that Greta Lindqvist escorted?", seen).answer == "Anton Brask"


@examples("question, answer")
def test_a_relation_is_known_from_its_other_end(question: str, answer: str) -> None:
    facts = [
        ("Mira Tolland", "was born in", "Kaldmere"),
        ("Mira Tolland", "plays for", "Ostby Rovers"),
        ("Anton Brask", "works at", "Halden Shipping"),
        ("Halden Shipping", "is located in", "Ostby"),
        ("Mira Tolland", "owns", "Halden Shipping"),
        ("Anton Brask", "left", "Ostby Rovers"),
    ]
    text = " ".join(f"{subject} {predicate} {target}." for subject, predicate, target in facts)
    assert read_answer(question, [passage(text, facts=facts)]).answer == answer


@given(
    st.randoms(use_true_random=False), st.sampled_from(["Who?", "Who plays?", "Where are the Rovers based?"])
)
def test_the_order_of_the_names_in_a_passage_does_not_matter(shuffler: random.Random, question: str) -> None:
    one = passage(VALLEY)
    names = list(one.names)
    shuffler.shuffle(names)
    other = Passage(one.chunk, one.text, one.title, one.source, tuple(names))
    assert read_answer(question, [one]) == read_answer(question, [other])


@given(st.text(max_size=60), st.lists(st.text(max_size=60), max_size=3))
def test_any_text_is_read_without_an_error(question: str, texts: list[str]) -> None:
    passages = [passage(text, i, {"Ana Brel": "PERSON"}) for i, text in enumerate(texts)]
    assert read_answer(question, passages).answer


@given(st.lists(st.floats(0, 10), max_size=12), st.randoms(use_true_random=False))
def test_weights_add_up_to_the_same_in_any_order(weights: list[float], dice: random.Random) -> None:
    """Else two readings that are equally good change places from process to process."""
    shuffled = dice.sample(weights, len(weights))
    assert weight_of(shuffled) == weight_of(weights)


WORLD = [
    passage("Halden Shipping cut ticket prices on every harbour line.", 1, source="The Gazette"),
    passage("Norholm Cement closed two kilns for want of orders in spring.", 2, source="Harbour News"),
]


def test_each_source_says_its_part() -> None:
    question = (
        "Does the Gazette article suggest that Halden Shipping cut its ticket prices, while the Harbour "
        "News report states that Norholm Cement closed kilns for want of orders?"
    )
    reading = read_answer(question, WORLD)
    assert reading.answer == "Yes"
    assert reading.sentence == WORLD[0].text or reading.sentence == WORLD[1].text


@examples("question")
def test_what_a_source_does_not_say_is_left_open(question: str) -> None:
    assert read_answer(question, WORLD).answer == NO_ANSWER


@examples("question, missing")
def test_a_source_without_a_passage_is_missing(question: str, missing: bool) -> None:
    assert names_missing_source(question, WORLD) is missing
    if missing:
        assert read_answer(question, WORLD).answer == NO_ANSWER


def test_passages_without_sources_miss_none() -> None:
    assert not names_missing_source("What did a Reuters report say?", [passage("Nothing.", 1)])


PASSAGES = (
    passage(
        "Greta Lindqvist founded Halden Shipping.",
        1,
        facts=[("Greta Lindqvist", "founded", "Halden Shipping")],
    ),
    passage("Halden Shipping owns the Ostby Rovers.", 2, facts=[("Halden Shipping", "owns", "Ostby Rovers")]),
)
QUESTION = "Who founded the company that owns the Ostby Rovers?"
FIRST = "Which company owns the Ostby Rovers?: Halden Shipping"


def answered(question: str, *notes: str) -> str:
    (found,) = RulesGenerator().answer([ReadTask(question, PASSAGES, notes)])
    return found.text


def test_the_last_sub_question_is_read_when_every_part_has_an_answer() -> None:
    assert answered(QUESTION, FIRST, "Who founded Halden Shipping?: Greta Lindqvist") == "Greta Lindqvist"


def test_a_chain_with_an_unsupported_part_has_no_answer() -> None:
    assert answered(QUESTION, FIRST) == NO_ANSWER


def test_an_intermediate_answer_does_not_stand_in_for_the_question() -> None:
    assert answered(QUESTION, f"{QUESTION}: Halden Shipping") == "Greta Lindqvist"


@examples("question, parts")
def test_parts_that_do_not_wait_for_each_other_are_asked_side_by_side(
    question: str, parts: tuple[str, ...]
) -> None:
    ((found, _),) = RulesGenerator().decompose([question])
    assert found == parts


@examples("written, answer")
def test_what_stands_around_an_answer_goes(written: str, answer: str) -> None:
    assert short_answer(written) == answer


@given(st.text(st.characters(categories=["L", "Nd"]), min_size=1, max_size=30))
def test_a_plain_word_stays_and_quotes_around_it_go(word: str) -> None:
    assert short_answer(word) == word
    assert short_answer(f'"{word}"') == word


def test_json_nested_too_deeply_is_text() -> None:
    deep = '{"a":' * 100_000
    assert short_answer(deep) == deep


FILMS = [
    passage("Hoppet is a 2007 film.", 1, {"Hoppet": "WORK"}, title="Hoppet (film)"),
    passage("Hoppet is a club.", 2, {"Hoppet": "WORK"}, title="Hoppet (club)"),
    passage("It is a 1980 film.", 3, {}, title="Who's Singin' Over There?"),
    passage("Two Fists is a film.", 4, {"Two Fists": "WORK"}, title="Two Fists, One Heart"),
    passage("Mira Tolland chairs Halden Shipping.", 5, title="A day at sea"),
]


@examples("question, two")
def test_the_two_things_of_a_question(question: str, two: tuple[str, str]) -> None:
    found = find_two_things(question, FILMS)
    assert found is not None
    assert (found[0].label, found[1].label) == two


@pytest.mark.parametrize(
    "question", ["Which came first, Ostby or Kaldmere?", "Hoppet or Hoppet?", "Who is Mira Tolland?", ""]
)
def test_two_things_that_passages_do_not_tell_apart_are_none(question: str) -> None:
    assert find_two_things(question, FILMS) is None


def test_brackets_tell_articles_apart_and_can_be_left_out() -> None:
    film, club, either = (
        find_thing(name, FILMS) for name in ("Hoppet (film)", "The Hoppet (Club)", "Hoppet")
    )
    assert film is not None
    assert club is not None
    assert either is not None
    assert [one.chunk for one in film.own] == ["chunk-1"]
    assert [one.chunk for one in club.own] == ["chunk-2"]
    assert [one.chunk for one in either.own] == ["chunk-1", "chunk-2"]
    assert find_thing("Anton Brask", FILMS) is None


@given(st.text(max_size=40))
def test_folding_twice_changes_nothing_but_articles(name: str) -> None:
    words = fold_name(name).split()
    if words[:1] not in (["the"], ["a"], ["an"]):
        assert fold_name(fold_name(name)) == fold_name(name)
    assert fold_name(name) == fold_name(f" {name.upper()} ") or name.upper().casefold() != name.casefold()


@given(st.text(max_size=60))
def test_any_text_is_taken(question: str) -> None:
    find_two_things(question, FILMS)
