"""Goal seeking by a scripted model: what it may do, what it does wrong, and how each question ends."""

import json
from collections.abc import Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from services.rag.agents.loop import MOST_REFUSALS
from tests.examples import examples
from tests.scripted_endpoint import Answer, Said, times
from tests.services.rag.agents import world
from tests.services.rag.agents.goal_seeking.scripted_goals import (
    ANSWERED,
    ONE_SEARCH,
    TWO_HOPS,
    actions,
    extracted,
    faults_of,
    in_turn,
    last,
    plan,
    player,
    run,
    step,
    task,
)
from tests.services.rag.agents.world import QUESTION, SIMPLE
from tests.services.rag.scripted_answers import fences


def test_a_plan_is_followed_and_the_goal_achieved(tmp_path: Path) -> None:
    (found,), endpoint = run(tmp_path, player())
    assert (found.text, found.error) == ("Halden Shipping", "")
    assert json.loads(found.steps[0].observation)["steps"][3] == {
        "primitive": "retrieve",
        "text": "$3",
        "k": 2,
    }
    assert [(one.query, one.top_k) for one in found.steps if one.retrieves] == [
        ("club of Mira Tolland", 1),
        ("owner of the Ostby Rovers", 2),
    ]
    assert last(found).thought == "achieved after 1 iteration: the facts tell it"
    assert list(found.prompts) == [
        "goal-plan@3",
        "goal-extract@2",
        "goal-next-query@2",
        "goal-assess@2",
        "answer-question@3",
        "goal-check@3",
    ]
    words = sum(len(text.split()) for request in endpoint.requests for _, text in request.messages)
    assert found.usage.input_tokens == words
    assert found.cost == pytest.approx((words + 2 * found.usage.output_tokens) / 1e6)
    assert not faults_of(found)


def test_texts_of_others_stand_in_fences_of_user_messages(tmp_path: Path) -> None:
    (_,), endpoint = run(tmp_path, player())
    assert not any(QUESTION in request.system for request in endpoint.requests)
    assert all(fences(request)["question"] for request in endpoint.requests)


def test_the_second_plan_knows_what_the_first_brought(tmp_path: Path) -> None:
    verdicts = in_turn(
        {"achieved": False, "reason": "the owner is missing"}, {"achieved": True, "reason": "yes"}
    )
    plans = in_turn(plan(*ONE_SEARCH), TWO_HOPS)
    responder = player(
        plan=lambda *_: next(plans),
        evaluate=lambda *_: next(verdicts),
    )
    (found,), endpoint = run(tmp_path, responder)
    first, second = (fences(one) for one in endpoint.requests if task(one) == "plan")
    assert "queries tried" not in first
    assert second["queries tried"] == "Mira Tolland [everywhere]: 1 passage"
    assert second["facts"] == "Mira Tolland plays for the Ostby Rovers."
    assert last(found).thought.startswith("achieved after 2 iterations")
    assert found.text == "Halden Shipping"


def test_iterations_end_and_the_answer_so_far_is_given(tmp_path: Path) -> None:
    responder = player(evaluate={"achieved": False, "reason": "more is needed"})
    (found,), _ = run(tmp_path, responder, most_iterations=2)
    assert actions(found).count("plan") == 2
    assert actions(found).count("evaluate") == 2
    assert last(found).thought == "stopped after 2 iterations: its iterations are used up"
    assert found.text == "Halden Shipping"


def test_plans_that_bring_nothing_new_are_told_of_and_end_the_seeking(tmp_path: Path) -> None:
    responder = player(
        plan=plan(*ONE_SEARCH, why="her club comes first"),
        evaluate={"achieved": False, "reason": "the owner is missing"},
    )
    (found,), endpoint = run(tmp_path, responder)
    made = [fences(one).get("plans made") for one in endpoint.requests if task(one) == "plan"]
    told = "two-hop inference: her club comes first"
    assert made == [None, f"1. {told}", f"1. {told}\n2. {told} (it brought nothing new)"]
    assert last(found).thought == "stopped after 3 iterations: 2 plans on end brought nothing new"
    assert actions(found)[-2:] == ["synthesize_answer", "answer"]


@pytest.mark.parametrize("wrong", [Said(None, refusal="I can't help with that."), Said("")])
def test_an_answer_that_is_refused_or_empty_is_a_fault_and_the_seeking_goes_on(
    tmp_path: Path, wrong: Said
) -> None:
    given = in_turn(wrong, "Halden Shipping")
    (found,), _ = run(tmp_path, player(answer=lambda *_: next(given)))
    assert faults_of(found)[0] == ("refusal" if wrong.refusal else "malformed call")
    assert last(found).thought.startswith("achieved after 2 iterations")
    assert (found.text, found.error) == ("Halden Shipping", "")


def test_refused_readings_are_counted_and_a_refused_last_answer_is_an_error(tmp_path: Path) -> None:
    no = Said(None, refusal="I can't help with that.")
    (found,), _ = run(tmp_path, player(answer=no))
    assert faults_of(found).count("refusal") == MOST_REFUSALS
    assert faults_of(found)[-1] == "loop"
    assert found.error.startswith("refusal")
    (found,), _ = run(tmp_path / "last", player(plan=plan(*ONE_SEARCH), answer=no), most_iterations=1)
    assert found.error.startswith("refusal")
    assert found.text == ""


def test_a_planner_with_nothing_left_ends_and_what_is_known_is_answered_from(tmp_path: Path) -> None:
    plans = in_turn(plan(*ONE_SEARCH), plan(why="all was tried"))
    (found,), _ = run(
        tmp_path, player(plan=lambda *_: next(plans), evaluate={"achieved": False, "reason": ""})
    )
    assert actions(found)[-2:] == ["synthesize_answer", "answer"]
    assert last(found).thought == "stopped after 1 iteration: all was tried"


def test_a_plan_that_cannot_be_used_is_a_fault_that_the_planner_is_told(tmp_path: Path) -> None:
    plans = in_turn(plan(step("extract_evidence", "x", "$4")), TWO_HOPS)
    (found,), endpoint = run(tmp_path, player(plan=lambda *_: next(plans)))
    assert faults_of(found) == ["malformed call"]
    _, second = (fences(one) for one in endpoint.requests if task(one) == "plan")
    assert "'$4' is no earlier step" in second["what was wrong"]
    assert last(found).thought.startswith("achieved after 2 iterations")


def test_an_unknown_primitive_is_an_unknown_tool(tmp_path: Path) -> None:
    plans = in_turn(plan(step("run_code", "import os")), TWO_HOPS)
    (found,), _ = run(tmp_path, player(plan=lambda *_: next(plans)))
    assert faults_of(found) == ["unknown tool"]
    assert found.text == "Halden Shipping"


def test_plans_that_are_never_usable_end_in_no_answer_and_no_error(tmp_path: Path) -> None:
    (found,), endpoint = run(tmp_path, player(plan="No plan today."), most_iterations=3)
    assert set(faults_of(found)) == {"malformed call"}
    assert last(found).thought.startswith("stopped after 3 iterations")
    assert (found.text, found.error) == ("Insufficient information", "")
    assert {task(one) for one in endpoint.requests} == {"plan"}


def test_a_refused_plan_is_a_refusal(tmp_path: Path) -> None:
    (found,), _ = run(tmp_path, player(), faults=times(MOST_REFUSALS, "refusal"))
    assert faults_of(found)[:MOST_REFUSALS] == ["refusal"] * MOST_REFUSALS
    assert (found.text, found.error) == ("Insufficient information", "")


@examples("fault, kind, before")
def test_an_endpoint_that_fails_is_an_error_of_its_question(
    tmp_path: Path, fault: str, kind: str, before: int
) -> None:
    (found, *_), _ = run(tmp_path, player(), faults=[*[None] * before, fault])  # type: ignore[list-item]
    assert found.error.startswith(f"{kind}: ")
    assert found.text == ""


def test_a_reader_that_writes_no_json_gives_no_evidence_and_is_a_fault(tmp_path: Path) -> None:
    (found,), _ = run(tmp_path, player(extract="There is nothing to see."), most_iterations=1)
    assert set(faults_of(found)) == {"malformed call"}
    assert (found.text, found.error) == ("Insufficient information", "")


def test_evidence_of_a_passage_that_was_not_shown_is_left_out(tmp_path: Path) -> None:
    given = extracted((7, "Halden Shipping owns all."), (1, " "), (1, "Mira plays.\nFor the Rovers."))
    (found,), _ = run(tmp_path, player(extract=given), most_iterations=1)
    read = [one.observation for one in found.steps if one.action == "extract_evidence"]
    assert read[0] == "Mira plays. For the Rovers."


def test_what_passages_do_not_tell_is_evidence_for_all_who_decide(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(world, "CHUNKS", [replace(one, source="The Ostby Post") for one in world.CHUNKS])
    steps = (
        step("retrieve_by_source", "club", sources=["ostby post"]),
        step("extract_evidence", SIMPLE, "$1"),
    )
    end = (step("assess_sufficiency", SIMPLE, "$evidence"), step("synthesize_answer", SIMPLE, "$evidence"))
    plans = in_turn(plan(*steps, *end), plan(why="the source is silent"))
    responder = player(
        plan=lambda *_: next(plans),
        extract=extracted(),
        assess={"enough": True, "missing": []},
        evaluate={"achieved": False, "reason": "no answer"},
    )
    (found,), endpoint = run(tmp_path, responder, questions=(SIMPLE,))
    silent = f"1 passage of The Ostby Post read, none tells: {SIMPLE}"
    assert next(one for one in found.steps if one.action == "extract_evidence").observation == silent
    (assessed,) = (fences(one) for one in endpoint.requests if task(one) == "assess")
    assert assessed["not told"] == silent
    assert assessed["queries tried"] == "club [source The Ostby Post]: 1 passage"
    assert "facts" not in assessed
    _, second = (fences(one) for one in endpoint.requests if task(one) == "plan")
    (evaluated,) = (fences(one) for one in endpoint.requests if task(one) == "evaluate")
    assert second["not told"] == evaluated["not told"] == silent
    assert found.text == "Insufficient information"


def test_an_extraction_knows_the_facts_and_tells_when_things_happened(tmp_path: Path) -> None:
    given = in_turn(extracted((1, "Mira left."), happened="May 2021"), extracted((1, "Halden owns.")))
    (_,), endpoint = run(tmp_path, player(extract=lambda *_: next(given)))
    first, second, *_ = (fences(one) for one in endpoint.requests if task(one) == "extract")
    assert "facts known already" not in first
    assert second["facts known already"] == "Mira left."
    assessed, *_ = (fences(one) for one in endpoint.requests if task(one) == "assess")
    assert assessed["facts"].splitlines()[0].endswith("Mira left. (happened: May 2021)")


def test_a_search_that_was_made_before_is_not_made_again_and_its_chunks_are_at_hand(tmp_path: Path) -> None:
    plans = in_turn(plan(*ONE_SEARCH), plan(*ONE_SEARCH, ANSWERED))
    verdicts = in_turn({"achieved": False, "reason": "no answer"}, {"achieved": True, "reason": "enough"})
    responder = player(plan=lambda *_: next(plans), evaluate=lambda *_: next(verdicts))
    (found,), _ = run(tmp_path, responder)
    assert faults_of(found) == ["repeated query"]
    assert actions(found).count("extract_evidence") == 2


def test_sources_are_found_in_the_corpus_own_spelling_and_shown_to_the_planner(tmp_path: Path) -> None:
    steps = (step("retrieve_by_source", "club", sources=["ostby post"]), step("extract_evidence", "x", "$1"))
    (found,), endpoint = run(tmp_path, player(plan=plan(*steps, ANSWERED)), most_iterations=1)
    (searched,) = [one for one in found.steps if one.retrieves]
    assert searched.filters.sources == ("The Ostby Post",)
    shown = fences(next(one for one in endpoint.requests if task(one) == "plan"))
    assert shown["sources of the collection"].splitlines() == ["Norholm Echo", "The Ostby Post"]


def test_questions_do_not_mix(tmp_path: Path) -> None:
    def planning(_: object, given: Mapping[str, str]) -> Answer:
        return (
            TWO_HOPS
            if given["question"] == QUESTION
            else plan(
                step("retrieve", "The Grey Rope"),
                step("extract_evidence", SIMPLE, "$1"),
                step("synthesize_answer", SIMPLE, "$evidence"),
            )
        )

    found, _ = run(tmp_path, player(plan=planning), questions=(QUESTION, SIMPLE))
    assert [one.text for one in found] == ["Halden Shipping", "Anton Brask"]


def test_extraction_keeps_to_the_budget_of_evidence(tmp_path: Path) -> None:
    steps = (step("retrieve", "Mira Tolland", k=4), step("extract_evidence", QUESTION, "$1"))
    responder = player(plan=plan(*steps, ANSWERED))
    shown = {}
    for tokens in (64, None):
        (_,), endpoint = run(tmp_path, responder, most_iterations=1, evidence_tokens=tokens)
        (extracting,) = [fences(one) for one in endpoint.requests if task(one) == "extract"]
        shown[tokens] = sum(label.startswith("passage") for label in extracting)
    assert 0 < shown[64] < shown[None] == 4
