"""A run of agents that is killed with eight requests under way goes on as if nothing had happened."""

import signal
from pathlib import Path

import pytest

from kg.ids import run_id
from kg.settings import Settings
from kg.store.graph import Graph
from services.runs.records import drop_run
from tests.conftest import ServerAddress
from tests.graph_reading import read, value
from tests.scripted_endpoint import scripted_endpoint
from tests.services.rag.killed_run import AT_ONCE, SEARCHES, AgentRun, Killer, environment
from tests.small_world import tools

NAME, QUESTIONS, BATCH = "killed", 6, 4
STEPS_A_QUESTION = SEARCHES + 2
"""A plan, the searches, the answer."""
IN_THE_SECOND_BATCH = BATCH * STEPS_A_QUESTION + 2
LATENCY_SECONDS = 0.03

STEPS = """
MATCH (:Run {id: $run})-[:GAVE]->(a)-[t:TOOK]->(s:Step)
RETURN count(t) AS taken, count(DISTINCT s) AS steps, count(DISTINCT a) AS answers
"""
LOOSE = (
    "MATCH (s:Step {corpus: $corpus}) WHERE NOT EXISTS { (:Answer)-[:TOOK]->(s) } RETURN count(s) AS loose"
)


@pytest.mark.campaign
def test_no_step_is_lost_or_doubled(
    graph: Graph, small_corpus: str, server_address: ServerAddress, tmp_path: Path
) -> None:
    killer, embedder = Killer(IN_THE_SECOND_BATCH), tools().embedder
    run = AgentRun(small_corpus, NAME, QUESTIONS, BATCH)
    with scripted_endpoint(killer, latency_seconds=LATENCY_SECONDS) as endpoint:
        given = environment(endpoint, tmp_path / "killed", server_address.environment())
        settings = Settings.model_validate({name.lower(): value for name, value in given.items()})
        try:
            assert run.killed(killer, given) == -signal.SIGKILL
            assert 1 < endpoint.most_at_once <= AT_ONCE
            assert counted(graph, small_corpus) == (BATCH, BATCH * STEPS_A_QUESTION, BATCH * STEPS_A_QUESTION)
            resumed = run.ended(graph, settings, embedder)
            steps = QUESTIONS * STEPS_A_QUESTION
            assert counted(graph, small_corpus) == (QUESTIONS, steps, steps)
            assert value(graph, LOOSE, corpus=small_corpus) == 0
        finally:
            drop_run(graph, small_corpus, NAME)
        fresh = settings.model_copy(update={"hopgrade_home": tmp_path / "fresh"})
        undisturbed = run.ended(graph, fresh, embedder)
        drop_run(graph, small_corpus, NAME)
    assert resumed == undisturbed
    assert all([step.index for step in one.steps] == [1, 2, 3, 4] for one in resumed)


def counted(graph: Graph, corpus: str) -> tuple[int, int, int]:
    """How many answers the run has, how many steps, and how many times a step is taken."""
    (row,) = read(graph, STEPS, run=run_id(corpus, NAME))
    return row["answers"], row["steps"], row["taken"]
