"""ReAct as a run over the small world: what stands in the graph."""

from collections.abc import Iterator

import pytest

from kg.ids import run_id
from kg.progress import Silent
from kg.settings import Settings
from kg.store.graph import Graph, Row
from services.rag.run_options import RunOptions
from services.runs.records import drop_run
from services.runs.start import plan_run, start_run
from tests.graph_reading import read
from tests.small_world import tools

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
