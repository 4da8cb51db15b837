"""ReAct by a scripted model: what it may do, what it does wrong, and what is kept of both.

ReAct by rules: plan, one search a part, answer; many questions side by side.

ReAct as a run over the small world: what stands in the graph.
"""

import re
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from typing import Any

import pytest

from kg.ids import run_id
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph, Row
from services.rag.agents.choose import make_agent
from services.rag.agents.goal_seeking.make import goal_seeking
from services.rag.agents.loop import MOST_IDLE_TURNS, MOST_REFUSALS, MOST_REPEATS, AgentSystem
from services.rag.agents.protocol import AgentName
from services.rag.protocol import RagAnswer
from services.rag.run_options import RunOptions
from services.runs.records import drop_run
from services.runs.start import plan_run, start_run
from tests.graph_reading import read
from tests.scripted_endpoint import Answer, Asked, Endpoint, Said, Status, scripted_endpoint
from tests.services.rag.agents.goal_seeking.scripted_goals import METADATA
from tests.services.rag.agents.world import QUESTION, SIMPLE, ByLastName, asked, model_place, place
from tests.services.rag.scripted_answers import answer_as_told, fences
from tests.small_world import tools

_FENCE = re.compile(r"<<data ([0-9a-f]+): ([^>]*)>>\n(.*?)\n<<end \1>>", re.DOTALL)

PLAN = "1. Find the club of Mira Tolland.\n2. Find the owner of [the club of 1]."


def call(name: str, text: str = "", **arguments: Any) -> Said:  # noqa: ANN401 - any JSON
    return Said(text or None, calls=((name, arguments),), finish_reason="tool_calls")


PERFECT = (
    call("search", "The club is missing.", query="Mira Tolland's club", top_k=2),
    call("search", "The owner is missing.", query="owner of the Ostby Rovers", top_k=1),
    call("answer", "All is known.", answer="Halden Shipping", passages=[2, 9]),
)


def turns(asked: Asked) -> int:
    """How many turns the model had before, by the messages that are its own."""
    return sum(role == "assistant" for role, _ in asked.messages)


def script(*answers: Answer) -> Callable[[Asked], Answer]:
    """Plan, then these turns one after another, the last one again and again; read by rules at the end."""

    def respond(asked: Asked) -> Answer:
        if asked.system.startswith("You plan"):
            return PLAN
        if asked.system.startswith("You find"):
            return answers[min(turns(asked), len(answers) - 1)]
        return answer_as_told(asked)

    return respond


def run(
    tmp_path: Path,
    responder: Callable[[Asked], Answer],
    questions: Sequence[str] = (QUESTION,),
    unsupported: Sequence[str] = (),
    most_iterations: int | None = None,
    evidence_tokens: int | None = None,
) -> tuple[list[RagAnswer], Endpoint]:
    with (
        scripted_endpoint(responder, unsupported=unsupported) as endpoint,
        model_place(
            endpoint, tmp_path, most_iterations=most_iterations, evidence_tokens=evidence_tokens
        ) as here,
    ):
        return make_agent("react", here).answer(asked(*questions)), endpoint


def actions(found: RagAnswer) -> list[str]:
    return [step.action for step in found.steps]


def faults(found: RagAnswer) -> list[str]:
    return [step.fault for step in found.steps if step.fault]


def test_it_plans_searches_as_it_likes_and_answers(tmp_path: Path) -> None:
    (found,), endpoint = run(tmp_path, script(*PERFECT))
    assert actions(found) == ["plan", "search", "search", "answer"]
    plan, first, second, answer = found.steps
    assert plan.observation == PLAN
    assert (first.query, first.top_k, first.thought) == ("Mira Tolland's club", 2, "The club is missing.")
    assert first.arguments == '{"query": "Mira Tolland\'s club", "top_k": 2}'
    assert [hit.chunk for hit in second.hits] == ["chunk-2"]
    assert (found.text, answer.thought) == ("Halden Shipping", "All is known.")
    assert (found.cited, found.unknown_citations, found.chunk) == (("chunk-2",), 1, "chunk-2")
    assert found.passages_shown == 2
    assert [(one.chunk, one.step) for one in found.retrieved] == [("chunk-1", 2), ("chunk-2", 2)]
    assert found.prompts == ("react-plan@2", "react-step@2")
    assert found.usage.input_tokens == sum(step.usage.input_tokens for step in found.steps) > 0
    assert found.cost == pytest.approx((found.usage.input_tokens + 2 * found.usage.output_tokens) / 1e6)
    assert faults(found) == []
    last = endpoint.requests[-1]
    assert [role for role, _ in last.messages] == ["system", "user", "assistant", "tool", "assistant", "tool"]
    assert "Found again: passage 2." in last.messages[-1][1]
    assert "Searches left: 8." in last.messages[-1][1]


def test_an_answer_before_any_search_is_kept_with_nothing_shown(tmp_path: Path) -> None:
    (found,), _ = run(tmp_path, script(call("answer", "I know it.", answer="Halden Shipping", passages=[99])))
    assert (found.text, found.passages_shown, found.unknown_citations) == ("Halden Shipping", 0, 1)


def test_what_articles_and_questions_say_stands_in_fences(tmp_path: Path) -> None:
    _, endpoint = run(tmp_path, script(*PERFECT))
    assert "Mira Tolland plays for" in str(endpoint.requests[-1].messages)
    for request in endpoint.requests:
        outside = _FENCE.sub("", "\n".join(text for _, text in request.messages))
        assert fences(request)["question"] == QUESTION
        assert "Mira Tolland plays for" not in outside
        assert QUESTION not in outside


def test_an_endpoint_without_tools_plays_the_same_in_text(tmp_path: Path) -> None:
    said = (
        'I look.\n```json\n{"tool": "search", "arguments": {"query": "Mira Tolland", "top_k": 2}}\n```',
        'Next. {"name": "search", "arguments": {"query": "Ostby Rovers", "top_k": 1}}',
        "Final answer: Halden Shipping [2]",
    )
    (found,), endpoint = run(tmp_path, script(*said), unsupported=["tools"])
    assert actions(found) == ["plan", "search", "search", "answer"]
    assert (found.text, found.cited) == ("Halden Shipping", ("chunk-2",))
    assert sum(bool(request.tools) for request in endpoint.requests) == 1
    roles = [role for role, _ in endpoint.requests[-1].messages]
    assert roles == ["system", "user", "assistant", "user", "assistant", "user"]


def test_what_it_does_wrong_is_told_to_it_and_kept(tmp_path: Path) -> None:
    wrong = (
        Said(None, calls=(("search", "{query: lamp"),)),
        call("browse", url="https://example.org"),
        "I think that it is a club.",
        call("search", query=""),
        call("search", query="Mira Tolland"),
        call("search", query="mira  tolland!", top_k=9),
        call("answer", answer="Halden Shipping"),
    )
    (found,), endpoint = run(tmp_path, script(*wrong))
    assert [(step.action, step.fault) for step in found.steps] == [
        ("plan", ""),
        ("fault", "malformed call"),
        ("fault", "unknown tool"),
        ("fault", "no call"),
        ("search", "malformed call"),
        ("search", ""),
        ("search", "repeated query"),
        ("answer", ""),
    ]
    assert found.text == "Halden Shipping"
    assert found.steps[3].observation == "I think that it is a club."
    assert "browse" in found.steps[2].arguments
    again = found.steps[6]
    assert (again.query, again.retrieves, again.hits) == ("Mira Tolland", False, ())
    told = [text for role, text in endpoint.requests[-1].messages if role in {"user", "tool"}]
    assert "there is no tool 'browse'" in told[2]
    assert "not made" in told[-1]
    native = [message for message in endpoint.requests[-1].body["messages"] if message.get("tool_calls")]
    assert len(native) == 2, "a call that can't be made goes back as text: endpoints refuse broken ones"


def test_one_that_never_calls_is_stopped_and_has_to_answer(tmp_path: Path) -> None:
    (found,), endpoint = run(tmp_path, script("Let me think about it once more."))
    assert faults(found) == ["no call"] * MOST_IDLE_TURNS + ["loop"]
    assert actions(found)[-1] == "answer"
    assert found.text == "Insufficient information"
    assert len(endpoint.requests) == 1 + MOST_IDLE_TURNS + 1


def test_one_that_goes_in_a_circle_is_stopped_and_reads_what_it_has(tmp_path: Path) -> None:
    (found,), _ = run(
        tmp_path, script(call("search", query="Ostby Rovers owner", top_k=3)), questions=[SIMPLE]
    )
    assert faults(found) == ["repeated query"] * MOST_REPEATS + ["loop"]
    assert sum(step.retrieves for step in found.steps) == 1
    assert found.text == "Anton Brask"
    assert found.prompts[-1].startswith("answer-question@")


def test_searches_end_at_the_limit(tmp_path: Path) -> None:
    def respond(asked: Asked) -> Answer:
        if asked.system.startswith("You find"):
            return call("search", query=f"The Grey Rope {turns(asked)}")
        return script(PLAN)(asked)

    (found,), _ = run(tmp_path / "ten", respond, questions=[SIMPLE])
    assert actions(found) == ["plan", *["search"] * 10, "answer"]
    assert found.text == "Anton Brask"
    (found,), _ = run(tmp_path / "two", respond, questions=[SIMPLE], most_iterations=2)
    assert actions(found) == ["plan", "search", "search", "answer"]


def test_refusals_are_counted_and_end_in_an_answer_from_what_there_is(tmp_path: Path) -> None:
    no = Said(None, refusal="I can't help with that.")
    (found,), _ = run(tmp_path, script(call("search", query="The Grey Rope"), no), questions=[SIMPLE])
    assert faults(found) == ["refusal"] * MOST_REFUSALS + ["loop"]
    assert (found.text, found.error) == ("Anton Brask", "")


def test_a_model_that_refuses_to_the_end_is_an_error_of_the_question(tmp_path: Path) -> None:
    (found,), _ = run(tmp_path, lambda _: Said(None, refusal="I can't help with that."))
    assert found.error.startswith("refusal")
    assert (found.text, found.retrieved) == ("", ())


@pytest.mark.parametrize("agent", ["react", "graph-agent", "goal-seeking"])
def test_a_call_that_the_endpoint_itself_can_not_read_is_malformed_for_every_agent(
    tmp_path: Path, agent: AgentName
) -> None:
    broken = Status(400, "Failed to call a function. Please adjust.", code="tool_use_failed")
    with (
        scripted_endpoint(script(call("answer", answer="Halden Shipping")), [None, broken]) as endpoint,  # type: ignore[list-item]
        model_place(endpoint, tmp_path) as here,
    ):
        system = AgentSystem(goal_seeking(here, METADATA)) if agent == "goal-seeking" else None
        (found,) = (system or make_agent(agent, here)).answer(asked(QUESTION))
    assert "malformed call" in faults(found)
    assert found.error == ""
    if agent != "goal-seeking":
        assert (faults(found), found.text) == (["malformed call"], "Halden Shipping")


def test_a_failure_ends_its_own_question_and_no_other(tmp_path: Path) -> None:
    def respond(asked: Asked) -> Answer:
        if fences(asked)["question"] == SIMPLE and asked.system.startswith("You find"):
            return Said("cut", finish_reason="length")
        return script(*PERFECT)(asked)

    (good, bad, also), _ = run(tmp_path, respond, questions=[QUESTION, SIMPLE, QUESTION])
    assert [good.text, also.text] == ["Halden Shipping"] * 2
    assert bad.error.startswith("cut off")
    assert actions(bad) == ["plan", "answer"]
    assert bad.steps[-1].observation == bad.error


def test_all_questions_of_a_turn_are_asked_and_searched_together(tmp_path: Path) -> None:
    retriever = ByLastName()
    with (
        scripted_endpoint(script(*PERFECT), latency_seconds=0.05) as endpoint,
        model_place(endpoint, tmp_path, retriever) as here,
    ):
        questions = asked(*(f"{QUESTION} ({n})" for n in range(6)))
        found = make_agent("react", here).answer(questions)
    assert [one.text for one in found] == ["Halden Shipping"] * 6
    assert [len(one) for one in retriever.rounds] == [6, 6]
    assert endpoint.most_at_once > 1


def test_only_the_first_of_several_calls_is_made(tmp_path: Path) -> None:
    both = Said(None, calls=(("search", {"query": "Mira Tolland"}), ("search", {"query": "Harbour Fair"})))
    (found,), endpoint = run(tmp_path, script(both, PERFECT[-1]))
    assert [step.query for step in found.steps if step.retrieves] == ["Mira Tolland"]
    assert "Only the first of your 2 calls was made." in endpoint.requests[-1].messages[-1][1]


def test_an_answer_that_was_kept_costs_nothing_and_is_the_same(tmp_path: Path) -> None:
    with scripted_endpoint(script(*PERFECT)) as endpoint, model_place(endpoint, tmp_path) as here:
        system = make_agent("react", here)
        (first,), (second,) = system.answer(asked(QUESTION)), system.answer(asked(QUESTION))
        assert len(endpoint.requests) == 4
    assert second.usage.input_tokens == 0
    assert (first.text, first.cited, first.retrieved) == (second.text, second.cited, second.retrieved)


def test_evidence_within_a_budget_is_all_that_it_is_shown(tmp_path: Path) -> None:
    wide = script(call("search", query="The Grey Rope", top_k=4), PERFECT[-1])
    _, endpoint = run(tmp_path / "all", wide)
    assert passages_in(endpoint.requests[-1]) == 4
    (found,), endpoint = run(tmp_path / "few", wide, evidence_tokens=64)
    # Half of the budget, before a last reading: three passages of about ten tokens.
    assert passages_in(endpoint.requests[-1]) == 3
    assert len(found.retrieved) == 4


def passages_in(asked: Asked) -> int:
    """How many passages a conversation shows."""
    text = "\n".join(said for _, said in asked.messages)
    return sum(label.startswith("passage") for _, label, _ in _FENCE.findall(text))


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


NAME = "react-few"
OPTIONS = RunOptions(system="react", name=NAME, top=4, question_limit=8)
STEPS = """
MATCH (:Run {id: $run})-[:GAVE]->(a:Answer)-[:TO]->(q:Question)
RETURN a.error AS error, q.hops AS hops,
       COLLECT { MATCH (a)-[:TOOK]->(s:Step) RETURN s ORDER BY s.index } AS steps,
       COLLECT { MATCH (a)-[r:RETRIEVED]->(c) RETURN [r.rank, r.step, c.id] ORDER BY r.rank } AS retrieved,
       COLLECT { MATCH (a)-[:TOOK]->(s)-[:SAW]->(c) RETURN DISTINCT c.id } AS seen
ORDER BY q.id
"""


@pytest.fixture(scope="module")
def answers(graph: Graph, small_corpus: str) -> Iterator[list[Row]]:
    start_run(graph, small_corpus, OPTIONS, Settings(), tools().embedder, Silent())
    yield read(graph, STEPS, run=run_id(small_corpus, NAME))
    drop_run(graph, small_corpus, NAME)


def test_each_step_stands_in_the_graph_with_what_it_saw(answers: list[Row]) -> None:
    assert len(answers) == 8
    for row in answers:
        steps = row["steps"]
        assert row["error"] == ""
        assert [step["index"] for step in steps] == list(range(1, len(steps) + 1))
        assert [step["action"] for step in steps] == ["plan", *["search"] * (len(steps) - 2), "answer"]
        searches = [step for step in steps if step["retrieves"]]
        assert {step["top_k"] for step in searches} == {4}
        assert {chunk for _, _, chunk in row["retrieved"]} == set(row["seen"])
        assert {step for _, step, _ in row["retrieved"]} <= {step["index"] for step in searches}
        assert [rank for rank, _, _ in row["retrieved"]] == list(range(1, len(row["retrieved"]) + 1))


def test_questions_of_more_hops_take_more_searches(answers: list[Row]) -> None:
    searches: dict[int, list[int]] = {2: [], 5: []}
    for row in answers:
        if row["hops"] in searches:
            searches[row["hops"]].append(sum(bool(step["retrieves"]) for step in row["steps"]))
    two, five = searches[2], searches[5]
    assert sum(five) / len(five) > sum(two) / len(two) >= 1


def test_a_run_that_is_whole_asks_nothing_and_one_with_a_limit_is_another(
    graph: Graph, small_corpus: str, answers: list[Row]
) -> None:
    again = plan_run(graph, small_corpus, OPTIONS, Settings(), tools().embedder)
    assert (again.pending, again.anew) == ((), False)
    limited = RunOptions(system="react", name=NAME, top=4, question_limit=8, most_iterations=2)
    plan = plan_run(graph, small_corpus, limited, Settings(), tools().embedder)
    assert plan.anew
    assert len(plan.pending) == len(answers)
