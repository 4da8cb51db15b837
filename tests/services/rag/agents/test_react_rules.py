"""ReAct by rules: plan, one search a part, answer; many questions side by side."""

import pytest

from services.rag.agents.choose import make_agent
from tests.services.rag.agents.world import QUESTION, SIMPLE, ByLastName, asked, place


def test_it_plans_searches_each_part_and_answers() -> None:
    with place(ByLastName()) as here:
        (found,) = make_agent("react", here).answer(asked(QUESTION))
    plan, first, second, answer = found.steps
    assert [step.action for step in found.steps] == ["plan", "search", "search", "answer"]
    assert plan.observation.splitlines()[1].startswith("2. ")
    assert "Mira Tolland" in first.query
    assert "Ostby Rovers" in second.query
    assert [(step.retrieves, step.top_k, len(step.hits)) for step in (first, second)] == [(True, 1, 1)] * 2
    assert found.text == answer.observation == "Halden Shipping"
    assert [(one.chunk, one.rank, one.step) for one in found.retrieved] == [
        ("chunk-1", 1, 2),
        ("chunk-2", 2, 3),
    ]
    assert (found.entity, found.chunk) == ("entity-Halden Shipping", "chunk-2")
    assert found.seconds == pytest.approx(sum(step.seconds or 0 for step in found.steps))
    assert found.cost is None


def test_the_last_search_that_it_may_make_is_followed_by_an_answer() -> None:
    with place(ByLastName(), most_iterations=1) as here:
        (found,) = make_agent("react", here).answer(asked(QUESTION))
    assert [step.action for step in found.steps] == ["plan", "search", "answer"]
    assert found.text != "Halden Shipping"
    assert found.error == ""


def test_a_part_without_an_answer_is_looked_for_once_more_with_the_whole_question() -> None:
    question = "Which organisation owns the club that Nobody Known plays for?"
    with place(ByLastName()) as here:
        (found,) = make_agent("react", here).answer(asked(question))
    queries = [step.query for step in found.steps if step.action == "search"]
    assert queries == ["Which club does Nobody Known play for?", question], "the owner of what is not known?"
    assert not any(step.fault for step in found.steps)
    assert found.text == "Insufficient information"


def test_questions_side_by_side_fare_as_alone_with_one_search_a_turn_for_all() -> None:
    questions, retriever = asked(QUESTION, SIMPLE, QUESTION), ByLastName()
    with place(retriever) as here:
        system = make_agent("react", here)
        together = system.answer(questions)
        assert [len(one) for one in retriever.rounds] == [3, 2]
        alone = [system.answer([question])[0] for question in questions]
    assert system.answer([]) == []
    for one, other in zip(together, alone, strict=True):
        assert (one.question, one.text, one.retrieved) == (other.question, other.text, other.retrieved)
        assert [step.query for step in one.steps] == [step.query for step in other.steps]
    assert together[1].text == "Anton Brask"
