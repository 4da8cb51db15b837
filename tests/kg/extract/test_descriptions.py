"""Descriptions as ends of facts: which thing is meant, and in which words.

What a statement puts as duty, plan or somebody's word, and a model left out.
"""

import pytest

from kg.extract.model_phrases import (
    ONE_OF_SEVERAL,
    SAID_BY,
    UNTOLD_OBJECT,
    UNTOLD_SUBJECT,
    as_stated,
    as_written,
    completed,
    names_one,
    untold,
    whole_descriptions,
    with_mood,
)
from kg.model import EntityType, Triple
from tests.examples import examples


def triple(subject: str, predicate: str, target: str, kind: EntityType = "CONCEPT") -> Triple:
    """A fact about a description, with a name as its object unless the subject has a capital."""
    if subject[:1].isupper():
        return Triple(subject, predicate, target, "ORG", kind)
    return Triple(subject, predicate, target, kind, "ORG")


@examples("description, is_told")
def test_a_count_and_an_age_name_nothing(description: str, is_told: bool) -> None:
    assert names_one(description) == is_told


@pytest.mark.parametrize(
    ("claim", "subject", "target", "reason"),
    [
        ("A woman was rescued from Tarn Hall.", "woman", "Tarn Hall", UNTOLD_SUBJECT),
        ("A 25-year-old man was held in Tarn.", "25-year-old man", "Tarn", UNTOLD_SUBJECT),
        ("The fire reached Tarn.", "fire", "Tarn", UNTOLD_SUBJECT),
        ("Oda Wexler's brother left Tarn.", "brother", "Tarn", UNTOLD_SUBJECT),
        ("The death of the keeper shook Tarn.", "death of the keeper", "Tarn", UNTOLD_SUBJECT),
        ("The Alva Board left the crash site.", "Alva Board", "crash site", UNTOLD_OBJECT),
        ("The Alva Board hid one of the two lamps.", "Alva Board", "one of the two lamps", ONE_OF_SEVERAL),
        ("School closures hit Tarn.", "School closures", "Tarn", ""),
        ("Fines for speeding hit Tarn.", "Fines for speeding", "Tarn", ""),
        ("A barge full of coal with a leak sank in Tarn.", "barge with a leak", "Tarn", ""),
        ("The fire at Tarn Hall hurt Oda Wexler.", "fire at Tarn Hall", "Oda Wexler", ""),
        ("The Alva Board built a wall.", "Alva Board", "wall", ""),
        ("The Alva Board left its office.", "Alva Board", "office", ""),
        ("The Alva Board opposed the closure of mines.", "Alva Board", "closure of mines", ""),
    ],
)
def test_what_only_its_sentence_tells_apart_is_no_end(
    claim: str, subject: str, target: str, reason: str
) -> None:
    kinds: tuple[EntityType, EntityType] = ("CONCEPT", "ORG") if target[0].isupper() else ("ORG", "CONCEPT")
    assert untold(Triple(subject, "did", target, *kinds), claim) == reason


def test_what_something_is_may_be_told_with_the() -> None:
    claim = "Oda Wexler was the keeper and one of the first in Tarn."
    assert untold(triple("Oda Wexler", "was", "keeper"), claim) == ""
    assert untold(triple("Oda Wexler", "was", "one of the first"), claim) == ""


KNOWN = whole_descriptions(
    [
        ("fire at Tarn Hall", "EVENT"),
        ("Averell vote", "EVENT"),
        ("barge of Oda Wexler", "CONCEPT"),
        ("barge of Ivo Brandt", "CONCEPT"),
        ("lamp in the hall", "CONCEPT"),
        ("Tarn Hall", "FAC"),
        ("man from Tarn", "PERSON"),
    ]
)


@examples("claim, subject, whole")
def test_a_description_is_made_whole_by_the_one_longer_end(claim: str, subject: str, whole: str) -> None:
    found = completed(triple(subject, "reached", "Kald Foods"), claim, KNOWN)
    assert found.subject == whole
    assert found.subject_type == KNOWN.get(whole, "CONCEPT")


def test_no_end_gets_the_other_end_s_name_into_it() -> None:
    given = triple("fire", "broke out at", "Tarn Hall")
    assert completed(given, "The fire broke out at Tarn Hall.", KNOWN) == given
    found = completed(triple("Kald Foods", "survived", "fire"), "Kald Foods survived the fire.", KNOWN)
    assert (found.object, found.object_type) == ("fire at Tarn Hall", "EVENT")


@examples("claim, name, wanted")
def test_a_description_stands_as_its_claim_has_it(claim: str, name: str, wanted: str) -> None:
    assert as_written(name, claim) == wanted


@examples("claim, predicate, wanted")
def test_a_duty_and_a_plan_stay_what_they_are(claim: str, predicate: str, wanted: str) -> None:
    assert with_mood(predicate, claim) == wanted


def test_what_is_denied_did_fail_already() -> None:
    claim = "Kald Foods failed to open in Verrin."
    assert with_mood("opened in", claim, negated=True) == "opened in"


NAMED = ("Ivo Brandt", "Tarn", "Kald Foods", "Verrin")


@examples("claim, predicate, source")
def test_what_is_to_come_is_the_word_of_who_announces_it(claim: str, predicate: str, source: str) -> None:
    found = as_stated(Triple("Kald Foods", predicate, "Verrin", "ORG", "GPE"), claim, NAMED)
    assert isinstance(found, Triple)
    assert found.attributed_to == source


def test_a_given_source_stays() -> None:
    given = Triple("Kald Foods", "would open in", "Verrin", "ORG", "GPE", attributed_to="Tarn")
    claim = "Ivo Brandt announced that Kald Foods would open in Verrin, Tarn says."
    assert as_stated(given, claim, NAMED) == given


def test_who_says_it_is_no_agent() -> None:
    claim = "Ivo Brandt said that lamps must be kept in Verrin."
    given = Triple("Kald Foods", "was said to be kept by", "Ivo Brandt", "ORG", "PERSON")
    assert as_stated(given, claim, NAMED) == SAID_BY
