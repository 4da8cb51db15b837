"""The three systems over a tiny world: a retriever that finds by a name, and the rules or a model.

What an answer took stands in the graph beside it, what was cached and thought apart.
Steps as rows of the graph: filters, and chunks that a step saw.
The order in which a run asks.
"""

import json
from collections import Counter
from collections.abc import Iterator, Sequence
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.llm.budget import Budget
from kg.llm.protocol import Usage
from kg.llm.roles import open_model
from services.rag.agents.protocol import Call, PendingCall, SearchTool
from services.rag.answering import answer_row, describe_filters, filters_json, step_rows
from services.rag.model_generator import ModelGenerator
from services.rag.protocol import Filters, Hit, Passage, RagAnswer, RagQuestion, RagSystem, Step
from services.rag.reader import RulesGenerator
from services.rag.rerank import LexicalReranker, RerankedRetriever
from services.rag.systems import MultiStep, SingleStep, in_turn, second_query
from services.rag.trace import Decomposition, fill_marks
from services.runs.start import RunQuestion, limit_questions
from tests.examples import examples
from tests.scripted_endpoint import Endpoint, scripted_endpoint, times
from tests.services.rag.passages import passage
from tests.services.rag.scripted_answers import answer_as_told, fences, task
from tests.small_world import tools

CHUNKS = [
    passage(
        "Mira Tolland plays for the Ostby Rovers.", 1, facts=[("Mira Tolland", "plays for", "Ostby Rovers")]
    ),
    passage(
        "The Ostby Rovers are owned by Halden Shipping.",
        2,
        facts=[("Ostby Rovers", "are owned by", "Halden Shipping")],
    ),
    passage("Anton Brask wrote The Grey Rope.", 3, facts=[("Anton Brask", "wrote", "The Grey Rope")]),
    passage("The Harbour Fair takes place in Kaldmere.", 4),
]
WRITER = "Who wrote The Grey Rope?"
QUESTION = "Which organisation owns the club that Mira Tolland plays for?"


SUBJECTS = ("Mira Tolland", "Ostby Rovers", "Anton Brask", "Harbour Fair")


class ByLastName:
    """Finds the chunk about the one of the four subjects that a text names last."""

    name = "by the last name"

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        found = [max(range(4), key=lambda n: question.text.rfind(SUBJECTS[n])) for question in questions]
        return [[Hit(CHUNKS[number].chunk, 0.5)] for number in found]


def read(chunks: Sequence[str]) -> dict[str, Passage]:
    return {one.chunk: one for one in CHUNKS if one.chunk in chunks}


def asked(*texts: str) -> list[RagQuestion]:
    return [RagQuestion(f"q{n}", text, np.zeros(384, np.float32)) for n, text in enumerate(texts)]


def systems(generator: RulesGenerator | ModelGenerator) -> dict[str, RagSystem]:
    embedder = tools().embedder
    return {
        "single-step": SingleStep(ByLastName(), read, generator),
        "multi-step": MultiStep(ByLastName(), read, generator, embedder),
        "decomposition": Decomposition(ByLastName(), read, generator, embedder, LexicalReranker(), top=2),
    }


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with scripted_endpoint(answer_as_told) as opened:
        yield opened


@pytest.fixture
def by_model(endpoint: Endpoint, tmp_path: Path) -> Iterator[dict[str, RagSystem]]:
    budget = Budget(price=(1.0, 2.0))
    settings = endpoint.settings(tmp_path, hopgrade_model_retries=1)
    with open_model("answer", settings, budget, sleep=lambda _: None) as model:
        yield systems(ModelGenerator(model, budget.money_of))


def test_one_retrieval_does_not_find_the_second_hop() -> None:
    (found,) = systems(RulesGenerator())["single-step"].answer(asked(QUESTION))
    assert found.text != "Halden Shipping"
    assert [(one.chunk, one.rank, one.step) for one in found.retrieved] == [("chunk-1", 1, 1)]
    assert [step.action for step in found.steps] == ["retrieve", "answer"]


def test_the_intermediate_answer_leads_to_the_second_hop() -> None:
    (found,) = systems(RulesGenerator())["multi-step"].answer(asked(QUESTION))
    assert [step.action for step in found.steps] == ["retrieve", "answer", "retrieve", "answer"]
    assert found.steps[1].observation == "Ostby Rovers"
    assert found.steps[2].query.startswith(f"{QUESTION} Ostby Rovers")
    assert found.text == "Halden Shipping"
    assert {(one.chunk, one.step) for one in found.retrieved} == {("chunk-1", 1), ("chunk-2", 3)}


class All:
    """Finds every chunk, in a bad order."""

    name = "all"

    def retrieve(self, questions: Sequence[RagQuestion]) -> list[list[Hit]]:
        return [[Hit(one.chunk, 0.5) for one in reversed(CHUNKS)] for _ in questions]


def test_a_reranker_picks_from_what_each_search_found() -> None:
    reranked = RerankedRetriever(All(), LexicalReranker(), read, limit=1, candidates=4)
    (answered,) = SingleStep(reranked, read, RulesGenerator(), top=1).answer(asked(WRITER))
    assert [(step.action, step.top_k, len(step.hits)) for step in answered.steps] == [
        ("retrieve", 4, 4),
        ("rerank", 1, 1),
        ("answer", None, 0),
    ]
    assert (answered.text, answered.retrieved[0].chunk) == ("Anton Brask", CHUNKS[2].chunk)
    assert answered.retrieved[0].step == 1
    tool = SearchTool(reranked, tools().embedder, top=3)
    (found,) = tool.run([PendingCall(asked("q")[0], Call("search", {"query": WRITER}))])
    assert [hit.chunk for hit in found.hits] == [CHUNKS[2].chunk]


def test_sub_questions_lead_to_the_second_hop() -> None:
    (found,) = systems(RulesGenerator())["decomposition"].answer(asked(QUESTION))
    assert [step.action for step in found.steps] == [
        *("decompose", "retrieve", "answer", "retrieve", "answer", "rerank", "answer"),
    ]
    assert "Ostby Rovers" in found.steps[3].query
    assert "#1" not in found.steps[3].query
    assert found.text == "Halden Shipping"
    assert {one.chunk for one in found.retrieved} == {"chunk-1", "chunk-2"}
    assert (found.entity, found.chunk) == ("entity-Halden Shipping", "chunk-2")


@examples("name, calls, prompts")
def test_a_model_is_asked_once_a_step_with_fenced_text(
    endpoint: Endpoint, by_model: dict[str, RagSystem], name: str, calls: int, prompts: list[str]
) -> None:
    (found,) = by_model[name].answer(asked(QUESTION))
    assert len(endpoint.requests) == calls
    assert list(found.prompts) == prompts
    assert all(fences(request)["question"] for request in endpoint.requests)
    assert not any(QUESTION in request.system for request in endpoint.requests)
    words = sum(len(text.split()) for request in endpoint.requests for _, text in request.messages)
    assert found.usage.input_tokens == words
    assert found.cost == pytest.approx((words + 2 * found.usage.output_tokens) / 1e6)
    assert found.error == ""


def test_a_model_sees_what_was_found_on_the_way(endpoint: Endpoint, by_model: dict[str, RagSystem]) -> None:
    by_model["decomposition"].answer(asked(QUESTION))
    (last,) = [request for request in endpoint.requests if "found on the way" in fences(request)]
    assert task(last) == "answer"
    assert "plays for?: Ostby Rovers" in fences(last)["found on the way"].replace("play for", "plays for")


@pytest.mark.parametrize("name", ["single-step", "multi-step", "decomposition"])
@examples("fault, kind")
def test_a_failure_is_an_error_of_its_question_and_no_answer(
    endpoint: Endpoint, by_model: dict[str, RagSystem], name: str, fault: str, kind: str
) -> None:
    other = "Which work did Anton Brask write?"
    original = endpoint.responder
    endpoint.faults = times(2, fault) if fault == "500" else [fault]  # type: ignore[arg-type,list-item]
    (bad,) = by_model[name].answer(asked(QUESTION))
    assert bad.error.startswith(f"{kind}: ")
    assert bad.text == ""
    assert not endpoint.faults
    endpoint.responder = original
    (good,) = by_model[name].answer(asked(other))
    assert (good.text, good.error) == ("The Grey Rope", "")


def test_invalid_json_of_sub_questions_is_an_error(
    endpoint: Endpoint, by_model: dict[str, RagSystem]
) -> None:
    endpoint.faults = times(2, "invalid json")
    (found,) = by_model["decomposition"].answer(asked(QUESTION))
    assert found.error.startswith("invalid JSON: ")
    assert [step.action for step in found.steps] == ["decompose"]


def test_a_question_that_fails_stops_no_other(endpoint: Endpoint, tmp_path: Path) -> None:
    settings = endpoint.settings(tmp_path, hopgrade_model_concurrency=1)
    endpoint.faults = ["refusal"]
    budget = Budget()
    with open_model("answer", settings, budget) as model:
        texts = (QUESTION, "Which work did Anton Brask write?", "Where does the Harbour Fair take place?")
        found = systems(ModelGenerator(model, budget.money_of))["multi-step"].answer(asked(*texts))
    assert [one.error.partition(":")[0] for one in found] == ["refusal", "", ""]
    assert [one.text for one in found] == ["", "The Grey Rope", "Kaldmere"]
    assert len(endpoint.requests) == 3 + 2


def test_no_question_is_no_answer() -> None:
    for system in systems(RulesGenerator()).values():
        assert system.answer([]) == []


def test_the_second_query_stays_within_the_embedders_room() -> None:
    long = passage("The Ostby Rovers won. " + "The Ostby Rovers lost again. " * 200, 9)
    query = second_query(QUESTION, "Ostby Rovers", [long], 64)
    assert query.startswith(f"{QUESTION} Ostby Rovers The Ostby Rovers won.")
    assert 20 < len(query.split()) < 64
    assert second_query(QUESTION, "Insufficient information", [CHUNKS[3]], 64).endswith("in Kaldmere.")


def test_lists_are_merged_in_turn_without_duplicates() -> None:
    one, other = [Hit("a", 0.9), Hit("b", 0.8)], [Hit("b", 0.7), Hit("c", 0.6), Hit("d", 0.5)]
    assert [hit.chunk for hit in in_turn(one, other)] == ["a", "b", "c", "d"]


def test_marks_are_filled_with_answers() -> None:
    asked_before = ["Which club does Mira play for?", "Which town is #1 in?"]
    assert (
        fill_marks("Who owns #1 of #2?", asked_before, ["the Rovers", "Ostby"])
        == "Who owns the Rovers of Ostby?"
    )
    assert fill_marks("Who owns #1?", asked_before, ["", ""]) == "Who owns (Which club does Mira play for)?"
    assert fill_marks("Who owns #3?", asked_before, ["x", "y"]) == "Who owns #3?"


def test_an_answer_keeps_all_tokens_that_it_took() -> None:
    usage = Usage(90, 12, cached_input_tokens=60, reasoning_tokens=8)
    question = {
        "id": "q", "kind": "chain", "query_type": "inference", "text": "Who owns the pier?",
        "answer": "Oda Wexler", "accepted": [], "chain": ["Fell Pier", "Oda Wexler"],
    }  # fmt: skip
    answered = RagAnswer("q", "Oda Wexler", (), (), (), usage, None, 1.0)
    row = answer_row("news", "run-1", question, answered)["answer"]
    names = ("input_tokens", "output_tokens", "cached_input_tokens", "reasoning_tokens")
    assert [row[name] for name in names] == [90, 12, 60, 8]
    assert row["correct"]


NAMES = st.tuples(st.text(min_size=1, max_size=9))


def test_no_filter_is_an_empty_text() -> None:
    assert filters_json(Filters()) == describe_filters("") == ""


def test_filters_are_told_to_a_reader() -> None:
    filters = Filters(sources=("The Courier", "The Mirror"), since="2024-03-01")
    assert describe_filters(filters_json(filters)) == "source: The Courier or The Mirror; since: 2024-03-01"


@given(st.builds(Filters, NAMES, NAMES, NAMES, st.text(max_size=9), st.text(max_size=9)))
def test_all_that_is_set_is_kept(filters: Filters) -> None:
    kept = json.loads(filters_json(filters))
    assert kept.get("sources") == list(filters.sources)
    assert kept.get("until", "") == filters.until


def test_a_chunk_is_seen_once_at_its_first_rank() -> None:
    hits = (Hit("a", 0.9), Hit("b", 0.8), Hit("a", 0.7), Hit("c", 0.6))
    step = Step(3, "search", "where", "3 chunks", hits, True, 20, seconds=1.23456)
    answered = RagAnswer("q", "", (), (step,), (), Usage(), None, 1.0)
    (row,) = step_rows("news", "answer-1", answered)
    assert [(one["chunk"], one["rank"], one["score"]) for one in row["seen"]] == [
        ("a", 1, 0.9), ("b", 2, 0.8), ("c", 3, 0.6),
    ]  # fmt: skip
    assert (row["step"]["index"], row["step"]["top_k"], row["step"]["seconds"]) == (3, 20, 1.2346)
    other = step_rows("news", "answer-2", answered)
    assert row["step"]["id"] != other[0]["step"]["id"]


QUESTIONS = st.lists(
    st.builds(
        RunQuestion,
        id=st.uuids().map(str),
        kind=st.sampled_from(["chain", "comparison", "null"]),
        hops=st.integers(2, 5),
        bin=st.none() | st.integers(1, 4),
        answered=st.booleans(),
    ),
    max_size=60,
    unique_by=lambda one: one.id,
)


@given(QUESTIONS, st.integers(0, 60))
def test_a_smaller_limit_is_the_beginning_of_a_larger_one(questions: list[RunQuestion], limit: int) -> None:
    assert limit_questions(questions, limit) == limit_questions(questions, None)[:limit]
    assert limit_questions(list(reversed(questions)), None) == limit_questions(questions, None)
    assert sorted(one.id for one in limit_questions(questions, None)) == sorted(one.id for one in questions)


@given(QUESTIONS, st.integers(1, 60))
def test_no_group_is_ahead_of_another_that_has_more(questions: list[RunQuestion], limit: int) -> None:
    def group(one: RunQuestion) -> tuple[str, int, int]:
        return one.kind, one.hops, one.bin or 0

    sizes, taken = Counter(map(group, questions)), Counter(map(group, limit_questions(questions, limit)))
    for one, size in sizes.items():
        if taken[one] < size:
            assert taken[one] >= max(taken.values()) - 1
