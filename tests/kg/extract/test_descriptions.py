"""Descriptions as ends of facts: which thing is meant, and in which words."""

import pytest

from kg.extract.model_phrases import (
    ONE_OF_SEVERAL,
    UNTOLD_OBJECT,
    UNTOLD_SUBJECT,
    as_written,
    completed,
    names_one,
    untold,
    whole_descriptions,
)
from kg.model import EntityType, Triple


def triple(subject: str, predicate: str, target: str, kind: EntityType = "CONCEPT") -> Triple:
    """A fact about a description, with a name as its object unless the subject has a capital."""
    if subject[:1].isupper():
        return Triple(subject, predicate, target, "ORG", kind)
    return Triple(subject, predicate, target, kind, "ORG")


@pytest.mark.parametrize(
    ("description", "is_told"),
    [
        ("fire at Tarn Hall", True),
        ("magnitude 5 quake", True),
        ("2031 vote", True),
        ("Norwegian jet", True),
        ("Wexler's barge", True),
        ("fire", False),
        ("25-year-old man", False),
        ("18 year old keeper", False),
        ("three keepers", False),
        ("36 injured people", False),
        ("Fire", False),
    ],
)
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


@pytest.mark.parametrize(
    ("claim", "subject", "whole"),
    [
        ("The fire reached Kald Foods.", "fire", "fire at Tarn Hall"),
        ("A fire at Tarn Hall reached Kald Foods.", "fire", "fire at Tarn Hall"),
        ("The vote shook Kald Foods.", "vote", "Averell vote"),
        ("A fire reached Kald Foods.", "fire", "fire"),
        ("The fire in Brinmoor reached Kald Foods.", "fire", "fire"),
        ("The barge rammed Kald Foods.", "barge", "barge"),
        ("The lamp lit Kald Foods.", "lamp", "lamp"),
        ("The hall faces Kald Foods.", "hall", "hall"),
        ("The man left Kald Foods.", "man", "man"),
        ("The fire crew left Kald Foods.", "fire crew", "fire crew"),
    ],
)
def test_a_description_is_made_whole_by_the_one_longer_end(claim: str, subject: str, whole: str) -> None:
    found = completed(triple(subject, "reached", "Kald Foods"), claim, KNOWN)
    assert found.subject == whole
    assert found.subject_type == KNOWN.get(whole, "CONCEPT")


def test_no_end_gets_the_other_end_s_name_into_it() -> None:
    given = triple("fire", "broke out at", "Tarn Hall")
    assert completed(given, "The fire broke out at Tarn Hall.", KNOWN) == given
    found = completed(triple("Kald Foods", "survived", "fire"), "Kald Foods survived the fire.", KNOWN)
    assert (found.object, found.object_type) == ("fire at Tarn Hall", "EVENT")


@pytest.mark.parametrize(
    ("claim", "name", "wanted"),
    [
        ("Kald Foods hired 3 divers.", "divers", "3 divers"),
        ("Kald Foods hired twenty-five divers.", "divers", "twenty-five divers"),
        ("Several thousand divers met Kald Foods.", "divers", "Several thousand divers"),
        ("Kald Foods hired 1,200 divers.", "divers", "1,200 divers"),
        ("Kald Foods hired 3 divers, and the divers left.", "divers", "divers"),
        ("Kald Foods hired divers in 2031.", "divers", "divers"),
        ("Kald Foods hired 3 old divers.", "divers", "divers"),
        ("Kald Foods hired 3 divers.", "diver", "3 divers"),
        ("Kald Foods left its ferries.", "ferry", "ferries"),
        ("Kald Foods hired a diver.", "divers", "diver"),
        ("Kald Foods hired nobody.", "divers", "divers"),
    ],
)
def test_a_description_stands_as_its_claim_has_it(claim: str, name: str, wanted: str) -> None:
    assert as_written(name, claim) == wanted
