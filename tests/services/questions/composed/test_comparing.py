"""What two facts are compared by, and which pairs are left alone."""

from dataclasses import replace

import pytest

from kg.model import EntityType
from services.questions.composed.comparing import Comparison, compare
from services.questions.draft import Stop
from services.questions.kinds.known_facts import KnownFact


def known(
    subject: str, predicate: str, value: str, type_: EntityType = "DATE", of: EntityType = "ORG"
) -> KnownFact:
    return KnownFact(
        triple=f"{subject} {predicate} {value}",
        subject=Stop(subject, subject, of),
        predicate=predicate,
        object=Stop(value, value, type_),
        said_subject=subject,
        said_object=value,
        claim="claim",
        sentence=f"{subject} {predicate} {value}.",
        article=subject,
        title="",
        source="",
        published="",
        chunks=(f"chunk of {subject}",),
        articles=frozenset({subject}),
    )


HALDEN = known("Halden Shipping", "was founded in", "1904")
BRASK = known("Brask Foundry", "was founded in", "May 1931")


def compared(one: KnownFact, other: KnownFact, seed: int = 0) -> Comparison:
    found = compare(one, other, seed)
    assert isinstance(found, Comparison), found
    return found


def test_dates_choose_the_earlier_or_the_later_one_whichever_comes_first() -> None:
    found = [compared(HALDEN, BRASK, seed) for seed in range(40)]
    asked = {one.question.replace("Halden Shipping and Brask Foundry", "A and B") for one in found}
    asked = {text.replace("Brask Foundry and Halden Shipping", "A and B") for text in asked}
    assert asked == {"Which of A and B was founded earlier?", "Which of A and B was founded later?"}
    for one in found:
        earlier = one.question.endswith("earlier?")
        assert one.answer == ("Halden Shipping" if earlier else "Brask Foundry")
        assert one.winner is not None
        assert one.winner.name == one.answer
        assert one.phrase.endswith("that was founded earlier" if earlier else "that was founded later")
        assert not any(name in one.question for name in one.hidden)
    assert [compared(BRASK, HALDEN, seed) for seed in range(40)] == found


def test_other_values_are_the_same_or_not_and_lead_no_further() -> None:
    one = known("Halden Shipping", "is headquartered in", "Ostby", "GPE")
    same = compared(one, known("Brask Foundry", "is headquartered in", "Ostby", "GPE"))
    other = compared(one, known("Brask Foundry", "was headquartered in", "Kaldmere", "GPE"))
    assert (same.answer, same.winner) == ("Yes", None)
    assert (other.answer, other.winner) == ("No", None)
    assert "Ostby" not in same.question
    assert "the same place" in same.question or "the same city" in same.question


@pytest.mark.parametrize(
    ("other", "why"),
    [
        (known("Brask Foundry", "was closed in", "1931"), "ask for different things"),
        (known("Brask Foundry", "was founded in", "Ostby", "GPE"), "date can't be compared"),
        (known("Brask Foundry", "was founded in", "1931", of="PERSON"), "different sorts"),
        (known("Halden Shipping Company", "was founded in", "1931"), "one under two names"),
        (known("Brask Foundry", "was founded in", "5 May 1904"), "not sure"),
        (known("Brask Foundry", "was founded in", "the thirties"), "not sure"),
        (replace(BRASK, chunks=HALDEN.chunks), "one chunk states both"),
    ],
)
def test_what_can_not_be_compared_is_left_alone(other: KnownFact, why: str) -> None:
    found = compare(HALDEN, other, 0)
    assert isinstance(found, str)
    assert why in found


def test_a_party_is_not_compared_with_a_university() -> None:
    one = known("Elva Dorn", "is affiliated with", "Harbour Party", "ORG", of="PERSON")
    other = known("Jonas Riedel", "is affiliated with", "Ostby University", "ORG", of="PERSON")
    assert compare(one, other, 0) == "the two values are of different sorts"
    party = known("Jonas Riedel", "is affiliated with", "Meadow Party", "ORG", of="PERSON")
    assert compared(one, party).answer == "No"


def test_a_person_is_one_who_did_something() -> None:
    one = known("Elva Dorn", "died in", "1904", of="PERSON")
    found = compared(one, known("Jonas Riedel", "died in", "1931", of="PERSON"))
    assert " who died " in found.phrase
