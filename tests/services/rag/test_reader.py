"""The extractive reader on passages written by hand."""

import random
from collections.abc import Mapping

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.model import EntityType
from services.rag.protocol import Name, Passage
from services.rag.reader import NO_ANSWER, Reading, read_answer

VALLEY = (
    "Mira Tolland plays for the Ostby Rovers. The Ostby Rovers are based in Kaldmere. "
    "The Corrin Medal was awarded to Mira Tolland on 3 May 1912. The Rovers sold 2,000 tickets. "
    "The Harbour Fair takes place in Kaldmere. Anton Brask wrote The Grey Rope."
)
PERSON: EntityType = "PERSON"
NAMES: dict[str, EntityType] = {
    "Mira Tolland": "PERSON",
    "Ostby Rovers": "ORG",
    "Kaldmere": "GPE",
    "Corrin Medal": "MISC",
    "Harbour Fair": "EVENT",
    "Anton Brask": "PERSON",
    "The Grey Rope": "WORK",
}


def passage(text: str, number: int = 1, names: Mapping[str, EntityType] = NAMES) -> Passage:
    """A chunk with those of the names that stand in it."""
    found = tuple(
        Name(name, name, kind, f"entity-{name}") for name, kind in sorted(names.items()) if name in text
    )
    return Passage(f"chunk-{number}", text, "A title", "", found)


@pytest.mark.parametrize(
    ("question", "answer"),
    [
        ("Who plays for the Ostby Rovers?", "Mira Tolland"),
        ("Which person plays for the Ostby Rovers?", "Mira Tolland"),
        ("Mira Tolland plays for which club?", "Ostby Rovers"),
        ("Mira Tolland plays for which organisation?", "Ostby Rovers"),
        ("Where are the Ostby Rovers based?", "Kaldmere"),
        ("The Ostby Rovers are based in which place?", "Kaldmere"),
        ("When was the Corrin Medal awarded?", "3 May 1912"),
        ("The Corrin Medal was awarded on which date?", "3 May 1912"),
        ("How many tickets did the Rovers sell?", "2,000 tickets"),
        ("Which event takes place in Kaldmere?", "Harbour Fair"),
        ("Anton Brask wrote which work?", "The Grey Rope"),
        ("The Grey Rope was written by a person who is which person?", "Anton Brask"),
    ],
)
def test_what_is_asked_for_is_answered_in_its_type(question: str, answer: str) -> None:
    assert read_answer(question, [passage(VALLEY)]).answer == answer


def test_the_clause_asked_last_decides() -> None:
    question = "Mira Tolland plays for an organisation that is based in which place?"
    assert read_answer(question, [passage(VALLEY)]).answer == "Kaldmere"


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
    one = passage("The prize went to Ana Brel.", 1, {"Ana Brel": "PERSON"})
    other = passage("The prize went to Jan Ode.", 2, {"Jan Ode": "PERSON"})
    assert read_answer("Who got the prize?", [one, other]).answer == "Ana Brel"
    assert read_answer("Who got the prize?", [other, one]).answer == "Jan Ode"


def test_a_rare_word_counts_more_than_a_common_one() -> None:
    text = "The club met Ana Brel. The club met Eva Rust. The club sold Jan Ode. The club met Ida Holm."
    names = dict.fromkeys(("Ana Brel", "Eva Rust", "Jan Ode", "Ida Holm"), PERSON)
    assert read_answer("Who was sold by the club?", [passage(text, names=names)]).answer == "Jan Ode"


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
