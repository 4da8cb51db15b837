"""What a run is expected to take, from what its searches find.

What agents take at most, beside what they took in a course that uses everything up.
"""

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from kg.ledger import read_ledger
from kg.llm.budget import estimate_tokens
from kg.progress import Silent
from kg.settings import Settings
from kg.stages.build import build_graph
from kg.store.graph import Graph
from services.rag.agents.choose import make_agent
from services.rag.agents.protocol import AGENTS, AgentName
from services.rag.run_options import RunOptions, SystemName
from services.runs.agent_courses import Sizes, agent_course, usual_course
from services.runs.estimate import RunEstimate, estimate_question, estimate_run
from services.runs.start import plan_run
from tests.scripted_endpoint import Answer, Asked, Said, scripted_endpoint
from tests.services.rag.agents.goal_seeking.scripted_goals import in_turn, player, run, task
from tests.services.rag.agents.world import CHUNKS, SIMPLE, asked, model_place
from tests.small_world import OPTIONS, ingest, tools


def expected(
    graph: Graph, corpus: str, settings: Settings, system: SystemName, top: int, iterations: int | None = None
) -> tuple[RunEstimate, int]:
    """The estimate of a run by a model, and how many questions it has."""
    options = RunOptions(system, "model", "estimated", top=top, most_iterations=iterations)
    plan = plan_run(graph, corpus, options, settings, tools().embedder)
    return estimate_run(graph, corpus, options, plan, settings, tools().embedder), len(plan.pending)


@pytest.mark.parametrize(("system", "planning"), [("react", 1), ("search-tags", 0)])
def test_an_agent_searches_again_only_for_hops_that_were_not_found(
    graph: Graph, small_corpus: str, tmp_path: Path, system: SystemName, planning: int
) -> None:
    with scripted_endpoint(lambda _: "") as endpoint:
        settings = endpoint.settings(tmp_path)
        little, questions = expected(graph, small_corpus, settings, system, 1)
        much, _ = expected(graph, small_corpus, settings, system, 20)
        assert endpoint.requests == []
    assert questions > 0
    # A plan where there is one, a search and the answer.
    assert (planning + 2) * questions <= much.calls_expected < little.calls_expected
    assert little.calls_expected <= little.calls_at_most


def test_what_both_searches_bring_is_read_once(graph: Graph, small_corpus: str, tmp_path: Path) -> None:
    with scripted_endpoint(lambda _: "") as endpoint:
        settings = endpoint.settings(tmp_path)
        once, questions = expected(graph, small_corpus, settings, "single-step", 5)
        twice, _ = expected(graph, small_corpus, settings, "multi-step", 5)
    assert twice.calls_expected == 2 * questions == 2 * once.calls_expected
    read = once.input_tokens_expected
    assert 2 * read < twice.input_tokens_expected < 3 * read


@pytest.mark.parametrize("retriever", ["facts", "fact-pagerank"])
def test_an_estimate_embeds_nothing(graph: Graph, corpus: str, tmp_path: Path, retriever: str) -> None:
    ingest(graph, corpus, ["board", "history"])
    build_graph(graph, corpus, OPTIONS.build, tools(), Silent(), until="resolution")
    before = read_ledger(graph, corpus)
    with scripted_endpoint(lambda _: "") as endpoint:
        settings = endpoint.settings(tmp_path)
        options = RunOptions("single-step", "model", "estimated", top=2, retriever=retriever)
        question = "Who chairs the Norholm Health Board?"
        found = estimate_question(graph, corpus, options, question, settings, tools().embedder)
    assert found.calls_expected == 1
    assert read_ledger(graph, corpus) == before


SIZES = Sizes(question=20, passages=1_000, top=10)


def sent(requests: list[Asked]) -> int:
    return sum(estimate_tokens(text) for request in requests for _, text in request.messages)


def test_react_that_searches_to_the_end_takes_no_more(tmp_path: Path) -> None:
    words = in_turn(*(Said(None, calls=(("search", {"query": f"rope {n}", "top_k": 4}),)) for n in range(5)))

    def respond(request: Asked) -> Answer:
        if request.system.startswith("You find"):
            return next(words)
        return "1. Look." if request.system.startswith("You plan") else "Anton Brask"

    with scripted_endpoint(respond) as endpoint, model_place(endpoint, tmp_path, most_iterations=5) as here:
        make_agent("react", here).answer(asked(SIMPLE))
    shown = sum(estimate_tokens(f"<<data 01234567: passage 1>>\n{one.title}\n{one.text}") for one in CHUNKS)
    course = agent_course("react", 5, Sizes(estimate_tokens(SIMPLE), shown + 100, 4))
    assert len(endpoint.requests) == course.calls == 7
    assert sent(endpoint.requests) <= course.input_tokens


def test_goal_seeking_whose_goal_is_never_reached_takes_no_more(tmp_path: Path) -> None:
    rounds = 3
    _, endpoint = run(
        tmp_path, player(evaluate={"achieved": False, "reason": "more"}), most_iterations=rounds
    )
    course = agent_course("goal-seeking", rounds, SIZES)
    assert sum(task(one) == "plan" for one in endpoint.requests) == rounds
    assert len(endpoint.requests) <= course.calls
    assert sent(endpoint.requests) <= course.input_tokens


def test_what_is_expected_is_near_the_first_recorded_job() -> None:
    """Three questions of four hops took react with four searches 14 calls, and the graph agent with three 12;
    one took goal seeking 5."""
    limits: tuple[tuple[AgentName, int, float], ...] = (
        ("react", 4, 14 / 3),
        ("graph-agent", 3, 4.0),
        ("goal-seeking", 5, 5.0),
    )
    for agent, most, recorded in limits:
        expected, bound = usual_course(agent, most, SIZES, 4), agent_course(agent, most, SIZES)
        assert recorded / 1.5 <= expected.calls <= recorded * 1.5
        assert expected.calls <= bound.calls
        assert expected.input_tokens <= bound.input_tokens
        assert expected.output_tokens <= bound.output_tokens


@given(st.sampled_from(AGENTS), st.integers(1, 12), st.integers(1, 6), st.integers(1, 5_000))
def test_no_more_is_expected_than_at_most(agent: AgentName, most: int, hops: int, passages: int) -> None:
    sizes = Sizes(20, passages, 10)
    expected, bound = usual_course(agent, most, sizes, hops), agent_course(agent, most, sizes)
    assert expected.calls <= bound.calls
    assert expected.input_tokens <= bound.input_tokens


@pytest.mark.parametrize("agent", AGENTS)
def test_less_evidence_takes_fewer_tokens_and_as_many_calls(agent: AgentName) -> None:
    free, bound = (agent_course(agent, 5, Sizes(20, 1_000, 10, evidence)) for evidence in (None, 100))
    assert bound.calls == free.calls
    assert bound.input_tokens < free.input_tokens


@given(st.sampled_from(AGENTS), st.integers(1, 30), st.integers(1, 5_000), st.integers(1, 100))
def test_more_rounds_take_more(agent: AgentName, rounds: int, passages: int, top: int) -> None:
    less, more = (agent_course(agent, some, Sizes(20, passages, top)) for some in (rounds, rounds + 1))
    assert less.calls < more.calls
    assert less.input_tokens < more.input_tokens
