"""Options that are not given are the corpus' own.

What models would take, told before anything is sent or written.
"""

from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path

import pytest

from kg.corpus import CorpusSettings, fingerprint, open_corpus
from kg.errors import CorpusError, SettingsError
from kg.progress import Silent
from kg.settings import Settings
from kg.stages.build import build_graph
from kg.stages.path_finding import PathOptions, find_paths
from kg.stages.resolution import EdgePolicy, ResolutionChoice, link_finder, write_resolution_choice
from kg.store.graph import Graph
from kg.text.chunks import MEDIUM, SMALL
from services.questions.choice import KINDS, QuestionChoice, parse_bins, parse_kinds, parse_worker
from services.questions.choice import write_question_choice as write_choice
from services.settled_options import (
    BuildEstimate,
    GivenOptions,
    GivenQuestions,
    SettledTools,
    estimate_build,
    settle_options,
)
from tests import scripted_reader
from tests.scripted_endpoint import Endpoint, scripted_endpoint
from tests.scripted_reader import task
from tests.valley import OPTIONS, bodies, ingest, tools


def test_a_new_corpus_has_the_defaults(graph: Graph, corpus: str) -> None:
    chosen, job = settle_options(graph, corpus, GivenOptions())
    assert chosen == SettledTools("builtin", "rules", "rules")
    assert job.build.chunk_size == MEDIUM
    assert job.build.paths == PathOptions(per_depth=400, seed=0)


def test_a_corpus_keeps_what_it_was_made_with(graph: Graph, corpus: str) -> None:
    open_corpus(graph, corpus, CorpusSettings("openai:small", "openai/small", 8, str(SMALL), "rules"))
    find_paths(graph, corpus, PathOptions(per_depth=7, seed=3), Silent())
    chosen, job = settle_options(graph, corpus, GivenOptions())
    assert (chosen.embedder, job.build.chunk_size) == ("openai:small", SMALL)
    assert job.build.paths == PathOptions(per_depth=7, seed=3)
    _, job = settle_options(graph, corpus, GivenOptions(per_depth=9))
    assert job.build.paths == PathOptions(per_depth=9, seed=3)


def test_how_entities_are_resolved_is_remembered(graph: Graph, corpus: str) -> None:
    open_corpus(graph, corpus, CorpusSettings("builtin", "builtin/x", 8, str(SMALL), "rules"))
    assert settle_options(graph, corpus, GivenOptions())[1].build.edges == EdgePolicy()
    write_resolution_choice(graph, corpus, ResolutionChoice("model", through_hubs=True, concepts=True))
    chosen, job = settle_options(graph, corpus, GivenOptions())
    assert (chosen.links, job.build.edges) == ("model", EdgePolicy(None, concepts=True))
    chosen, job = settle_options(
        graph, corpus, GivenOptions(links="rules", through_hubs=False, concepts=False)
    )
    assert (chosen.links, job.build.edges) == ("rules", EdgePolicy())


def test_another_draw_of_paths_leaves_the_seed_of_the_links(graph: Graph, corpus: str) -> None:
    open_corpus(graph, corpus, CorpusSettings("builtin", "builtin/x", 8, str(SMALL), "rules"))
    write_resolution_choice(graph, corpus, ResolutionChoice(seed=3))
    find_paths(graph, corpus, PathOptions(seed=4), Silent())
    build = settle_options(graph, corpus, GivenOptions())[1].build
    assert (build.seed, build.paths.seed) == (3, 4)
    build = settle_options(graph, corpus, GivenOptions(seed=5))[1].build
    assert (build.seed, build.paths.seed) == (5, 5)


def test_another_embedder_is_refused_before_it_is_loaded(graph: Graph, corpus: str) -> None:
    open_corpus(graph, corpus, CorpusSettings("builtin", "builtin/x", 8, str(SMALL), "rules"))
    with pytest.raises(CorpusError, match=r"'builtin', not 'openai:no-such-model'"):
        settle_options(graph, corpus, GivenOptions(embedder="openai:no-such-model"))


def test_how_questions_are_made_is_remembered(graph: Graph, corpus: str) -> None:
    open_corpus(graph, corpus, CorpusSettings("builtin", "builtin/x", 8, str(SMALL), "rules"))
    assert settle_options(graph, corpus, GivenOptions())[1].questions == QuestionChoice()
    other = QuestionChoice(7, ("chain", "bridge entity"), 3, "model", "model", "global")
    write_choice(graph, corpus, other)
    assert settle_options(graph, corpus, GivenOptions())[1].questions == other
    given = GivenOptions(questions=GivenQuestions(target=9, kinds=("null",), checks="rules"))
    _, job = settle_options(graph, corpus, given)
    assert job.questions == QuestionChoice(9, ("null",), 3, "model", "rules", "global")


def test_options_of_questions_are_read_or_refused() -> None:
    assert parse_kinds("null, bridge-entity,chain") == ("chain", "null", "bridge entity")
    assert parse_kinds("inference,null") == ("null", "bridge entity", "bridge topic")
    assert parse_kinds("all") == KINDS
    assert (parse_worker("model"), parse_bins("global")) == ("model", "global")
    with pytest.raises(SettingsError, match="'bridges' is not a kind of question"):
        parse_kinds("chain,bridges")
    with pytest.raises(SettingsError, match="no kind of question is named"):
        parse_kinds(",")
    with pytest.raises(SettingsError, match="Use one of: rules, model"):
        parse_worker("people")


BOTH = SettledTools("builtin", "model", "model")


@pytest.fixture
def endpoint() -> Iterator[Endpoint]:
    with scripted_endpoint(scripted_reader.read) as running:
        yield running


@pytest.fixture
def settings(endpoint: Endpoint, tmp_path: Path) -> Settings:
    return endpoint.settings(tmp_path, hopgrade_model_prices={"scripted": (0.15, 0.6)})


def test_rules_take_nothing_and_need_no_model(graph: Graph, corpus: str) -> None:
    none = Settings(hopgrade_model=None, hopgrade_extract_model=None)
    found = estimate_build(graph, corpus, SettledTools("builtin", "rules", "rules"), 0, none)
    assert found == BuildEstimate(None, None)
    with pytest.raises(SettingsError, match="HOPGRADE_EXTRACT_MODEL"):
        estimate_build(graph, corpus, BOTH, 0, none)


def test_claims_can_be_told_at_once_and_links_are_an_expectation_until_the_first_build(
    graph: Graph, corpus: str, settings: Settings, endpoint: Endpoint
) -> None:
    used = replace(tools(settings), link_finder=link_finder("model", settings))
    ingest(graph, corpus, bodies(8), used)
    before = fingerprint(graph, corpus)
    first = estimate_build(graph, corpus, BOTH, 0, settings)
    assert fingerprint(graph, corpus) == before
    assert endpoint.requests == []
    assert first.links_expected
    assert first.links is not None
    assert first.links.calls > 0
    assert first.links.cached == 0
    assert first.claims is not None
    price = (first.claims.input_tokens_at_most * 0.15 + first.claims.output_tokens_at_most * 0.6) / 1_000_000
    assert first.claims.money_at_most == pytest.approx(price)
    assert first.claims.money is not None
    assert 0 < first.claims.money < price

    build_graph(graph, corpus, OPTIONS, replace(used, link_finder=tools(settings).link_finder), Silent())
    assert 0 < len(endpoint.requests) <= first.claims.calls
    endpoint.requests.clear()
    built = fingerprint(graph, corpus)
    second = estimate_build(graph, corpus, BOTH, 0, settings)
    assert fingerprint(graph, corpus) == built
    assert endpoint.requests == []
    assert not second.links_expected
    assert second.claims is not None
    assert second.claims.calls == 0
    assert second.links is not None

    build_graph(graph, corpus, OPTIONS, used, Silent())
    assert {task(asked) for asked in endpoint.requests} == {"pairs"}
    assert len(endpoint.requests) == second.links.calls - second.links.cached
    third = estimate_build(graph, corpus, BOTH, 0, settings)
    assert third.links is not None
    assert third.links.cached == third.links.calls == second.links.calls
    assert third.links.money_at_most == 0
