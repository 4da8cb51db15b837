"""What a run is expected to take, from what its searches find."""

from pathlib import Path

import pytest

from kg.ledger import read_ledger
from kg.progress import Silent
from kg.settings import Settings
from kg.stages.build import build_graph
from kg.store.graph import Graph
from services.rag.run_options import RunOptions, SystemName
from services.runs.estimate import RunEstimate, estimate_question, estimate_run
from services.runs.start import plan_run
from tests.scripted_endpoint import scripted_endpoint
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
