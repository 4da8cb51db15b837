"""Which facts rules ask about: whole ones that are sure enough, never crime, sex or a rumoured illness."""

from pathlib import Path

import pytest
import yaml

from kg.model import EntityType
from services.questions import checkable
from services.questions.checkable import (
    confidence,
    features,
    incomplete,
    refusal,
)
from services.questions.draft import Fact
from services.questions.never_asked import unaskable
from tests.examples import examples

CASES = yaml.safe_load(Path("tests/data/never_asked.yaml").read_text(encoding="utf-8"))


def fact(subject: str, predicate: str, object_: str, statement: str) -> Fact:
    return Fact(1, "claim", "triple", subject, predicate, object_, "article", statement, statement=statement)


@pytest.mark.parametrize(("predicate", "statement"), CASES["never"])
def test_of_crime_sex_and_rumoured_illness_nothing_is_asked(predicate: str, statement: str) -> None:
    assert unaskable(predicate, statement).startswith(f'"{predicate}" tells of ')


@pytest.mark.parametrize(("predicate", "statement"), CASES["allowed"])
def test_what_is_settled_or_stated_outright_may_be_asked(predicate: str, statement: str) -> None:
    assert unaskable(predicate, statement) == ""


@examples("subject, predicate, object_, statement, lacks")
def test_a_fact_that_leaves_out_what_it_needs_is_told(
    subject: str, predicate: str, object_: str, statement: str, lacks: bool
) -> None:
    assert bool(incomplete(fact(subject, predicate, object_, statement))) is lacks


@examples("predicate, asked")
def test_what_is_only_claimed_meant_or_expected_is_not_asked(predicate: str, asked: bool) -> None:
    one = fact("Tarn Post", predicate, "Ostrel Mill", f"The Tarn Post {predicate} the Ostrel Mill.")
    assert (refusal(one, "ORG", "ORG") == "") is asked


@examples("subject, subject_type, predicate, object_, object_type, statement")
def test_what_rules_never_ask_of_a_work_or_a_name(
    subject: str,
    subject_type: EntityType,
    predicate: str,
    object_: str,
    object_type: EntityType,
    statement: str,
) -> None:
    assert refusal(fact(subject, predicate, object_, statement), subject_type, object_type)
    assert not refusal(fact(subject, "was praised by", object_, statement), "PERSON", object_type)


def test_a_whole_fact_is_surer_than_one_that_is_cut() -> None:
    whole = fact("Ada Greer", "is governor of", "Ostrel", "Ada Greer is governor of Ostrel.")
    cut = fact("Eastern District", "had", "Ostrel", "The Eastern District of Tarn had, then, Ostrel.")
    assert confidence(whole, "PERSON", "GPE") > checkable.LEAST_CONFIDENCE > confidence(cut, "MISC", "GPE")


def test_every_feature_has_a_weight_and_lies_between_0_and_1() -> None:
    seen = features(fact("Ada Greer", "met", "Otto Pell", "Ada Greer met Otto Pell."), "PERSON", "PERSON")
    _, weights = checkable._weights()
    assert seen.keys() == weights.keys()
    assert all(0 <= value <= 3 for value in seen.values())
