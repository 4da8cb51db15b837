"""What a statement does not bear out is not asked about, nor what leads to one of several."""

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
import yaml

from services.questions.draft import Fact
from services.questions.misreadings import misread
from services.questions.roles import is_no_affiliation
from services.questions.singling_out import is_listed, there_and_back, told_at_once, unspecific
from services.questions.soundness import is_half_a_name, unsound_fact
from tests.examples import examples

BORNE_OUT: list[dict[str, Any]] = yaml.safe_load(
    Path("tests/data/borne_out.yaml").read_text(encoding="utf-8")
)
MISREAD: list[dict[str, Any]] = yaml.safe_load(Path("tests/data/misread.yaml").read_text(encoding="utf-8"))
SINGLED_OUT: list[dict[str, Any]] = yaml.safe_load(
    Path("tests/data/singled_out.yaml").read_text(encoding="utf-8")
)


def fact(case: dict[str, Any]) -> Fact:
    subject, predicate, object_ = case["fact"]
    statement = case.get("statement", f"{subject} {predicate} {object_}.")
    return Fact(
        1, "c", "t", subject, predicate, object_, "a", case.get("sentence", statement),
        reversed=case.get("back", False), statement=statement,
    )  # fmt: skip


@pytest.mark.parametrize("case", BORNE_OUT, ids=lambda case: " ".join(case["fact"]))
def test_what_a_statement_does_not_bear_out_is_told(case: dict[str, Any]) -> None:
    reason = unsound_fact(fact(case), *case["types"])
    assert (reason == "") is case["borne"], reason


@pytest.mark.parametrize("case", MISREAD, ids=lambda case: " ".join(case["fact"]))
def test_what_may_be_read_otherwise_is_told(case: dict[str, Any]) -> None:
    reason = misread(fact(case), *case["types"])
    assert (reason == "") is case["borne"], reason


@pytest.mark.parametrize("case", SINGLED_OUT, ids=lambda case: " ".join(case["fact"]))
def test_a_step_that_many_things_fit_is_told(case: dict[str, Any]) -> None:
    reason = unspecific(fact(case), *case["types"], asked=case["asked"])
    assert (reason == "") is case["only"], reason


@examples("name, half")
def test_half_a_name(name: str, half: bool) -> None:
    assert is_half_a_name(name) is half


@examples("name, statement, no_body")
def test_whom_a_name_shows_as_no_body_nobody_is_affiliated_with(
    name: str, statement: str, no_body: bool
) -> None:
    assert (
        is_no_affiliation(fact({"fact": ["Bo Ek", "is affiliated with", name], "statement": statement}))
        is no_body
    )


def test_an_office_of_the_past_begins_no_chain_backwards() -> None:
    became = fact({"fact": ["Ada Greer", "became nominee of", "Tarn Party"], "back": True})
    assert unspecific(became, "PERSON", "ORG", asked=False, begins=True)
    assert unspecific(became, "PERSON", "ORG", asked=False) == ""


def test_no_chain_leaves_a_thing_as_it_came_to_it() -> None:
    came = fact({"fact": ["Tarn Party", "sought nominations of", "Ada Greer"], "back": True})
    on = fact({"fact": ["Tarn Party", "sought nomination of", "Otto Pell"]})
    assert there_and_back([came, on]) == "sought nominations of"
    assert there_and_back([on, replace(on, subject="Otto Pell", object="Uwe Moll")]) == ""


def test_no_sentence_of_a_chain_leads_from_its_start_to_its_answer() -> None:
    joined = fact({"fact": ["Ada Greer", "fronted", "Tarn Five"]})
    formed = "Tarn Five was formed in 1920 by Ada Greer."
    told = fact({"fact": ["Tarn Five", "was formed in", "1920"], "statement": formed})
    assert formed in told_at_once(["Ada Greer"], ["1920"], [joined, told])
    assert told_at_once(["Otto Pell"], ["1920"], [joined, told]) == ""


def test_a_place_in_a_place_is_no_list() -> None:
    assert not is_listed("Ely", "She was born in Ely, England and died.", chained=True)
    assert is_listed("Ada Greer", "Ada Greer and Otto Pell left.")
    assert not is_listed("Ada Greer", "Ada Greer and Otto Pell left. Ada Greer came back.")
