"""The proof: ReAct agents whose behaviour is known by construction, and what the analysis calls it.

A scripted endpoint plays each agent; ReAct runs over the small world, its traces go through the graph, and
the analysis sees only those.
"""

from collections.abc import Callable, Iterator, Mapping
from pathlib import Path

import pytest

from kg.ids import run_id
from kg.progress import Silent
from kg.store.graph import Graph
from services.evaluate.diagnose import Diagnosis, attribution_figures, diagnose
from services.evaluate.hop_traces import Trace, read_traces
from services.rag.run_options import RunOptions
from services.runs.records import drop_run
from services.runs.start import start_run
from tests.scripted_endpoint import scripted_endpoint
from tests.services.evaluate.behaving_agents import SCRIPTS, Player
from tests.small_world import CHAIN, tools

Diagnoses = Mapping[str, list[Diagnosis]]

EXPECTED: Mapping[str, tuple[set[str], str, Callable[[Diagnosis], int | None]]] = {
    "stops early": ({"stops early"}, "planning", lambda _: 2),
    "wanders": ({"wanders"}, "planning", lambda _: 2),
    "takes a wrong hop": ({"takes a wrong hop"}, "planning", lambda _: 2),
    "ignores evidence": ({"ignores evidence"}, "reasoning", lambda one: one.hops),
    "parrots": ({"parrots", "ignores evidence"}, "reasoning", lambda one: one.hops),
    "loops": ({"loops"}, "reasoning", lambda _: 1),
    "talks": (set(), "answer form", lambda _: None),
    "never searches": ({"stops early"}, "planning", lambda _: 1),
}
"""For each agent what it shows, and the cause and the hop of its failures."""


@pytest.fixture(scope="module")
def gold(graph: Graph, small_corpus: str) -> Mapping[str, Trace]:
    """A question of each length along the long chain of the small world, by its text."""
    along = {
        trace.hops: trace
        for trace in read_traces(graph, run_id(small_corpus, "single-step"))
        if trace.kind == "chain" and trace.hops >= 3 and trace.chain[0].starts[0] in CHAIN
    }
    return {trace.question_text: trace for trace in along.values()}


@pytest.fixture(scope="module")
def diagnoses(
    graph: Graph, small_corpus: str, gold: Mapping[str, Trace], tmp_path_factory: pytest.TempPathFactory
) -> Iterator[Diagnoses]:
    """What the analysis makes of each agent's run."""
    ids = frozenset(trace.question for trace in gold.values())
    found: dict[str, list[Diagnosis]] = {}
    try:
        for name in SCRIPTS:
            run = run_agent(graph, small_corpus, name, gold, ids, tmp_path_factory.mktemp("home"))
            found[name] = list(map(diagnose, read_traces(graph, run_id(small_corpus, run))))
        yield found
    finally:
        for name in found:
            drop_run(graph, small_corpus, run_name(name))


def run_name(agent: str) -> str:
    return f"plays-{agent.replace(' ', '-')}"


def run_agent(
    graph: Graph, corpus: str, agent: str, gold: Mapping[str, Trace], ids: frozenset[str], home: Path
) -> str:
    with scripted_endpoint(Player(SCRIPTS[agent], gold)) as endpoint:
        options = RunOptions(system="react", generator="model", name=run_name(agent), covers=ids)
        return start_run(graph, corpus, options, endpoint.settings(home), tools().embedder, Silent())


def test_there_are_chains_of_every_length(gold: Mapping[str, Trace]) -> None:
    assert {trace.hops for trace in gold.values()} == {3, 4, 5}


@pytest.mark.campaign
def test_the_perfect_agent_fails_nowhere(diagnoses: Diagnoses) -> None:
    assert all(one.right and one.failure is None and not one.behaviours for one in diagnoses["perfect"])


@pytest.mark.parametrize("agent", EXPECTED)
def test_a_known_behaviour_is_named(diagnoses: Diagnoses, gold: Mapping[str, Trace], agent: str) -> None:
    shown, cause, hop = EXPECTED[agent]
    assert len(diagnoses[agent]) == len(gold)
    for one in diagnoses[agent]:
        assert one.failure is not None
        assert (set(one.behaviours), one.failure.cause, one.failure.hop) == (shown, cause, hop(one)), one


def test_the_figures_of_an_agent_tell_the_same(diagnoses: Diagnoses) -> None:
    figures = attribution_figures("one", diagnoses["stops early"])
    assert figures.total.failures == figures.total.answers == len(diagnoses["stops early"])
    assert figures.total.causes["planning"].value == 1
    assert figures.total.first_hops == {2: {"planning": figures.total.failures}}
    first, second = figures.by_evidence[:2]
    assert (first.missed.value, second.missed.value) == (0, 1)
    assert (second.recovered.value, second.right.value) == (0, 0)
