"""Plans are data: what a planner writes is checked step by step, and the patterns pass every check."""

import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from services.rag.agents.goal_seeking.patterns import (
    PATTERNS,
    Part,
    PatternName,
    fill_pattern,
    most_parts,
    pattern_lines,
)
from services.rag.agents.goal_seeking.plans import (
    MOST_STEPS,
    PlanError,
    PlanStep,
    SearchPlan,
    check_plan,
    parse_plan,
    plan_text,
    references,
    with_words,
)
from services.rag.agents.goal_seeking.primitives import PRIMITIVES, RETRIEVING
from services.rag.protocol import Filters
from tests.examples import examples
from tests.services.rag.agents.goal_seeking.scripted_goals import TWO_HOPS, plan, step

REPORT = Filters(sources=("The Ostby Post",), since="2021-03-05", until="2021-03-05")
QUESTION = "Who raised $5 million for {question} and {part}?"


def test_there_are_ten_primitives_and_seven_patterns() -> None:
    assert len(PRIMITIVES) == 10
    assert len(PATTERNS) == 7
    assert set(RETRIEVING) < set(PRIMITIVES)


def test_no_two_patterns_take_the_same_steps() -> None:
    """The steps by their first letters, of as few parts as a pattern is for, and of any number that fits."""
    letters = dict.fromkeys(RETRIEVING, "R") | {
        "extract_evidence": "E",
        "identify_entities": "I",
        "generate_next_query": "N",
        "combine_contexts": "C",
        "assess_sufficiency": "A",
        "synthesize_answer": "S",
    }

    def steps(name: PatternName, parts: int) -> str:
        made = fill_pattern(name, "Q?", [Part("Q?")] * parts)
        assert made.pattern == name
        return "".join(letters[one.primitive] for one in made.steps)

    assert {name: steps(name, one.least) for name, one in PATTERNS.items()} == {
        "two-hop inference": "RENREAS",
        "source comparison": "REREAS",
        "single retrieval with check": "REAS",
        "consistency comparison": "RERECEAS",
        "entities across sources": "REIREIAS",
        "comparison over time": "RREEAS",
        "yes or no over time": "REAREAAS",
    }
    every = [
        steps(name, parts)
        for name, one in PATTERNS.items()
        for parts in range(one.least, most_parts(name, MOST_STEPS) + 1)
    ]
    assert len(set(every)) == len(every)


def test_a_comparison_of_one_side_is_a_single_retrieval() -> None:
    part = Part("Q?", REPORT)
    for name in PATTERNS.keys() - {"two-hop inference"}:
        assert fill_pattern(name, "Q?", [part]) == fill_pattern("single retrieval with check", "Q?", [part])


def test_days_are_read_in_their_order_and_sides_are_compared_alone() -> None:
    late, early = (Part(f"on {day}", Filters(since=day, until=day)) for day in ("2022-05-06", "2021-03-05"))
    over_time = fill_pattern("comparison over time", "Q?", [late, early]).steps
    assert [(one.since, one.text, one.inputs) for one in over_time[:4]] == [
        ("2021-03-05", "on 2021-03-05", ()),
        ("2022-05-06", "on 2022-05-06", ()),
        ("", "on 2021-03-05", ("$1",)),
        ("", "on 2022-05-06", ("$2",)),
    ]
    assert [one.inputs for one in fill_pattern("yes or no over time", "Q?", [early, late]).steps[-2:]] == [
        ("$2", "$5"),
        ("$2", "$5"),
    ]
    assert [one.inputs for one in fill_pattern("consistency comparison", "Q?", [early, late]).steps[4:6]] == [
        ("$1", "$3"),
        ("$5",),
    ]


@pytest.mark.parametrize("name", list(PATTERNS))
def test_a_pattern_makes_a_plan_that_passes_for_as_many_parts_as_it_has_room_for(name: PatternName) -> None:
    room = most_parts(name, MOST_STEPS)
    for count in range(room + 1):
        made = fill_pattern(name, QUESTION, [Part(QUESTION, REPORT)] * count)
        check_plan(made.steps)
        assert len(made.steps) <= MOST_STEPS
        assert parse_plan(json.loads(plan_text(made))) == made
    over = fill_pattern(name, QUESTION, [Part(QUESTION)] * (room + 1))
    assert len(over.steps) > MOST_STEPS or room == PATTERNS[name].most


def test_two_hops_are_asked_one_after_the_other() -> None:
    made = fill_pattern("two-hop inference", "Who owns the club?", [Part("Which club?")])
    assert [(one.primitive, one.text, one.inputs) for one in made.steps[:5]] == [
        ("retrieve", "Which club?", ()),
        ("extract_evidence", "Which club?", ("$1",)),
        ("generate_next_query", "Who owns the club?", ("$evidence",)),
        ("retrieve", "$3", ()),
        ("extract_evidence", "$3", ("$4",)),
    ]


@examples("filters, primitive")
def test_the_filters_of_a_part_say_which_retrieval_it_is(filters: dict[str, Any], primitive: str) -> None:
    made = fill_pattern("source comparison", "Q?", [Part("Q?", Filters(**filters))])
    assert made.steps[0].primitive == primitive
    check_plan(made.steps)


def test_the_examples_that_a_model_sees_follow_the_rules() -> None:
    lines = [line for line in pattern_lines().splitlines() if line.startswith("{")]
    assert len(lines) == len(PATTERNS) + 1
    for line in lines:
        assert parse_plan(json.loads(line)).steps


@pytest.mark.parametrize(
    ("steps", "complaint"),
    [
        ([step("retrieve")], "step 1, retrieve: it needs a text"),
        ([step("retrieve_by_source", "x")], "it needs sources"),
        ([step("retrieve_by_category", "x")], "it needs a category"),
        ([step("retrieve_filtered", "x")], "it needs a source, a category or a date"),
        ([step("retrieve_filtered", "x", since="last week")], "'last week' is no date"),
        ([step("retrieve_filtered", "x", since="2021-02-30")], "is no date"),
        ([step("extract_evidence", "x")], "it needs inputs"),
        ([step("extract_evidence", "x", "$1")], "'\\$1' is no earlier step"),
        ([step("extract_evidence", "x", "$evidence")], "gives evidence, and it takes documents"),
        ([step("retrieve", "x"), step("retrieve", "$1")], "step 2, retrieve: \\$1 gives nothing"),
        ([step("retrieve", "x"), step("retrieve", "{$2}?")], "'\\$2' is no earlier step"),
        ([step("retrieve", "x"), step("synthesize_answer", "x", "$1")], "gives documents"),
        ([step("retrieve", "x", "$0")], "is no earlier step"),
        ([step("retrieve", "x")] * 13, "steps"),
        ([{"text": "x"}], "'primitive' is a required property"),
        ([step("retrieve", "x", k="many")], "is not of type 'integer'"),
        ([step("retrieve", "x", code="import os")], "Additional properties"),
    ],
)
def test_a_plan_that_breaks_a_rule_is_refused_with_the_reason(
    steps: list[dict[str, Any]], complaint: str
) -> None:
    with pytest.raises(PlanError, match=complaint) as caught:
        parse_plan(plan(*steps))
    assert caught.value.kind == "malformed call"


def test_a_primitive_that_there_is_none_of_is_an_unknown_tool() -> None:
    with pytest.raises(PlanError, match="there is no primitive 'delete_everything'") as caught:
        parse_plan(plan(step("delete_everything", "x")))
    assert caught.value.kind == "unknown tool"


def test_a_plan_without_steps_is_a_plan() -> None:
    assert parse_plan({"steps": [], "why": "nothing is left"}) == SearchPlan("", "nothing is left", ())


def test_how_many_chunks_are_wanted_is_bounded() -> None:
    made = parse_plan(plan(step("retrieve", "x", k=900), step("retrieve", "y", k=-3), step("retrieve", "z")))
    assert [one.k for one in made.steps] == [20, 0, 0]


def test_sums_of_money_are_no_variables() -> None:
    text = "Who raised $5 million, or $12, for {$2}?"
    assert references(text) == [2]
    assert with_words(text, lambda number: f"<{number}> $3") == "Who raised $5 million, or $12, for <2> $3?"
    assert references(" $3 ") == [3]


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.text(max_size=8) | st.sampled_from(["$1", "retrieve"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=8), inner, max_size=3),
    max_leaves=8,
)
STEPS = st.fixed_dictionaries(
    {"primitive": st.sampled_from([*PRIMITIVES, "other"])},
    optional={
        "text": st.sampled_from(["", "x", "$1", "{$2} x"]) | JSON,
        "inputs": st.lists(st.sampled_from(["$1", "$2", "$evidence", "$99", "x"]), max_size=3) | JSON,
        "sources": st.lists(st.sampled_from(["A", " "]), max_size=2),
        "since": st.sampled_from(["", "2021-03-05", "soon"]),
        "k": st.integers(-3, 30),
    },
)


@given(JSON | st.fixed_dictionaries({"steps": st.lists(STEPS, max_size=5)}))
def test_whatever_a_planner_writes_is_a_checked_plan_or_refused(value: Any) -> None:  # noqa: ANN401 - any JSON
    try:
        made = parse_plan(value)
    except PlanError as error:
        assert str(error)
        return
    check_plan(made.steps)
    assert parse_plan(json.loads(plan_text(made))) == made


def test_the_two_hops_of_the_other_tests_pass() -> None:
    assert isinstance(parse_plan(TWO_HOPS).steps[0], PlanStep)
